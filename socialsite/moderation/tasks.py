"""Periodic moderation jobs. All are safe to run twice."""

from celery import shared_task

from socialsite.moderation.services.actions import (
    log_errors,
    resume_unfinished_actions,
    undo_expired_actions,
)
from socialsite.moderation.services.cleanup import delete_removed_content, open_missing_cases


@shared_task
def resume_and_expire_actions() -> None:
    """Finish interrupted actions, open missing cases, and undo expired actions.

    A failure does not stop the other steps. The next run retries it.
    """
    for step in (resume_unfinished_actions, open_missing_cases, undo_expired_actions):
        with log_errors("The step %s failed", step.__name__):
            step()


@shared_task
def purge_removed_content() -> None:
    """Delete removed content whose undo period is over."""
    delete_removed_content()
