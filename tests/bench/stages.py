"""The stages of the benchmark and their figures.

Each stage starts with an empty database. ``run_stages`` returns the following keys of the stages that ran,
and ``--json`` writes the same keys. Rates are in deliveries per second, times in milliseconds, sizes in
bytes:

    speed     deliveries_per_second.<design>   medians over the pairs
              cpu_us.<design>.<client|server>  microseconds of CPU per delivery, medians; the server's are 0
                                               if the server hides them
              ratios.buckets_to_<design>       medians over the pairs; all with one thread
              ratios.threads_to_one_thread     ``buckets_in_threads`` to ``buckets``, median
              pairs[].<design>                 rate of each pair
              memory, workload                 peak and resident bytes; amount of work
    audience  growth.readers.<design>[]        {readers, per_second}
    timelines page_ms.<strategy>.<first|deep|past>.<p50|p99>
              commands_per_page.<kind>         of the default strategy, without session and user
              commands_per_page_of.<strategy>.<kind>
              scroll                           {followed, pages, ms: {p50, p99}} of pages past the inbox
    volume    growth.deliveries.<design>[]     {deliveries, per_second, bytes_per_delivery}
              bytes_per_delivery.<design>      data and indexes, by stored entries
              disk.<design>                    {entries, data, index, files, raw, cached} (``disk``)
              cold                             beyond the cache; only with a separate server (``cold``)
              ratios.buckets_to_<design>_cold
    graph     graph.followers, graph.continuation (``follows``, ``continuation``)
    admin     admin                            lists for moderators (``moderator_lists``)
    minutes   minutes                          counters over time in six designs (``minutes``)
    pages     pages                            the main pages and API calls over HTTP (``pages``)
              pages.publication                a post to ten followers and a post to none (``publication``)
              against                          with ``--against``: the pages of another commit (``against``)
    large_site  large_site                     the same pages on a site with more posts (``pages``)

Designs:

* The strategies ``buckets`` (the default), ``fan_out_on_write``, ``counted_buckets`` and
  ``fan_out_on_read``. ``fan_out_on_read`` delivers nothing, so it has 0 bytes and no rate.
* ``buckets_in_threads``: the default strategy as workers deliver to large audiences.
* ``bare``, ``counted_published`` and ``counted_batched`` (``bucket_rivals``).
* ``clustered`` and ``recipients_in_post`` (``entry_rivals``).
"""

from collections.abc import Callable, Sequence
from typing import Any

from . import audience, follows, minutes, moderator_lists, pages, speed, timelines, volume
from .database import throwaway_database
from .progress import ProgressListener
from .sizes import Sizes

Figures = dict[str, Any]

STAGES_WITH_OWN_SERVER = ("volume", "pages", "large_site")
STAGES = (
    "speed",
    "audience",
    "timelines",
    "volume",
    "graph",
    "admin",
    "minutes",
    "pages",
    "large_site",
)


def run_stages(
    *, stages: Sequence[str], sizes: Sizes, progress: ProgressListener, own_server: bool = False
) -> Figures:
    """Run the stages and return their figures.

    ``own_server``: whether the server is separate, so that a stage may change the settings of the server.
    Raises ForeignDatabase and ServerFailed.
    """
    measures: dict[str, Callable[[], Figures]] = {
        "speed": lambda: speed.measure(sizes=sizes, progress=progress),
        "audience": lambda: audience.measure(sizes=sizes, progress=progress),
        "timelines": lambda: timelines.measure(sizes=sizes, progress=progress),
        "volume": lambda: volume.measure(sizes=sizes, progress=progress, own_server=own_server),
        "graph": lambda: follows.measure(sizes=sizes, progress=progress),
        "pages": lambda: pages.measure(sizes=sizes, progress=progress),
        "large_site": lambda: pages.measure_large_site(sizes=sizes, progress=progress),
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
    """Add ``more`` to ``into``. Groups that exist in both are merged."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge_figures(into=into[key], more=value)
        else:
            into[key] = value
