"""Receivers for changes to users and their log-in data."""

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

from accounts.oauth.models import AccessToken
from accounts.selectors import access_tokens
from accounts.services.apps import revoke_all_apps
from accounts.services.sessions import end_sessions

from . import store, tasks, user_cards
from .infra.client_address import client_address
from .infra.transactions import on_commit
from .models import User
from .signals import unlocked
from .store import users


@receiver(post_save, sender=User)
@receiver(post_delete, sender=User)
def refresh_user_card(
    instance: User, update_fields: Collection[str] | None = None, **_: Any
) -> None:
    if update_fields is None or not set(users.CARD_FIELDS).isdisjoint(update_fields):
        uid = instance.pk
        on_commit(lambda: user_cards.refresh_card(uid=uid))


@receiver(post_save, sender=User)
@receiver(post_delete, sender=User)
@receiver(post_save, sender=AccessToken)
@receiver(post_delete, sender=AccessToken)
def clear_cached_tokens(**_: Any) -> None:
    on_commit(access_tokens.clear_cache)


@receiver(unlocked)
def accept_pending_requests(uid: int, **_: Any) -> None:
    tasks.accept_pending_requests.delay(uid=uid)


@receiver(bind_extra_request_metadata)
def log_client_address(request: HttpRequest, **_: Any) -> None:
    # django-structlog reads the address from headers that clients can forge. Log the verified address
    # instead.
    structlog.contextvars.bind_contextvars(ip=str(client_address(request)))


@receiver(password_changed)
@receiver(password_set)
@receiver(password_reset)
def end_other_sessions(request: HttpRequest, user: User, **_: Any) -> None:
    # Django already rejects the other sessions. Ending them also closes the streams of open pages and
    # removes the sessions from the list of devices.
    is_own_request = request.user.is_authenticated and request.user.pk == user.pk
    key = request.session.session_key if is_own_request else None
    end_sessions(uid=user.pk, except_key=key or "")


@receiver(email_added)
def notify_email_added(user: User, email_address: EmailAddress, **_: Any) -> None:
    # allauth sends mails about all other changes, but not about a new address.
    get_adapter().send_notification_mail(
        "account/email/email_added", user, {"added_email": email_address.email}
    )


@receiver(password_reset)
def revoke_apps_after_password_reset(user: User, **_: Any) -> None:
    # A person who knew the old password may have authorized an app.
    revoke_all_apps(uid=user.pk)


def create_indexes(**_: Any) -> None:
    """Create the indexes of the stores after every migration."""
    store.create_indexes()
