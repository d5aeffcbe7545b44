"""Heartbeats of beat, the workers and the streams process, for the checks of the site.

Beat sends ``beat_heartbeat`` every few seconds. Beat's heartbeat is the moment in which it has sent this
job. A worker's heartbeat is the moment in which it begins or ends any job.
"""

import logging
import time
from typing import Any

from celery import shared_task
from celery.signals import after_task_publish, celeryd_init, task_postrun, task_prerun

from accounts.infra.store.heartbeats import record_heartbeat, time_limit

logger = logging.getLogger(__name__)

MIN_INTERVAL_SECONDS = 5.0
"""A worker process records a heartbeat at most this often."""

WRITE_SECONDS = 3.0
_last_recorded_at = 0.0


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


def record_worker(**_: Any) -> None:
    global _last_recorded_at
    if time.monotonic() >= _last_recorded_at + MIN_INTERVAL_SECONDS:
        _last_recorded_at = time.monotonic()
        record_heartbeat_of(name="worker")


def record_heartbeat_of(*, name: str) -> None:
    """Record the heartbeat of this kind of process. A failure is only logged."""
    try:
        with time_limit(WRITE_SECONDS):
            record_heartbeat(name=name)
    except Exception:
        logger.warning("Could not record the heartbeat of %s", name, exc_info=True)
