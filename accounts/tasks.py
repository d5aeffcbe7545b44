"""Work for workers, which the clock asks for; it may be done twice, and stop anywhere."""

import logging

from celery import shared_task
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.services import apps
from accounts.services.erasure import erase_user, users_to_erase

logger = logging.getLogger(__name__)


@shared_task
def delete_unused_apps() -> None:
    """Programs make an app known each time they are set up, and often that is all they do."""
    apps.delete_unused_apps()


@shared_task
def erase_due() -> None:
    """Erase everybody whose time has come. Who cannot be erased now is tried again the next day."""
    for uid in users_to_erase():
        try:
            erase_user(uid=uid)
        except Exception:
            logger.exception("Person %s could not be erased", uid)
    # Log-ins that ran out say whose they were.
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
