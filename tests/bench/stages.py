"""All stages of the bench, one after the other, and the figures they make.

Each stage has an empty database. What a run returns, and ``feed_bench --json`` writes, has of these keys
those of the stages that were run (rates: deliveries per second; times: milliseconds; sizes: bytes):

    speed     deliveries_per_second.<design>   medians over the pairs
              ratios.buckets_to_<design>       medians over the pairs
              pairs[].<design>                 each pair's rate
              memory, workload                 peak and resident bytes; how much was done
    audience  growth.readers.<design>[]        {readers, per_second}
    pages     page_ms.<strategy>.<first|deep|past>.<p50|p99>
              commands_per_page.<kind>         of the default strategy, without session and user
              commands_per_page_of.<strategy>.<kind>
              scroll                           {followed, pages, ms: {p50, p99}}: all past an inbox
    volume    growth.deliveries.<design>[]     {deliveries, per_second, bytes_per_delivery}
              bytes_per_delivery.<design>      data and indexes by the entries held
              disk.<design>                    {entries, data, index, files, raw, cached} (``disk``)
              cold                             beyond the cache; only on a server of its own (``cold``)
              ratios.buckets_to_<design>_cold
    graph     graph.followers, graph.continuation (``graph``, ``continuation``)
    admin     admin                            lists for moderators (``moderating``)
    minutes   minutes                          counters over time, in six designs (``minutes``)
    api       api                              home as JSON for apps (``calls``)

Designs: the strategies ``buckets`` (the default), ``fan_out_on_write``, ``counted_buckets`` and
``fan_out_on_read`` (which delivers nothing: 0 bytes, no rate); ``bare``, ``counted_published``,
``counted_batched`` (``rivals``), ``clustered`` and ``recipients_in_post`` (``one_each``).
"""

from collections.abc import Callable, Sequence
from typing import Any

from . import api_calls, audience, follows, minutes, moderator_lists, pages, speed, volume
from .database import throwaway_database
from .progress import ProgressListener
from .sizes import Sizes

Figures = dict[str, Any]

STAGES_WITH_OWN_SERVER = ("volume", "api")
STAGES = ("speed", "audience", "pages", "volume", "graph", "admin", "minutes", "api")


def run_stages(
    *, stages: Sequence[str], sizes: Sizes, progress: ProgressListener, own_server: bool = False
) -> Figures:
    """Raises ``throwaway.NotOurs`` and NoServer. ``own_server``: the server may be treated badly."""
    measures: dict[str, Callable[[], Figures]] = {
        "speed": lambda: speed.measure(sizes=sizes, progress=progress),
        "audience": lambda: audience.measure(sizes=sizes, progress=progress),
        "pages": lambda: pages.measure(sizes=sizes, progress=progress),
        "volume": lambda: volume.measure(sizes=sizes, progress=progress, own_server=own_server),
        "graph": lambda: follows.measure(sizes=sizes, progress=progress),
        "api": lambda: api_calls.measure(sizes=sizes, progress=progress),
        "minutes": lambda: minutes.measure(sizes=sizes, progress=progress),
        "admin": lambda: moderator_lists.measure(sizes=sizes, progress=progress),
    }
    figures: Figures = {}
    for stage in STAGES:
        if stage in stages:
            with throwaway_database():
                merge_figures(into=figures, more=measures[stage]())
    return figures


def merge_figures(*, into: Figures, more: Figures) -> None:
    """Add figures; groups that both have are united."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge_figures(into=into[key], more=value)
        else:
            into[key] = value
