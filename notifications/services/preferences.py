"""Preferences: kinds, filters, mails, pushes and threads."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.utils import timezone

from accounts.infra.ids import new_id
from notifications.kinds import kinds
from notifications.mail import schedule
from notifications.store import preferences, threads, unread_messages
from notifications.store.preferences import KindPreferences, MailPreferences


def save_mail_preferences(
    *,
    recipient: int,
    mode: str,
    mailed_kinds: Collection[str],
    quiet_from: int | None = None,
    quiet_until: int | None = None,
    time_zone: str = "",
) -> None:
    """Save the mail preferences.

    Args:
        mode: ``NEVER``, ``WHEN_AWAY``, ``DAILY`` or ``WEEKLY``.
        mailed_kinds: names of configurable kinds. Each name also covers the kinds that use its preference.

    ``MailPreferences`` describes the other arguments.
    """
    mail = MailPreferences(
        mode=mode,
        enabled=_added_kinds(mailed_kinds),
        disabled=_removed_kinds(mailed_kinds),
        quiet_from=quiet_from,
        quiet_until=quiet_until,
        time_zone=time_zone,
    )
    _save_mail(recipient, mail)


def save_push_preferences(*, recipient: int, pushed_kinds: Collection[str]) -> None:
    """Save the configurable kinds to push. Each kind also covers the kinds that use its preference."""
    preferences.save_push(
        recipient=recipient,
        preferences=KindPreferences(_added_kinds(pushed_kinds), _removed_kinds(pushed_kinds)),
    )


def change_mail_preferences(*, recipient: int, **changes: Any) -> None:
    """Change fields of ``MailPreferences``, such as ``mode=NEVER``. Keep the others."""
    mail = preferences.get_preferences(recipient=recipient).mail
    _save_mail(recipient, replace(mail, **changes))


def _added_kinds(names: Collection[str]) -> frozenset[str]:
    return frozenset(
        kind.name
        for kind in kinds()
        if kind.preference_name in names and not kind.alerts_by_default
    )


def _removed_kinds(names: Collection[str]) -> frozenset[str]:
    return frozenset(
        kind.name
        for kind in kinds()
        if kind.preference_name not in names and kind.alerts_by_default
    )


def _save_mail(recipient: int, mail: MailPreferences) -> None:
    now = timezone.now()
    preferences.save_mail(
        recipient=recipient,
        preferences=mail,
        next_digest=schedule.next_digest(choice=mail, after=now),
        mailed_upto=new_id(),
        at=now,
    )


def follow_thread(*, uid: int, post_id: int) -> None:
    """Let a user follow a thread, to be notified about each new comment on the post.

    The caller must check that the post is visible to the user.
    """
    threads.unmute_thread(post=post_id, uid=uid)
    threads.follow_thread(post=post_id, uid=uid)


def mute_thread(*, uid: int, post_id: int) -> None:
    """Stop all notifications about a post. Its conversation does not become unread any more."""
    threads.unfollow_thread(post=post_id, uid=uid)
    threads.mute_thread(post=post_id, uid=uid)
    unread_messages.mark_read(recipient=uid, post_id=post_id)
