"""Enqueue Celery tasks."""

import logging
from typing import Any

from celery import Task

logger = logging.getLogger(__name__)


def enqueue(task: Task[..., None], *, delay_seconds: float | None = None, **kwargs: Any) -> None:
    """Enqueue a task, to start after ``delay_seconds``. If the broker is unreachable, log a warning.

    If an enqueued task is lost, ``feed.tasks.sweep`` later enqueues deliveries, backfills and cleanups
    again.
    """
    options: dict[str, Any] = {} if delay_seconds is None else {"countdown": delay_seconds}
    try:
        task.apply_async(kwargs=kwargs, retry=False, **options)
    except Exception:
        logger.warning("Could not enqueue %s %s", task.name, kwargs, exc_info=True)
