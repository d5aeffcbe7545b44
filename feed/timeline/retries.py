"""What becomes of a delivery's errors: waited out, or noted in the post, which is then tried less and less
often, and given up in the end.
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

logger = logging.getLogger(__name__)

MAX_RETRY_DELAY = timedelta(hours=1)


def run_with_retries(
    deliver: Callable[[], None], *, post_id: int, attempt: int | None, max_wait_seconds: float
) -> None:
    """Deliver. An error that lasts is noted in the post and raised.

    One that passes by itself is waited out for ``patience`` seconds and then raised; it is not counted,
    for the post is due soon in any case. ``number``: how often the delivery had failed when this was
    asked for, so that parts which fail together count once; None for the number that is in the post.
    """
    end = time.monotonic() + max_wait_seconds
    while True:
        try:
            deliver()
        except Exception as error:
            if not is_transient(error=error):
                _note(error, post_id, attempt)
                raise
            if time.monotonic() >= end:
                raise
        else:
            return
        time.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - not a secret


def _note(error: Exception, post_id: int, number: int | None) -> None:
    try:
        if number is None:
            delivery = deliveries.get_pending(post=post_id)
            number = 0 if delivery is None else delivery.attempts
        deliveries.record_failure(
            post=post_id,
            attempt=number,
            error=f"{type(error).__name__}: {error}",
            due_at=_next_attempt_at(number),
            is_final=number + 1 >= settings.FEED_DELIVERY_ATTEMPTS,
        )
    except Exception:
        logger.warning("The failure of post %s could not be noted", post_id, exc_info=True)


def _next_attempt_at(number: int) -> datetime:
    longest = min(
        timedelta(seconds=2 ** min(number, 20) * settings.FEED_STALLED_AFTER), MAX_RETRY_DELAY
    )
    # What failed together, for one reason, shall not come back together.
    return timezone.now() + longest * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
