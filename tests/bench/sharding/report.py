"""Tables with the results of the simulation."""

from rich.console import Group
from rich.table import Table

from .simulation import Figures

PAGE_LABELS = {"first": "home, first", "deep": "home, deep", "profile": "profile"}
BROADCAST_NOTE = (
    "Broadcast: the share of pages that query all shards. Shards: mean / 99th percentile."
)
PEAK_NOTE = "Peak: the busiest or fullest shard, divided by the mean of all shards."
READS_NOTE = "To find: before the posts are read by id."


def plan_report(*, figures: Figures) -> Group:
    return Group(_trade_offs(figures), _reads(figures), _post_keys(figures))


def _trade_offs(figures: Figures) -> Table:
    workload = figures["workload"]
    table = Table(
        title=f"{workload['shards']} shards, {workload['readers']:,} readers, {workload['posts']:,} "
        f"posts, each to {workload['readers_per_post']:,.0f} readers",
        caption=f"{BROADCAST_NOTE} {PEAK_NOTE}",
    )
    table.add_column("design", no_wrap=True)
    for heading in (
        "broadcast",
        "shards\nper post",
        "written\nper post",
        "copies",
        "load\npeak",
        "data\npeak",
    ):
        table.add_column(heading, justify="right")
    for name, design in figures["designs"].items():
        table.add_row(
            name,
            f"{design['broadcasts']:.0%}",
            _of(design["writes"]["shards"]),
            f"{design['writes']['documents']:.1f}",
            f"{design['copies']:g}",
            f"{design['evenness']['load']:.2f}",
            f"{design['evenness']['data']:.2f}",
        )
    return table


def _reads(figures: Figures) -> Table:
    table = Table(title="Reading a page", caption=READS_NOTE)
    table.add_column("design", no_wrap=True)
    table.add_column("page", no_wrap=True)
    for heading in ("shards\nto find", "shards\nin total", "documents\nread", "broadcast"):
        table.add_column(heading, justify="right")
    for name, design in figures["designs"].items():
        for kind, label in PAGE_LABELS.items():
            read = design["reads"][kind]
            table.add_row(
                name if kind == "first" else "",
                label,
                _of(read["shards"]),
                _of(read["shards_with_posts"]),
                f"{read['documents']:.1f}",
                f"{read['broadcast']:.0%}",
                end_section=kind == "profile",
            )
    return table


def _post_keys(figures: Figures) -> Table:
    table = Table(title="Posts under other keys", caption=PEAK_NOTE)
    table.add_column("key", no_wrap=True)
    for heading in ("insert\npeak", "shards for\n20 by id", "shards for\na profile"):
        table.add_column(heading, justify="right")
    for name, key_figures in figures["post_keys"].items():
        numbers = (key_figures["inserts"], key_figures["page_by_ids"], key_figures["profile"])
        table.add_row(name, *(f"{number:.2f}" for number in numbers))
    return table


def _of(spread: Figures) -> str:
    return f"{spread['mean']:.1f} / {spread['p99']}"
