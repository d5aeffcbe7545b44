"""Draw bar and line charts as SVG, with selectable text and with colors for light and dark pages."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

WIDTH = 720
LABEL_WIDTH = 320
VALUE_WIDTH = 90
ROW_HEIGHT = 30
TITLE_HEIGHT = 50
PLOT_HEIGHT = 260
LEGEND_ROW = 20
MARGIN = 70

STYLE = (
    "svg{font:14px system-ui,sans-serif;background:#fff;color:#1d2430}"
    "text{fill:currentColor}.title{font-weight:600;font-size:16px}.axis{stroke:currentColor;opacity:.35}"
    ".main{fill:#2463c9;stroke:#2463c9}.other{fill:#8793a6;stroke:#8793a6}"
    ".c1{fill:#b4540a;stroke:#b4540a}.c2{fill:#1b7f4d;stroke:#1b7f4d}.c3{fill:#8b3fb5;stroke:#8b3fb5}"
    ".c4{fill:#a8324a;stroke:#a8324a}.c5{fill:#6b7280;stroke:#6b7280}polyline{fill:none!important;stroke-width:2.5}"
    "@media(prefers-color-scheme:dark){svg{background:#14181f;color:#e6e9ee}"
    ".main{fill:#6ea3ff;stroke:#6ea3ff}.other{fill:#6f7b8d;stroke:#6f7b8d}"
    ".c1{fill:#f0a35e;stroke:#f0a35e}.c2{fill:#5cc894;stroke:#5cc894}.c3{fill:#cb95ec;stroke:#cb95ec}"
    ".c4{fill:#f08a9e;stroke:#f08a9e}.c5{fill:#a3adbb;stroke:#a3adbb}}"
)
SERIES_CLASSES = ("main", "c1", "c2", "c3", "c4", "c5")

Point = tuple[float, float]


def bar_chart(*, title: str, unit: str, values: Mapping[str, float], main: str) -> str:
    """Return a bar chart with one bar for each label. The bar of ``main`` is highlighted."""
    highest_value = max(values.values(), default=0) or 1
    parts = []
    for number, (label, value) in enumerate(values.items()):
        y = TITLE_HEIGHT + number * ROW_HEIGHT
        width = max(1.0, (WIDTH - LABEL_WIDTH - VALUE_WIDTH) * value / highest_value)
        kind = "main" if label == main else "other"
        parts += [
            _text(LABEL_WIDTH - 8, y + 18, label, anchor="end"),
            f'<rect class="{kind}" x="{LABEL_WIDTH}" y="{y + 4}" width="{width:.1f}" height="20" rx="3"/>',
            _text(LABEL_WIDTH + width + 6, y + 18, _format_number(value)),
        ]
    return _svg(f"{title} ({unit})", TITLE_HEIGHT + ROW_HEIGHT * len(values) + 12, parts)


def line_chart(
    *, title: str, x_label: str, series: Mapping[str, Sequence[Point]], order: Sequence[str]
) -> str:
    """Return a line chart with a logarithmic x-axis and one line for each label.

    ``order`` lists the labels of all related charts, so that a label has the same color in every chart.
    """
    points = [point for line in series.values() for point in line]
    lowest, highest = log10(min(x for x, _ in points)), log10(max(x for x, _ in points))
    highest_value = _round_up(max(y for _, y in points) or 1)
    bottom = TITLE_HEIGHT + PLOT_HEIGHT

    def place(point: Point) -> tuple[float, float]:
        share = (log10(point[0]) - lowest) / ((highest - lowest) or 1)
        return MARGIN + share * (WIDTH - 2 * MARGIN), bottom - PLOT_HEIGHT * point[
            1
        ] / highest_value

    parts = [
        f'<path class="axis" d="M{MARGIN} {TITLE_HEIGHT}V{bottom}H{WIDTH - MARGIN}" fill="none"/>'
    ]
    for step in range(5):
        y = bottom - PLOT_HEIGHT * step / 4
        parts.append(
            _text(MARGIN - 8, y + 5, _format_number(highest_value * step / 4), anchor="end")
        )
    parts += [
        _text(place((x, 0))[0], bottom + 20, _format_number(x), anchor="middle")
        for x in sorted({x for x, _ in points})
    ]
    parts.append(_text(WIDTH / 2, bottom + 40, x_label, anchor="middle"))
    for number, (label, line) in enumerate(series.items()):
        kind, y = (
            SERIES_CLASSES[order.index(label) % len(SERIES_CLASSES)],
            bottom + 56 + number * LEGEND_ROW,
        )
        places = [place(point) for point in line]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline class="{kind}" points="{corners}"/>')
        parts += [f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in places]
        parts.append(f'<rect class="{kind}" x="{MARGIN}" y="{y}" width="14" height="14" rx="3"/>')
        parts.append(_text(MARGIN + 22, y + 12, label))
    return _svg(title, bottom + 66 + LEGEND_ROW * len(series), parts)


def _svg(title: str, height: float, parts: list[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        f'<text class="title" x="16" y="28">{escape(title)}</text>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _round_up(number: float) -> float:
    """Round up to a number whose quarters, the labels of the axis, are round numbers."""
    unit = 4 * 10.0 ** floor(log10(number) - 1)
    return ceil(number / unit) * unit


def _format_number(number: float) -> str:
    if number >= 1_000_000:
        return f"{number / 1_000_000:g}M" if number % 100_000 == 0 else f"{number / 1_000_000:.1f}M"
    return f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.1f}"
