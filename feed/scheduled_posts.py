"""Celery tasks that publish scheduled posts. They are above the services, because they call them.

At the start of each minute, ``publish_due_posts`` enqueues a task for each post that is due within this
minute, to start at its due time. Each task may be late, run twice and stop anywhere: the database publishes
a post exactly once (``services.drafts.publish_draft``), and a later run repeats what stopped.
"""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from feed.services import drafts as services
from feed.store import drafts
from feed.task_queue import enqueue

BATCH_SIZE = 500
LOOK_AHEAD = timedelta(minutes=1)
RETRY_AFTER = timedelta(minutes=2)
"""A scheduled post whose task stopped is enqueued again after this time."""


@shared_task
def publish_due_posts() -> None:
    """Enqueue a task for each scheduled post that is due within ``LOOK_AHEAD``."""
    now = timezone.now()
    until = now + LOOK_AHEAD
    while draft_ids := drafts.checkable_ids(until=until, limit=BATCH_SIZE):
        for draft_id in draft_ids:
            # The next run does not enqueue the post again while its task waits.
            due_at = drafts.claim(id=draft_id, until=until, next_check_at=until + RETRY_AFTER)
            if due_at is None:
                continue
            wait = (due_at - timezone.now()).total_seconds()
            enqueue(publish_due_post, delay_seconds=wait if wait > 0 else None, draft_id=draft_id)


@shared_task
def publish_due_post(*, draft_id: int) -> None:
    services.publish_due_post(draft_id=draft_id)
