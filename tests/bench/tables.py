"""The figures as tables of text; ``report`` shows them in a terminal, ``markdown`` in the docs.

A stage that was not run has no table.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .targets import measured_targets

Figures = dict[str, Any]

DESIGNS = {
    "buckets": "buckets (the default)",
    "fan_out_on_read": "fan-out on read: followed authors",
    "recipients_in_post": "fan-out on read: recipients in the message",
    "fan_out_on_write": "fan-out on write: one document each",
    "clustered": "one document each, clustered, bare",
    "counted_buckets": "counted buckets, made correct",
    "counted_batched": "counted buckets, batched upserts",
    "counted_published": "counted buckets, as published",
    "bare": "bare: the same update and nothing else",
}
MINUTE_DESIGNS = {
    "events": "one document per event",
    "minute_sums": "per minute, sum and count",
    "minute_seconds": "per minute, with seconds",
    "hour_flat": "per hour, 3,600 flat fields",
    "hour_nested": "per hour, nested 60 x 60",
    "time_series": "MongoDB's time-series collection",
}
KIB = 1024
PAGE_KINDS = ("first", "deep", "past")


@dataclass(frozen=True, slots=True)
class Table:
    """``rows``: cells as text, the first of each a label."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    note: str = ""


def measured_tables(*, figures: Figures) -> list[Table]:
    results = []
    for key, make in TABLES.items():
        part: Any = figures
        for name in key.split("."):
            part = part.get(name) if isinstance(part, dict) else None
        if part:
            results.append(make(figures))
    return results


def _speed(figures: Figures) -> Table:
    workload, rates = figures["workload"], figures["deliveries_per_second"]
    rows = []
    for name in _known(rates):
        pairs = [pair[name] for pair in figures["pairs"]]
        numbers = (rates[name], min(pairs), max(pairs))
        share = f"{rates['buckets'] / rates[name]:.2f}"
        rows.append([DESIGNS[name], *map(_rate, numbers), share])
    return Table(
        title=f"Deliveries per second to {workload['readers']:,} warm readers",
        headings=["design", "median", "lowest", "highest", "buckets are times"],
        rows=rows,
        note=f"{workload['pairs']} rounds of {workload['posts']} posts, the designs taking turns.",
    )


def _pages(figures: Figures) -> Table:
    rows = []
    for name in _known(figures["page_ms"]):
        times, commands = figures["page_ms"][name], figures["commands_per_page_of"][name]
        spreads = [f"{times[kind]['p50']:.1f} / {times[kind]['p99']:.1f}" for kind in PAGE_KINDS]
        rows.append(
            [DESIGNS[name], *spreads, " / ".join(str(commands[kind]) for kind in PAGE_KINDS)]
        )
    scroll = figures["scroll"]
    return Table(
        title="Milliseconds for a page, p50 / p99, and its database commands",
        headings=["strategy", *PAGE_KINDS, "commands"],
        rows=rows,
        note=f'The reader follows {scroll["followed"]:,} quiet people; "past" are all {scroll["pages"]} '
        "pages past the inbox, one after the other. Commands are without session and user.",
    )


def _disk(figures: Figures) -> Table:
    each = figures["bytes_per_delivery"]
    rows = []
    for name in _known(figures["disk"]):
        disk = figures["disk"][name]
        parts = [f"{disk[key] / disk['entries']:.1f}" for key in ("data", "index")]
        times = f"{each[name] / each['buckets']:.1f}"
        rows.append([DESIGNS[name], f"{each[name]:.1f}", *parts, times])
    return Table(
        title="Bytes on disk for each delivery",
        headings=["design", "in all", "data", "index", "times buckets"],
        rows=rows,
    )


def _cold(figures: Figures) -> Table:
    cold = figures["cold"]
    rows = []
    for name, rate in cold["deliveries_per_second"].items():
        read = cold["pages_read_per_page"][name]
        pages = [f"{read[kind]:.1f}" for kind in ("first", "deep")]
        data = f"{cold['data_in_cache_before'][name] / 2**20:,.0f} MiB"
        rows.append([DESIGNS[name], data, _rate(rate), *pages])
    share = cold["same_share"]
    note = (
        f"Buckets with a cache of {share['cache_bytes'] / 2**20:.0f} MiB, as small beside their data as "
        f"this one is beside one document each: {_rate(share['deliveries_per_second'])} deliveries/s."
    )
    return Table(
        title=f"With a cache of {cold['cache_bytes'] / 2**20:.0f} MiB",
        headings=[
            "design",
            "in memory",
            "deliveries/s",
            "pages read, first page",
            "pages read, deep page",
        ],
        rows=rows,
        note=note,
    )


def _by_readers(figures: Figures) -> Table:
    growth = figures["growth"]["readers"]
    audiences = [f"{bucket['readers']:,} readers" for bucket in growth["buckets"]]
    rows = [
        [DESIGNS[name], *(_rate(reader["per_second"]) for reader in growth[name])]
        for name in _known(growth)
    ]
    return Table("Deliveries per second by audience", ["design", *audiences], rows)


def _by_deliveries(figures: Figures) -> Table:
    growth = figures["growth"]["deliveries"]
    rows = [
        [
            DESIGNS[name],
            *(f"{_rate(p['per_second'])}; {p['bytes_per_delivery']:.1f} B" for p in growth[name]),
        ]
        for name in _known(growth)
    ]
    return Table(
        title="Deliveries per second, and bytes for each, while the data grows",
        headings=["design", *(f"{bucket['deliveries']:,}" for bucket in growth["buckets"])],
        rows=rows,
        note="Counted buckets and recipients in the message serve a tenth of the readers, in batches "
        "a tenth as large.",
    )


def _followers(figures: Figures) -> Table:
    rows = [
        [
            f"{name}, {point['followers']:,}",
            *(f"{point[key]:.1f}" for key in ("follow_ms", "unfollow_ms", "page_ms", "among_ms")),
            _size(point["journal_bytes"]),
            _size(point["largest_document"]),
            _size(point["disk_bytes"]),
        ]
        for name, points in figures["graph"]["followers"].items()
        for point in points
    ]
    return Table(
        title="Following somebody with many followers: milliseconds, and sizes",
        headings=[
            "design",
            "follow",
            "unfollow",
            "newest 20",
            "which of 20",
            "journal",
            "largest",
            "disk",
        ],
        rows=rows,
        note="Journal: what one follow writes to it. Largest: the largest document.",
    )


def _continuation(figures: Figures) -> Table:
    rows = [
        [
            f"{name}, {row['parts']:,} parts",
            *(f"{row[key]:.2f}" for key in ("reach_ms", "remove_ms", "open_ms")),
            _size(row["first_document"]),
        ]
        for name, row in figures["graph"]["continuation"].items()
    ]
    headings = ["parts", "reach one", "take one out", "begin one", "first document"]
    return Table("Continued lists: milliseconds", headings, rows)


def _admin(figures: Figures) -> Table:
    result = figures["admin"]
    rows = [[name, f"{row['p50']:.1f}", f"{row['most']:.1f}"] for name, row in result["ms"].items()]
    return Table(
        title="Lists for moderators: milliseconds",
        headings=["list", "median", "longest"],
        rows=rows,
        note=f"Of {result['posts']:,} posts and {result['comments']:,} comments, without the template.",
    )


def _minutes(figures: Figures) -> Table:
    measured = figures["minutes"]
    rows = [
        [
            MINUTE_DESIGNS[name],
            _rate(row["events_per_second"]),
            f"{row['bytes']:.1f} ({row['data']:.1f} + {row['index']:.1f})",
            f"{row['hour_ms']:.2f}; {row['hour_documents']:,.0f}",
            f"{row['day_ms']:.2f}; {row['day_documents']:,.0f}",
            f"{row['first_second_ms']:.3f}",
            f"{row['last_second_ms']:.3f} ({row['last_second_ms'] / row['first_second_ms']:.2f})",
        ]
        for name, row in measured["designs"].items()
    ]
    return Table(
        title="Counters over time",
        headings=[
            "design",
            "events per second",
            "bytes per event (data + index)",
            "read an hour: ms; documents",
            "read a day: ms; documents",
            "write the first second, ms",
            "the last second, ms (ratio)",
        ],
        rows=rows,
        note=f"{measured['events']:,} events of {measured['subjects']:,} subjects by a Zipf law, over one "
        f"simulated day, in batches of {measured['batch']:,}. Reads are of the 20 busiest subjects. The "
        "seconds are written in an hour in which every second has a count.",
    )


def _api(figures: Figures) -> Table:
    result = figures["api"]
    rows = [
        [
            name,
            *(f"{response['ms'][key]:.1f}" for key in ("p50", "p99")),
            f"{response['database_share']:.0%}",
            _rate(response["per_second"]),
            f"{response['busy_ms']['p99']:.0f}",
            _size(response["bytes"]),
        ]
        for name, response in result["answers"].items()
    ]
    return Table(
        title="Home as JSON for apps, over HTTP",
        headings=[
            "",
            "p50 ms",
            "p99 ms",
            "waits for the database",
            "per second",
            "p99 ms then",
            "size",
        ],
        rows=rows,
        note=f"One call after the other; the rest with {result['connections']} at once and "
        f"{result['workers']} workers, beside what asks them and the database.",
    )


def _promises(figures: Figures) -> Table:
    rows = [
        [
            target.label,
            f"{target.measured:,.2f}",
            target.bound_text,
            "yes" if target.is_met else "NO",
        ]
        for target in measured_targets(figures=figures)
    ]
    return Table("What was wanted", ["", "measured", "wanted", "kept"], rows)


def _known(group: Figures) -> list[str]:
    return [name for name in DESIGNS if name in group]


def _rate(number: float) -> str:
    return f"{number:,.0f}"


def _size(number: float) -> str:
    if number < KIB:
        return f"{number:,.0f} B"
    return f"{number / KIB:,.0f} KiB" if number < KIB**2 else f"{number / KIB**2:,.1f} MiB"


TABLES: dict[str, Callable[[Figures], Table]] = {
    "deliveries_per_second": _speed,
    "page_ms": _pages,
    "disk": _disk,
    "cold": _cold,
    "growth.readers": _by_readers,
    "growth.deliveries": _by_deliveries,
    "graph": _followers,
    "graph.continuation": _continuation,
    "admin": _admin,
    "minutes": _minutes,
    "api": _api,
}
"""By the key that has to be there."""


def all_tables(*, figures: Figures) -> Iterator[Table]:
    """What was measured, and then what was wanted of it."""
    yield from measured_tables(figures=figures)
    if any(True for _ in measured_targets(figures=figures)):
        yield _promises(figures)
