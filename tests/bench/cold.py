"""Measure designs whose data exceeds the cache of the storage engine. Needs a separate server.

To save time, this module shrinks the cache instead of writing more data. The operating system still caches
the files, so a page missing in the cache is copied and decompressed, but not read from a disk. With disk
access, the results would be worse.
"""

from statistics import median
from typing import Any

from .database import connection, insert_batches
from .disk import cache_size_bytes, cached_bytes, count_pages_read, disk_usage, set_cache_size
from .progress import ProgressListener
from .sizes import Sizes
from .speed import time_delivery
from .strategy_designs import DeliveryDesign
from .workload import Workload

FILLER_BYTES = 64_000
FILLER_FACTOR = 2
MIN_CACHE_MIB = 2

Figures = dict[str, Any]


def measure(
    *,
    sizes: Sizes,
    workload: Workload,
    contenders: list[DeliveryDesign],
    progress: ProgressListener,
) -> Figures:
    """Return ``cold`` and its ratios. A block is a series of deliveries of one design, with an empty cache.

    * ``cold.deliveries_per_second``: medians over the blocks.
    * ``cold.same_share``: the rate of ``buckets`` with a smaller cache. This cache holds the same fraction
      of the data of ``buckets`` as the normal cache holds of the larger data of ``fan_out_on_write``.
    * ``cold.pages_read_per_page``: the pages that the engine reads for one page of a viewer whose data is
      not in the cache.
    """
    before, cached = (
        cache_size_bytes(),
        {contender.name: _memory(contender) for contender in contenders},
    )
    _make_filler(workload, mib=sizes.cold_cache_mib)
    try:
        set_cache_size(mib=sizes.cold_cache_mib)
        rates = _rates(sizes, workload, contenders, progress)
        pages = measure_page_reads(sizes, workload, contenders, progress)
        buckets, rival = contenders[0], cached["fan_out_on_write"]
        share = max(MIN_CACHE_MIB, sizes.cold_cache_mib * cached["buckets"] // max(1, rival))
        set_cache_size(mib=share)
        same_share = _rates(sizes, workload, [buckets], progress)
    finally:
        set_cache_size(mib=before // 2**20)
        connection.database.drop_collection("filler")
    medians = {name: round(median(blocks), 1) for name, blocks in rates.items()}
    return {
        "cold": {
            "cache_bytes": sizes.cold_cache_mib * 2**20,
            "data_in_cache_before": cached,
            "deliveries_per_second": medians,
            "blocks": rates,
            "pages_read_per_page": pages,
            "same_share": {
                "cache_bytes": share * 2**20,
                "deliveries_per_second": round(median(same_share["buckets"]), 1),
            },
        },
        "ratios": {
            f"buckets_to_{name}_cold": round(medians["buckets"] / rate, 3)
            for name, rate in medians.items()
            if name != "buckets"
        },
    }


def _rates(
    sizes: Sizes, workload: Workload, contenders: list[DeliveryDesign], progress: ProgressListener
) -> dict[str, list[float]]:
    turns, audience_size = list(contenders), len(workload.uids) // 3
    rates: dict[str, list[float]] = {turn.name: [] for turn in turns}
    progress.start_step(
        label="Delivering beyond the cache",
        total=sizes.cold_rounds * len(turns) * sizes.cold_posts,
    )
    for _ in range(sizes.cold_rounds):
        turns.append(turns.pop(0))
        posts = workload.new_activity_ids(sizes.cold_posts)
        audiences = [workload.random.sample(workload.uids, audience_size) for _ in posts]
        for turn in turns:
            _evict()
            seconds = 0.0
            for activity, recipients in zip(posts, audiences, strict=True):
                seconds += time_delivery(design=turn, activity=activity, recipients=recipients)
                progress.step()
            rates[turn.name].append(round(audience_size * len(posts) / seconds, 1))
    return rates


def measure_page_reads(
    sizes: Sizes, workload: Workload, contenders: list[DeliveryDesign], progress: ProgressListener
) -> dict[str, dict[str, float]]:
    recipients = workload.random.sample(workload.uids, min(sizes.cold_pages, len(workload.uids)))
    progress.start_step(
        label="Reading beyond the cache", total=2 * len(contenders) * len(recipients)
    )
    results: dict[str, dict[str, float]] = {}
    for contender in contenders:
        for kind, read in (("first", contender.newest_ids), ("deep", contender.all_ids)):
            _evict()
            began = count_pages_read()
            for recipient in recipients:
                read(owner=recipient)
                progress.step()
            results.setdefault(contender.name, {})[kind] = round(
                (count_pages_read() - began) / len(recipients), 2
            )
    return results


def _make_filler(workload: Workload, *, mib: int) -> None:
    """Write data that cannot be compressed. Reading this data evicts all other data from the cache."""
    number = FILLER_FACTOR * mib * 2**20 // FILLER_BYTES
    insert_batches(
        collection=connection.database["filler"],
        documents=({"bytes": workload.random.randbytes(FILLER_BYTES)} for _ in range(number)),
        batch_size=100,
    )


def _evict() -> None:
    connection.database["filler"].count_documents({"none": 1})


def _memory(design: DeliveryDesign) -> int:
    """Return the bytes of cache that all data of a design needs."""
    return max(cached_bytes(design), disk_usage(design)["raw"])
