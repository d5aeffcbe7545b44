"""Retries of failed deliveries.

After a transient error, the same worker repeats the delivery within seconds. Other errors are recorded in
the post. The delivery is then retried at growing intervals and finally marked as failed.
"""

import logging
import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from .store import deliveries
from .store.transient_errors import is_transient

MAX_ATTEMPTS = 8
"""Number of attempts after which a delivery fails."""


logger = logging.getLogger(__name__)

MAX_RETRY_DELAY = timedelta(hours=1)


def run_with_retries(
    deliver: Callable[[], None], *, post_id: int, attempt: int | None, max_wait_seconds: float
) -> None:
    """Call ``deliver``, again after transient errors for up to ``max_wait_seconds``, and raise its error.

    Errors that are not transient are recorded in the post.

    ``attempt`` is the number of failed attempts at the time when the task was enqueued, so that parts which
    fail together count as one attempt. None means the number that is stored in the post.
    """
    deadline = time.monotonic() + max_wait_seconds
    while True:
        try:
            deliver()
        except Exception as error:
            if not is_transient(error=error):
                _record_failure(error, post_id, attempt)
                raise
            if time.monotonic() >= deadline:
                raise
        else:
            return
        time.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - not a secret


def _record_failure(error: Exception, post_id: int, attempt: int | None) -> None:
    try:
        if attempt is None:
            delivery = deliveries.get_pending(post=post_id)
            attempt = 0 if delivery is None else delivery.attempts
        deliveries.record_failure(
            post=post_id,
            attempt=attempt,
            error=f"{type(error).__name__}: {error}",
            due_at=_next_attempt_at(attempt),
            is_final=attempt + 1 >= MAX_ATTEMPTS,
        )
    except Exception:
        logger.warning("Could not record the failed delivery of post %s", post_id, exc_info=True)


def _next_attempt_at(attempt: int) -> datetime:
    max_delay = min(
        timedelta(seconds=2 ** min(attempt, 20) * settings.FEED_STALLED_SECONDS), MAX_RETRY_DELAY
    )
    # Deliveries that failed together should not be retried at the same moment.
    return timezone.now() + max_delay * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
