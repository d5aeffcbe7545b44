"""What somebody wants to hear of."""

from collections.abc import Collection
from dataclasses import replace

from django.utils import timezone

from accounts.infra.ids import new_id
from notifications.kinds import kinds
from notifications.mail import schedule
from notifications.store import preferences, threads
from notifications.store.preferences import NEVER, KindPreferences, MailPreferences


def save_preferences(
    *, recipient: int, disabled_kinds: Collection[str], filters: Collection[str]
) -> None:
    """``off``: kinds of which they are not told; ``filters``: of whom things are held (``telling``)."""
    preferences.save_kinds(
        recipient=recipient, disabled_kinds=list(disabled_kinds), filters=list(filters)
    )


def save_mail_preferences(
    *,
    recipient: int,
    mode: str,
    mailed_kinds: Collection[str],
    quiet_from: int | None = None,
    quiet_until: int | None = None,
    time_zone: str = "",
) -> None:
    """``mode``: one of ``store.choices``; ``mailed``: the kinds that come by mail, each with those that are
    chosen with it; the others as in ``MailChoice``."""
    choice = MailPreferences(
        mode=mode,
        enabled=_on(mailed_kinds),
        disabled=_off(mailed_kinds),
        quiet_from=quiet_from,
        quiet_until=quiet_until,
        time_zone=time_zone,
    )
    _put(recipient, choice)


def save_push_preferences(*, recipient: int, pushed_kinds: Collection[str]) -> None:
    """``pushed``: the kinds that come to their devices, each as above."""
    preferences.save_push(
        recipient=recipient, preferences=KindPreferences(_on(pushed_kinds), _off(pushed_kinds))
    )


def turn_off_mails(*, recipient: int) -> None:
    """None from now on; what else they chose is there when they want mails again."""
    _put(recipient, replace(preferences.get_preferences(recipient=recipient).mail, mode=NEVER))


def _on(wanted: Collection[str]) -> frozenset[str]:
    return frozenset(
        one.name for one in kinds() if one.preference_name in wanted and not one.alerts_by_default
    )


def _off(wanted: Collection[str]) -> frozenset[str]:
    return frozenset(
        one.name for one in kinds() if one.preference_name not in wanted and one.alerts_by_default
    )


def _put(reader: int, choice: MailPreferences) -> None:
    now = timezone.now()
    preferences.save_mail(
        recipient=reader,
        preferences=choice,
        next_digest=schedule.next_digest(choice=choice, after=now),
        mailed_upto=new_id(),
        at=now,
    )


def follow_thread(*, uid: int, post_id: int) -> None:
    """Hear of all that is said to a post. Whether they may read it, whoever calls has asked."""
    threads.unmute_thread(post=post_id, uid=uid)
    threads.follow_thread(post=post_id, uid=uid)


def unfollow_thread(*, uid: int, post_id: int) -> None:
    threads.unfollow_thread(post=post_id, uid=uid)


def mute_thread(*, uid: int, post_id: int) -> None:
    """Hear nothing more about a post, whoever says it."""
    threads.unfollow_thread(post=post_id, uid=uid)
    threads.mute_thread(post=post_id, uid=uid)


def unmute_thread(*, uid: int, post_id: int) -> None:
    threads.unmute_thread(post=post_id, uid=uid)
