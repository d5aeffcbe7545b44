"""Tables of the figures. ``output`` prints the tables and writes them to the docs.

Stages that did not run have no tables.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .targets import measured_targets, relative_costs

Figures = dict[str, Any]

DESIGNS = {
    "buckets": "buckets (the default)",
    "buckets_in_threads": "buckets, in threads as workers deliver",
    "fan_out_on_read": "fan-out on read: followed authors",
    "recipients_in_post": "fan-out on read: recipients in the message",
    "fan_out_on_write": "fan-out on write: one document each",
    "clustered": "one document each, clustered, bare",
    "counted_buckets": "counted buckets, made correct",
    "counted_batched": "counted buckets, batched upserts",
    "counted_published": "counted buckets, as published",
    "bare": "bare: only the update",
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
    """A table with a label in the first cell of each row."""

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
    for name in _measured_designs(rates):
        pairs = [pair[name] for pair in figures["pairs"]]
        numbers = (rates[name], min(pairs), max(pairs))
        share = f"{rates['buckets'] / rates[name]:.2f}"
        rows.append([DESIGNS[name], *map(_rate, numbers), share, *_cpu(figures, name)])
    return Table(
        title=f"Deliveries per second to {workload['readers']:,} warm users",
        headings=[
            "design",
            "median",
            "lowest",
            "highest",
            "speed of buckets, relative",
            "client CPU, µs per delivery",
            "server CPU, µs per delivery",
        ],
        rows=rows,
        note=f"{workload['pairs']} rounds of {workload['posts']} posts. Designs take turns. "
        f"All designs use one thread, except the one with {workload.get('threads', 2)} threads.",
    )


def _cpu(figures: Figures, name: str) -> list[str]:
    """Return the CPU times of a design, empty for figures of older versions and of hidden servers."""
    measured = figures.get("cpu_us", {}).get(name, {})
    return [f"{measured[side]:.1f}" if measured.get(side) else "" for side in ("client", "server")]


def _pages(figures: Figures) -> Table:
    rows = []
    for name in _measured_designs(figures["page_ms"]):
        times, commands = figures["page_ms"][name], figures["commands_per_page_of"][name]
        spreads = [f"{times[kind]['p50']:.1f} / {times[kind]['p99']:.1f}" for kind in PAGE_KINDS]
        rows.append(
            [DESIGNS[name], *spreads, " / ".join(str(commands[kind]) for kind in PAGE_KINDS)]
        )
    scroll = figures["scroll"]
    return Table(
        title="Milliseconds of a page (p50 / p99) and its database commands",
        headings=["strategy", *PAGE_KINDS, "commands"],
        rows=rows,
        note=f'The viewer follows {scroll["followed"]:,} quiet users. "past": all {scroll["pages"]} pages '
        "past the inbox, one after another. Commands for session and user are not counted.",
    )


def _disk(figures: Figures) -> Table:
    sizes = figures["bytes_per_delivery"]
    rows = []
    for name in _measured_designs(figures["disk"]):
        disk = figures["disk"][name]
        parts = [f"{disk[key] / disk['entries']:.1f}" for key in ("data", "index")]
        times = f"{sizes[name] / sizes['buckets']:.1f}"
        rows.append([DESIGNS[name], f"{sizes[name]:.1f}", *parts, times])
    return Table(
        title="Bytes on disk per delivery",
        headings=["design", "total", "data", "index", "relative to buckets"],
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
        f"A cache of {share['cache_bytes'] / 2**20:.0f} MiB is as small for the data of buckets as this "
        "one is for one document each. Rate of buckets with it: "
        f"{_rate(share['deliveries_per_second'])} deliveries/s."
    )
    return Table(
        title=f"With a cache of {cold['cache_bytes'] / 2**20:.0f} MiB",
        headings=[
            "design",
            "in memory",
            "deliveries/s",
            "pages read for a first page",
            "pages read for a deep page",
        ],
        rows=rows,
        note=note,
    )


def _by_readers(figures: Figures) -> Table:
    growth = figures["growth"]["readers"]
    audiences = [f"{point['readers']:,} recipients" for point in growth["buckets"]]
    rows = [
        [DESIGNS[name], *(_rate(point["per_second"]) for point in growth[name])]
        for name in _measured_designs(growth)
    ]
    return Table("Deliveries per second by size of the audience", ["design", *audiences], rows)


def _by_deliveries(figures: Figures) -> Table:
    growth = figures["growth"]["deliveries"]
    rows = [
        [
            DESIGNS[name],
            *(f"{_rate(p['per_second'])}; {p['bytes_per_delivery']:.1f} B" for p in growth[name]),
        ]
        for name in _measured_designs(growth)
    ]
    return Table(
        title="Deliveries per second and bytes per delivery while the data grows",
        headings=[
            "design",
            *(f"{point['deliveries']:,} deliveries" for point in growth["buckets"]),
        ],
        rows=rows,
        note="Counted buckets and recipients in the message deliver to a tenth of the recipients, in "
        "batches of a tenth of the size.",
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
        title="Following a user with many followers: milliseconds and sizes",
        headings=[
            "design",
            "follow",
            "unfollow",
            "newest 20",
            "which of 20 follow",
            "journal",
            "largest document",
            "disk",
        ],
        rows=rows,
        note="Journal: bytes that a follow writes to the journal.",
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
    headings = ["design", "read a part", "remove a user", "append a part", "first document"]
    return Table("Lists in several documents: milliseconds", headings, rows)


def _admin(figures: Figures) -> Table:
    result = figures["admin"]
    rows = [[name, f"{row['p50']:.1f}", f"{row['most']:.1f}"] for name, row in result["ms"].items()]
    return Table(
        title="Lists for moderators: milliseconds",
        headings=["list", "median", "longest"],
        rows=rows,
        note=f"{result['posts']:,} posts and {result['comments']:,} comments. Templates are not measured.",
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
            "write the first second of an hour, ms",
            "write the last second, ms (ratio)",
        ],
        rows=rows,
        note=f"{measured['events']:,} events of {measured['subjects']:,} subjects (Zipf's law) over "
        f"one simulated day, in batches of {measured['batch']:,}. The 20 busiest subjects are read. "
        "In the hour of the first and last second every second has a count.",
    )


def _pages_over_http(figures: Figures) -> Table:
    result = figures["pages"]
    costs = relative_costs(responses=result["responses"])
    rows = [
        [
            name,
            f"{response['cpu_ms']:.1f}",
            f"{response['items']}",
            f"{costs[name]:.2f}",
            _size(response["bytes"]),
            *(f"{response['ms'][key]:.1f}" for key in ("p50", "p99")),
            _rate(response["per_second"]),
            f"{response['per_second'] / response['ready_made_for_viewer_per_second']:.2f}",
            f"{response['per_second'] / response['ready_made_per_second']:.2f}",
        ]
        for name, response in result["responses"].items()
    ]
    return Table(
        title="The main pages and API calls over HTTP",
        headings=[
            "page",
            "CPU ms",
            "items",
            "CPU per item, home = 1",
            "size",
            "p50 ms",
            "p99 ms",
            "requests per second",
            "of a ready-made response for the viewer",
            "of a ready-made response without checks",
        ],
        rows=rows,
        note="CPU of the web server, p50 and p99: one request after another. Requests per second: "
        f"{result['connections']} at a time. The {result['workers']} workers share the machine with the "
        "clients and the database. Ready-made responses have the same content.",
    )


def _publication(figures: Figures) -> Table:
    result = figures["pages"]["publication"]
    rows = [
        [
            f"{followers} followers",
            *(f"{result[key][number]:.1f}" for key in ("cpu_ms", "ms")),
            f"{result['commands'][number]:.0f}",
        ]
        for number, followers in enumerate((0, result["followers"]))
    ]
    return Table(
        title="Publishing a post over the API: milliseconds",
        headings=["author with", "CPU of the web server", "time", "commands"],
        rows=rows,
        note=f"CPU with followers / without: {result['cpu_ratio']:.2f}; time: {result['ms_ratio']:.2f}. "
        "The request delivers the post.",
    )


def _large_site(figures: Figures) -> Table:
    small, large = figures.get("pages", {}).get("responses", {}), figures["large_site"]
    rows = []
    for name, after in large["responses"].items():
        sites = [small.get(name), after]
        rows.append(
            [
                name,
                *(f"{response['cpu_ms']:.1f}" if response else "" for response in sites),
                *(f"{response['ms']['p50']:.1f}" if response else "" for response in sites),
                f"{after['commands']:.0f}",
            ]
        )
    return Table(
        title=f"The same pages on a site with {large['posts']:,} posts",
        headings=["page", "CPU ms before", "CPU ms", "p50 ms before", "p50 ms", "commands"],
        rows=rows,
        note='"Before": the site of the previous table, with fewer posts.',
    )


def _targets(figures: Figures) -> Table:
    rows = [
        [
            target.label,
            f"{target.measured:,.2f}",
            target.bound_text,
            "yes" if target.is_met else "NO",
        ]
        for target in measured_targets(figures=figures)
    ]
    return Table("Targets", ["figure", "measured", "target", "met"], rows)


def _measured_designs(group: Figures) -> list[str]:
    return [name for name in DESIGNS if name in group]


def _rate(number: float) -> str:
    return f"{number:,.0f}"


def _size(number: float) -> str:
    if number < KIB:
        return f"{number:,.0f} B"
    return f"{number / KIB:,.0f} KiB" if number < KIB**2 else f"{number / KIB**2:,.1f} MiB"


def _against(figures: Figures) -> Table:
    result = figures["against"]
    return Table(
        title=f"Pages of this checkout against {result['commit']}",
        headings=["page", "CPU ms", "before", "ratio", "commands", "before", "KB", "before"],
        rows=[
            [
                name,
                *(f"{ms:.1f}" for ms in page["cpu_ms"]),
                f"{page['ratio']:.2f}",
                *(f"{number:.0f}" for number in page["commands"]),
                *(f"{size / 1000:.1f}" for size in page["bytes"]),
            ]
            for name, page in result["pages"].items()
        ],
        note="CPU time of the web process. The ratio is the median of pairs of requests.",
    )


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
    "pages": _pages_over_http,
    "large_site": _large_site,
    "pages.publication": _publication,
    "against": _against,
}
"""Functions that build a table, by the key of the figures that the table shows."""


def all_tables(*, figures: Figures) -> Iterator[Table]:
    """Yield the tables of the measured figures, then the table of targets."""
    yield from measured_tables(figures=figures)
    if any(True for _ in measured_targets(figures=figures)):
        yield _targets(figures)


def documented_tables(*, figures: Figures) -> list[Table]:
    """Return the tables of the page about the strategies."""
    pages = [_pages_over_http(figures)] if figures.get("pages") else []
    return [*pages, _targets(figures)]
