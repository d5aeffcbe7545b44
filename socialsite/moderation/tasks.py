"""What workers do for moderators, again and again. Each may be done twice."""

from celery import shared_task

from socialsite.moderation.services.actions import resume_unfinished_actions, undo_expired_actions
from socialsite.moderation.services.cleanup import delete_removed_content, open_missing_cases


@shared_task
def look_after_actions() -> None:
    """Finish what stopped halfway, and end what was to end."""
    resume_unfinished_actions()
    open_missing_cases()
    undo_expired_actions()


@shared_task
def delete_for_good() -> None:
    """What has been removed so long that it cannot be given back."""
    delete_removed_content()
