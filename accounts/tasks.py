"""Background tasks. Each task is safe to repeat and to interrupt."""

import logging
from functools import partial

from celery import Task, shared_task
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.infra.web_pages.fetch_threads import start_fetch
from accounts.services import apps, follow_requests, profile_links
from accounts.services.erasure import erase_user, users_to_erase
from accounts.store.follow_requests import unlocked_users

logger = logging.getLogger(__name__)


@shared_task
def delete_unused_apps() -> None:
    """Delete apps without users. Many programs register an app for every installation, used or not."""
    apps.delete_unused_apps()


@shared_task
def erase_due_users() -> None:
    """Erase all users whose grace period is over. If an erasure fails, the next daily run retries it."""
    for uid in users_to_erase():
        try:
            erase_user(uid=uid)
        except Exception:
            logger.exception("User %s could not be erased", uid)
    # Expired sessions still contain the user's uid, so delete them as well.
    Session.objects.filter(expire_date__lt=timezone.now()).delete()


@shared_task
def verify_due_links() -> None:
    """Enqueue a task for each user whose profile links are due. A lost task is enqueued again later."""
    if settings.FETCH_LINKS:
        for uid in profile_links.claim_due_users():
            verify_links.delay(uid=uid)


@shared_task(bind=True)
def verify_links(self: Task[..., None], *, uid: int) -> None:
    """Check whether the pages that a user's profile links to link back. A worker does it in a thread."""
    verify = partial(profile_links.verify_links, uid=uid)
    if self.request.called_directly:
        verify()
    else:
        start_fetch(verify)


@shared_task
def accept_pending_requests(*, uid: int) -> None:
    """Accept the follow requests to a user who no longer approves followers, a hundred per task."""
    if follow_requests.accept_pending_requests(followee=uid):
        accept_pending_requests.delay(uid=uid)


@shared_task
def resume_unlocked_users() -> None:
    """Enqueue ``accept_pending_requests`` again where the broker lost it."""
    for uid in unlocked_users():
        accept_pending_requests.delay(uid=uid)
