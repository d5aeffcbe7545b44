"""The figures as plots for the docs: one file each, of those stages that were run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .charts import bar_chart, line_chart
from .tables import DESIGNS, PAGE_KINDS

MAIN_LABEL = DESIGNS["buckets"]
LINE_LABELS = [label for name, label in DESIGNS.items() if name != "fan_out_on_read"]

Figures = dict[str, Any]


def draw_plots(*, figures: Figures, folder: Path) -> None:
    for name, drawing in _plots(figures):
        (folder / f"{name}.svg").write_text(drawing)


def _plots(figures: Figures) -> Iterator[tuple[str, str]]:
    if rates := figures.get("deliveries_per_second"):
        yield (
            "deliveries",
            bar_chart(title="Deliveries", unit="per second", values=_named(rates), main=MAIN_LABEL),
        )
    if times := figures.get("page_ms"):
        for kind in PAGE_KINDS:
            medians = {name: row[kind]["p50"] for name, row in times.items()}
            yield (
                f"pages-{kind}",
                bar_chart(
                    title=f"A {kind} page",
                    unit="milliseconds, median",
                    values=_named(medians),
                    main=MAIN_LABEL,
                ),
            )
    if disk := figures.get("disk"):
        each = {name: figures["bytes_per_delivery"][name] for name in disk}
        yield (
            "disk",
            bar_chart(
                title="Disk", unit="bytes for each delivery", values=_named(each), main=MAIN_LABEL
            ),
        )
    if cold := figures.get("cold"):
        rates = _named(cold["deliveries_per_second"])
        title = "Deliveries beyond the cache"
        yield "cold", bar_chart(title=title, unit="per second", values=rates, main=MAIN_LABEL)
    growth = figures.get("growth", {})
    for key, across in (("readers", "readers of a post"), ("deliveries", "deliveries made before")):
        if key in growth:
            series = {
                name: [(point[key], point["per_second"]) for point in points]
                for name, points in growth[key].items()
            }
            title = f"Deliveries per second, by {across}"
            drawing = line_chart(
                title=title, x_label=across, series=_named(series), order=LINE_LABELS
            )
            yield f"growth-{key}", drawing


def _named(group: Figures) -> Figures:
    return {label: group[name] for name, label in DESIGNS.items() if name in group}
