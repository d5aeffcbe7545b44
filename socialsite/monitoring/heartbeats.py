"""Heartbeats of beat, the workers and the streams process, for the checks of the site.

Beat sends ``beat_heartbeat`` to each queue every few seconds. Beat's heartbeat is the moment in which it
has sent this job. A worker's heartbeat is the moment in which it begins or ends any job. Workers of slow
jobs have a heartbeat of their own.
"""

import logging
import time
from typing import Any

from celery import shared_task
from celery.signals import after_task_publish, celeryd_init, task_postrun, task_prerun
from django.conf import settings

from socialsite.monitoring.store import record_heartbeat, time_limit

logger = logging.getLogger(__name__)

MIN_INTERVAL_SECONDS = 5.0
"""A worker process records a heartbeat at most this often."""

WRITE_SECONDS = 3.0
WORKER, SLOW_WORKER = "worker", "slow_worker"
_recorded_at: dict[str, float] = {}
"""When this process last recorded each kind of heartbeat."""


@shared_task
def beat_heartbeat() -> None:
    """Do nothing: sending this job is the heartbeat of beat, and running it that of a worker."""


@after_task_publish.connect(sender=f"{__name__}.beat_heartbeat")
def record_beat(**_: Any) -> None:
    """Record the heartbeat of beat, the only process that sends this job."""
    record_heartbeat_of(name="beat")


@celeryd_init.connect
def watch_jobs(**_: Any) -> None:
    """Record heartbeats in processes of workers. No other process records what tasks it runs."""
    task_prerun.connect(record_worker)
    task_postrun.connect(record_worker)


def record_worker(*, task: Any, **_: Any) -> None:
    """Record the heartbeat of the kind of worker that runs this task."""
    queue = (task.request.delivery_info or {}).get("routing_key")
    name = SLOW_WORKER if queue == settings.SLOW_QUEUE else WORKER
    if time.monotonic() >= _recorded_at.get(name, float("-inf")) + MIN_INTERVAL_SECONDS:
        _recorded_at[name] = time.monotonic()
        record_heartbeat_of(name=name)


def record_heartbeat_of(*, name: str) -> None:
    """Record the heartbeat of this kind of process. A failure is only logged."""
    try:
        with time_limit(WRITE_SECONDS):
            record_heartbeat(name=name)
    except Exception:
        logger.warning("Could not record the heartbeat of %s", name, exc_info=True)
