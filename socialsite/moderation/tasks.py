"""What workers do for moderators, again and again. Each may be done twice."""

from celery import shared_task

from . import services


@shared_task
def look_after_actions() -> None:
    """Finish what stopped halfway, and end what was to end."""
    services.finish_begun()
    services.open_forgotten_cases()
    services.end_expired()


@shared_task
def delete_for_good() -> None:
    """What has been removed so long that it cannot be given back."""
    services.delete_for_good()
