"""Bars for the first page, as SVG that a template writes: no script and no style of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

WIDTH, HEIGHT = 480, 120
FOOT = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """Its place as text, for a language may write numbers so that no browser understands them."""

    x: str
    y: str
    width: str
    height: str
    label: str
    number: str


@dataclass(frozen=True, slots=True)
class Chart:
    """``desc``: what it shows, in one sentence, for those who do not see it."""

    id: str
    title: str
    desc: str
    bars: Sequence[Bar]
    size: str = f"0 0 {WIDTH} {HEIGHT + FOOT}"
    base: str = str(HEIGHT)
    right: str = str(WIDTH)
    labels: str = str(HEIGHT + FOOT - 5)

    @property
    def first(self) -> str:
        return self.bars[0].label

    @property
    def last(self) -> str:
        return self.bars[-1].label


def chart(
    *, id: str, title: str, counted: Sequence[tuple[datetime, int]], most: int, form: str
) -> Chart:
    """``most``: who counted stopped there; ``form``: the date format of a bar's name."""
    highest = max((number for _at, number in counted), default=0)
    step = WIDTH / max(1, len(counted))
    bars = []
    for place, (at, number) in enumerate(counted):
        height = round(HEIGHT * number / highest) if highest else 0
        bars.append(
            Bar(
                x=f"{place * step + 1:.1f}",
                y=str(HEIGHT - height),
                width=f"{step - 2:.1f}",
                height=str(height),
                label=date_format(at, form),
                number=_number(number, most),
            )
        )
    total, is_more = sum(n for _at, n in counted), any(n >= most for _at, n in counted)
    desc = _("%(total)s in all; at most %(highest)s at a time.") % {
        "total": number_format(total, force_grouping=True) + ("+" if is_more else ""),
        "highest": _number(highest, most),
    }
    return Chart(id=id, title=title, desc=desc, bars=bars)


def _number(number: int, most: int) -> str:
    return number_format(number, force_grouping=True) + ("+" if number >= most else "")
