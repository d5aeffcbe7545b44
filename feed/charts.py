"""Bar charts for a template, which renders each chart as SVG with a table of the same numbers.

The content security policy forbids scripts and inline styles in the SVG. The libraries pygal and leather
were tried first, but both write inline styles and no table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.template.loader import render_to_string
from django.utils.formats import date_format, number_format
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

WIDTH, HEIGHT = 480, 120
"""The size of the area of the bars, as in the template, which adds the labels below."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar. Coordinates are strings, because templates localize numbers and "1,5" is invalid in SVG."""

    x: str
    y: str
    width: str
    height: str
    label: str
    number: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart. Screen readers read ``description``, one sentence about the numbers."""

    id: str
    title: str
    description: str
    bars: Sequence[Bar]
    total: str = ""
    """The sum of the bars as text, or "" if the sum is not meaningful."""

    @property
    def html(self) -> str:
        """Return the chart and its table as HTML."""
        return mark_safe(render_to_string("_chart.html", {"chart": self}))  # noqa: S308 - a template


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
        label_format: Django date format of a bar's label.
        is_share: True if the numbers are fractions of 1, to be shown as percentages.
        has_total: True if the sum of the numbers is meaningful.
    """
    highest = max((number for _moment, number in points), default=0)
    step = WIDTH / max(1, len(points))
    bars = []
    for index, (moment, number) in enumerate(points):
        height = round(HEIGHT * max(0, number) / highest) if highest > 0 else 0
        bars.append(
            Bar(
                x=f"{index * step + 1:.1f}",
                y=str(HEIGHT - height),
                width=f"{step - 2:.1f}",
                height=str(height),
                label=date_format(moment, label_format),
                number=_format_number(number, is_share),
            )
        )
    if not highest:
        return Chart(id, title, _("No data for this period."), bars, "" if is_share else "0")
    highest_text = _format_number(highest, is_share)
    if is_share or not has_total:
        return Chart(id, title, _("Maximum: %(highest)s.") % {"highest": highest_text}, bars)
    total = _format_number(sum(number for _moment, number in points), is_share)
    template = _("Total: %(total)s. Maximum: %(highest)s.")
    return Chart(id, title, template % {"total": total, "highest": highest_text}, bars, total)


def _format_number(number: float, is_share: bool) -> str:
    if is_share:
        return f"{number_format(100 * number, 1)} %"
    return number_format(round(number), force_grouping=True)
