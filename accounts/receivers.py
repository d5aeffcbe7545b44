"""What follows from a change of a person, whoever made it."""

from collections.abc import Collection
from typing import Any

import structlog
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.signals import email_added, password_changed, password_reset, password_set
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.http import HttpRequest
from django_structlog.signals import bind_extra_request_metadata

from . import services, store, user_cards
from .client_address import client_address
from .models import User
from .transactions import on_commit


@receiver(post_save, sender=User)
@receiver(post_delete, sender=User)
def refresh_card_of_changed_person(
    instance: User, update_fields: Collection[str] | None = None, **_: Any
) -> None:
    if update_fields is None or not set(user_cards.FIELDS).isdisjoint(update_fields):
        uid = instance.pk
        on_commit(lambda: user_cards.refresh(uid=uid))


@receiver(bind_extra_request_metadata)
def log_address_of_client(request: HttpRequest, **_: Any) -> None:
    # django-structlog would believe what clients claim.
    structlog.contextvars.bind_contextvars(ip=str(client_address(request)))


@receiver(password_changed)
@receiver(password_set)
@receiver(password_reset)
def log_out_elsewhere_after_new_password(request: HttpRequest, user: User, **_: Any) -> None:
    # Django does not accept them any more; ended they are closed too, where a page is open, and listed
    # no more.
    is_here = request.user.is_authenticated and request.user.pk == user.pk
    key = request.session.session_key if is_here else None
    services.end_sessions(uid=user.pk, but=key or "")


@receiver(email_added)
def mail_about_added_address(user: User, email_address: EmailAddress, **_: Any) -> None:
    # allauth mails about the other changes itself.
    get_adapter().send_notification_mail(
        "account/email/email_added", user, {"added_email": email_address.email}
    )


@receiver(password_reset)
def end_apps_after_reset(user: User, **_: Any) -> None:
    # Whoever has lost their password may have lost it to somebody, who has let an app in since.
    services.revoke_all_apps(uid=user.pk)


def prepare_collections(**_: Any) -> None:
    """After every migrate, so that a database that has its tables has its collections too."""
    store.prepare()
