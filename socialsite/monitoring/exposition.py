"""The text of ``/metrics``: the counts of all processes of this machine, and the state of the whole site.

Prometheus reads the state from the database. So if several machines are scraped, each reports the same
state, and queries use ``max`` instead of ``sum`` for it.
"""

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from django.utils import timezone
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from feed.timeline.progress import delivery_backlog
from notifications.store import mail_queue
from socialsite.celery import queue_names, queued_tasks
from socialsite.monitoring.store import heartbeat_ages, time_limit

from .readiness import current_readiness

logger = logging.getLogger(__name__)

STATE_SECONDS = 3.0


def metrics_text() -> bytes:
    """Return all metrics in the text format of Prometheus. Takes a few seconds if the database hangs."""
    registry = CollectorRegistry()
    folder = multiprocess_folder()
    if folder is None:
        counts = generate_latest(REGISTRY)
    else:
        forget_ended_processes(folder=folder)
        MultiProcessCollector(registry, path=str(folder))  # type: ignore[no-untyped-call]
        counts = b""
    registry.register(_SiteState())
    return counts + generate_latest(registry)


def multiprocess_folder() -> Path | None:
    """Return the folder in which the processes of this machine share their counts, if there is one."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    return Path(folder) if folder else None


def forget_ended_processes(*, folder: Path) -> None:
    """Delete the gauges of processes that have ended, such as the open streams of a killed process."""
    for file in folder.glob("gauge_live*_*.db"):
        pid = file.stem.rpartition("_")[2]
        if not Path("/proc", pid).exists():
            with suppress(FileNotFoundError):  # another process deletes it, too
                mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]


class _SiteState(Collector):
    def collect(self) -> Iterator[Metric]:
        yield _gauge(
            "socialsite_check_passed",
            "Whether a check of /health/ready passes.",
            "check",
            {name: float(problem is None) for name, problem in current_readiness().items()},
        )
        with time_limit(STATE_SECONDS):
            for read in (_heartbeats, _deliveries, _mails, _tasks):
                try:
                    yield from read()
                except Exception:
                    logger.warning("Some metrics could not be read", exc_info=True)


def _heartbeats() -> Iterable[Metric]:
    ages = {name: age for name, age in heartbeat_ages().items() if " " not in name}
    yield _gauge(
        "socialsite_heartbeat_age_seconds",
        "Seconds since a kind of process was last seen.",
        "process",
        ages,
    )


def _deliveries() -> Iterable[Metric]:
    pending_count, oldest_age, failed_count = delivery_backlog()
    yield GaugeMetricFamily(
        "socialsite_pending_deliveries",
        "Posts that are not yet delivered to all followers.",
        pending_count,
    )
    yield GaugeMetricFamily(
        "socialsite_oldest_delivery_age_seconds",
        "Age of the oldest of these posts.",
        oldest_age,
    )
    yield GaugeMetricFamily(
        "socialsite_failed_deliveries", "Posts whose delivery was given up.", failed_count
    )


def _mails() -> Iterable[Metric]:
    count = mail_queue.due_count(at=timezone.now())
    yield GaugeMetricFamily(
        "socialsite_waiting_mails", "Mails about notifications that are due.", count
    )


def _tasks() -> Iterable[Metric]:
    yield _gauge(
        "socialsite_waiting_tasks",
        "Background jobs that wait in a queue of the broker, pushes included.",
        "queue",
        {queue: float(queued_tasks(queue)) for queue in queue_names()},
    )


def _gauge(name: str, text: str, label: str, values: dict[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value_label, value in values.items():
        family.add_metric([value_label], value)
    return family
