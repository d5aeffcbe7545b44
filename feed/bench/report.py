"""The figures of a run as a table."""

from typing import Any

from rich.console import Group
from rich.table import Table

WANTED = {"buckets_to_bare": 0.8, "buckets_to_counted": 30.0}

DESIGNS = {
    "buckets": "buckets: the default, with sealing and trimming",
    "bare": "bare: the same update_many and nothing else",
    "counted_published": "counted, as published: two round trips each",
}
RATIOS = {"buckets_to_bare": "buckets / bare", "buckets_to_counted": "buckets / counted"}


def report(*, figures: dict[str, Any]) -> Group:
    workload, memory = figures["workload"], figures["memory"]
    speed = Table(
        title=f"Deliveries to {workload['readers']} warm readers, "
        f"{workload['pairs']} interleaved pairs of {workload['posts']} posts",
    )
    speed.add_column("design")
    speed.add_column("deliveries/s, median", justify="right")
    speed.add_column("lowest", justify="right")
    speed.add_column("highest", justify="right")
    for name, label in DESIGNS.items():
        rates = [one[name] for one in figures["pairs"]]
        middle = figures["deliveries_per_second"][name]
        speed.add_row(label, *(f"{rate:,.0f}" for rate in (middle, min(rates), max(rates))))

    rest = Table()
    rest.add_column("")
    rest.add_column("measured", justify="right")
    rest.add_column("wanted", justify="right")
    for name, label in RATIOS.items():
        rest.add_row(label, f"{figures['ratios'][name]:.2f}", f">= {WANTED[name]:g}")
    rest.add_row("this process, peak memory", _mib(memory["process_peak_bytes"]), "")
    rest.add_row("mongod, resident memory", _mib(memory["mongod_resident_bytes"]), "")
    return Group(speed, rest)


def _mib(size: int | None) -> str:
    return "not allowed to ask" if size is None else f"{size / 2**20:,.0f} MiB"
