"""Draw plots of the figures for the docs. Stages that did not run have no plots."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .charts import bar_chart, line_chart
from .tables import DESIGNS, PAGE_KINDS

MAIN_LABEL = DESIGNS["buckets"]
LINE_LABELS = [label for name, label in DESIGNS.items() if name != "fan_out_on_read"]

PAGE_TITLES = {"first": "First page", "deep": "Deep page", "past": "Page past the inbox"}

Figures = dict[str, Any]


def draw_plots(*, figures: Figures, folder: Path) -> None:
    for name, drawing in _plots(figures):
        (folder / f"{name}.svg").write_text(drawing)


def _plots(figures: Figures) -> Iterator[tuple[str, str]]:
    if rates := figures.get("deliveries_per_second"):
        yield (
            "deliveries",
            bar_chart(
                title="Deliveries", unit="per second", values=_labelled(rates), main=MAIN_LABEL
            ),
        )
    if times := figures.get("page_ms"):
        for kind in PAGE_KINDS:
            medians = {name: row[kind]["p50"] for name, row in times.items()}
            yield (
                f"pages-{kind}",
                bar_chart(
                    title=PAGE_TITLES[kind],
                    unit="milliseconds, median",
                    values=_labelled(medians),
                    main=MAIN_LABEL,
                ),
            )
    if disk := figures.get("disk"):
        sizes = {name: figures["bytes_per_delivery"][name] for name in disk}
        yield (
            "disk",
            bar_chart(
                title="Disk space",
                unit="bytes per delivery",
                values=_labelled(sizes),
                main=MAIN_LABEL,
            ),
        )
    if cold := figures.get("cold"):
        rates = _labelled(cold["deliveries_per_second"])
        title = "Deliveries beyond the cache"
        yield "cold", bar_chart(title=title, unit="per second", values=rates, main=MAIN_LABEL)
    growth = figures.get("growth", {})
    for key, across in (("readers", "recipients of a post"), ("deliveries", "earlier deliveries")):
        if key in growth:
            series = {
                name: [(point[key], point["per_second"]) for point in points]
                for name, points in growth[key].items()
            }
            title = f"Deliveries per second, by {across}"
            drawing = line_chart(
                title=title, x_label=across, series=_labelled(series), order=LINE_LABELS
            )
            yield f"growth-{key}", drawing


def _labelled(group: Figures) -> Figures:
    return {label: group[name] for name, label in DESIGNS.items() if name in group}
