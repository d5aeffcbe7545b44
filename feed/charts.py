"""Bar charts as SVG that a template writes: no script, no style of their own, and a table beside them.

Libraries were tried first: pygal and leather write whole SVG files with inline styles, which the content
security policy forbids, and no table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

WIDTH, HEIGHT = 480, 120
FOOTER_HEIGHT = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """Its place as text, because a language may write numbers so that no browser understands them."""

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
    description: str
    bars: Sequence[Bar]
    total: str = ""
    """The sum, if it means something."""

    view_box: str = f"0 0 {WIDTH} {HEIGHT + FOOTER_HEIGHT}"
    baseline: str = str(HEIGHT)
    right_edge: str = str(WIDTH)
    label_y: str = str(HEIGHT + FOOTER_HEIGHT - 5)

    @property
    def first_label(self) -> str:
        return self.bars[0].label

    @property
    def last_label(self) -> str:
        return self.bars[-1].label


def bar_chart(
    *,
    id: str,
    title: str,
    points: Sequence[tuple[datetime, float]],
    label_format: str,
    is_share: bool = False,
    has_total: bool = True,
) -> Chart:
    """Return a chart with a bar for each point.

    Args:
        form: the date format of a bar's label.
        is_share: the numbers are shares of 1 and are shown as percentages.
        is_summed: the sum means something, and ``desc`` names it.
    """
    highest = max((number for _at, number in points), default=0)
    step = WIDTH / max(1, len(points))
    bars = []
    for place, (at, number) in enumerate(points):
        height = round(HEIGHT * max(0, number) / highest) if highest > 0 else 0
        bars.append(
            Bar(
                x=f"{place * step + 1:.1f}",
                y=str(HEIGHT - height),
                width=f"{step - 2:.1f}",
                height=str(height),
                label=date_format(at, label_format),
                number=_number(number, is_share),
            )
        )
    if not highest:
        return Chart(id, title, _("Nothing yet in this period."), bars, "" if is_share else "0")
    most = _number(highest, is_share)
    if is_share or not has_total:
        return Chart(id, title, _("At most %(highest)s.") % {"highest": most}, bars)
    total = _number(sum(number for _at, number in points), is_share)
    words = _("%(total)s in all; at most %(highest)s at a time.")
    return Chart(id, title, words % {"total": total, "highest": most}, bars, total)


def _number(number: float, is_share: bool) -> str:
    if is_share:
        return f"{number_format(100 * number, 1)} %"
    return number_format(round(number), force_grouping=True)
