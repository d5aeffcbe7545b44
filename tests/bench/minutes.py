"""Stage ``minutes``: a stream of small events, stored in six designs (``minute_designs``).

The workload imitates a day. The popularity of subjects follows Zipf's law with exponent 1, and events occur
at equal intervals. Events are written in batches. Each design combines the events of a batch if possible.
"""

import random
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from statistics import median
from time import perf_counter
from typing import Any

from .disk import disk_usage, force_checkpoint
from .minute_designs import DAY_SECONDS, HOUR_SECONDS, CounterDesign, counter_designs
from .progress import ProgressListener
from .sizes import Sizes

Figures = dict[str, Any]
Event = tuple[int, int]
"""Subject and second of the day."""

BATCH_SIZE = 1000
"""Events of one write."""

BUSIEST_SUBJECTS = 20
"""Number of subjects that are read. The designs differ most for busy subjects."""

REPEATS_PER_COMMAND = 100
"""Number of updates per command in ``_compare_seconds``, so that the round trip hardly matters."""

PROBE_SUBJECT = 0
"""The subject of the writes in ``_compare_seconds``. The other subjects start at 1."""


class WrongResult(AssertionError):
    """A design returned wrong counts, so its figures are invalid."""


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``minutes``, with the figures of each design in ``minutes.designs.<design>``.

    ``bytes`` is the disk space per event, the sum of ``data`` and ``index``. Times are medians of single
    calls. ``*_documents`` is the number of examined documents. Needs ``throwaway_database``.
    """
    events = list(_events(sizes.minute_subjects, sizes.minute_events))
    figures: Figures = {}
    for name, design in counter_designs().items():
        progress.start_step(label=f"Minutes: {name}", total=len(events) + 2 * sizes.minute_reads)
        design.prepare()
        figures[name] = _write(design, events, progress) | _read(design, events, sizes, progress)
        figures[name] |= _compare_seconds(design, sizes.minute_reads)
    return {
        "minutes": {
            "subjects": sizes.minute_subjects,
            "events": len(events),
            "batch": BATCH_SIZE,
            "designs": figures,
        }
    }


def _events(subjects: int, number: int) -> Iterator[Event]:
    chance = random.Random(7)
    weights = list(accumulate(1 / rank for rank in range(1, subjects + 1)))
    for place in range(number):
        subject = bisect(weights, chance.random() * weights[-1]) + 1
        yield min(subject, subjects), place * DAY_SECONDS // number


def _write(design: CounterDesign, events: list[Event], progress: ProgressListener) -> Figures:
    seconds = 0.0
    for start in range(0, len(events), BATCH_SIZE):
        batch = Counter(events[start : start + BATCH_SIZE])
        began = perf_counter()
        design.write(counts=batch)
        seconds += perf_counter() - began
        progress.step(number=min(BATCH_SIZE, len(events) - start))
    force_checkpoint()
    disk = disk_usage(design)
    return {
        "events_per_second": round(len(events) / seconds),
        "bytes": (disk["data"] + disk["index"]) / len(events),
        "data": disk["data"] / len(events),
        "index": disk["index"] / len(events),
    }


def _read(
    design: CounterDesign, events: list[Event], sizes: Sizes, progress: ProgressListener
) -> Figures:
    minutes, hours = _oracle(events)
    chance = random.Random(8)
    hour_times, day_times = [], []
    hour_documents, day_documents = [], []
    for _ in range(sizes.minute_reads):
        subject = chance.randint(1, BUSIEST_SUBJECTS)
        hour = chance.randrange(24)
        milliseconds, counts = _timed(partial(design.minutes_of_hour, subject=subject, hour=hour))
        _check_counts(counts, [minutes[subject, hour * 60 + minute] for minute in range(60)])
        hour_times.append(milliseconds)
        milliseconds, counts = _timed(partial(design.hours_of_day, subject=subject))
        _check_counts(counts, [hours[subject, hour] for hour in range(24)])
        day_times.append(milliseconds)
        hour_documents.append(
            design.count_examined(subject=subject, start=hour * HOUR_SECONDS, seconds=HOUR_SECONDS)
        )
        day_documents.append(design.count_examined(subject=subject, start=0, seconds=DAY_SECONDS))
        progress.step(number=2)
    return {
        "hour_ms": round(median(hour_times), 3),
        "hour_documents": median(hour_documents),
        "day_ms": round(median(day_times), 3),
        "day_documents": median(day_documents),
    }


def _oracle(events: list[Event]) -> tuple[Counter[Event], Counter[Event]]:
    """Count the events of each subject by minute of the day and by hour of the day."""
    minutes = Counter((subject, second // 60) for subject, second in events)
    hours = Counter((subject, second // HOUR_SECONDS) for subject, second in events)
    return minutes, hours


def _compare_seconds(design: CounterDesign, samples: int) -> Figures:
    """Return the times of writes to the first and to the last second of an hour.

    Every second of the hour has a count. A write to the last second therefore skips the counts of all
    earlier seconds.
    """
    for start in range(0, HOUR_SECONDS, BATCH_SIZE):
        until = min(start + BATCH_SIZE, HOUR_SECONDS)
        design.write(counts=Counter((PROBE_SUBJECT, second) for second in range(start, until)))
    times: dict[int, list[float]] = {0: [], HOUR_SECONDS - 1: []}
    for _ in range(max(3, samples // 4)):
        for second, measured in times.items():
            milliseconds, _ = _timed(
                partial(
                    design.repeat_write,
                    subject=PROBE_SUBJECT,
                    second=second,
                    times=REPEATS_PER_COMMAND,
                )
            )
            measured.append(milliseconds / REPEATS_PER_COMMAND)
    first, last = (round(median(measured), 4) for measured in times.values())
    return {"first_second_ms": first, "last_second_ms": last}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of a call and its result."""
    began = perf_counter()
    result = work()
    return (perf_counter() - began) * 1000, result


def _check_counts(counts: list[int], expected: list[int]) -> None:
    if counts != expected:
        raise WrongResult(f"Read {counts}, wrote {expected}.")
