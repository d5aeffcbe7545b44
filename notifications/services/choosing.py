"""What somebody wants to hear of."""

from collections.abc import Collection
from dataclasses import replace

from django.utils import timezone

from accounts.ids import new_id
from notifications.kinds import kinds
from notifications.mailing import schedule
from notifications.store import choices, threads
from notifications.store.choices import OFF, KindChoice, MailChoice


def choose(*, reader: int, off: Collection[str], filters: Collection[str]) -> None:
    """``off``: kinds of which they are not told; ``filters``: of whom things are held (``telling``)."""
    choices.put(reader=reader, off=list(off), filters=list(filters))


def choose_mail(
    *,
    reader: int,
    mode: str,
    mailed: Collection[str],
    quiet_from: int | None = None,
    quiet_until: int | None = None,
    zone: str = "",
) -> None:
    """``mode``: one of ``store.choices``; ``mailed``: the kinds that come by mail, each with those that are
    chosen with it; the others as in ``MailChoice``."""
    choice = MailChoice(
        mode=mode,
        on=_on(mailed),
        off=_off(mailed),
        quiet_from=quiet_from,
        quiet_until=quiet_until,
        zone=zone,
    )
    _put(reader, choice)


def choose_push(*, reader: int, pushed: Collection[str]) -> None:
    """``pushed``: the kinds that come to their devices, each as above."""
    choices.put_push(reader=reader, choice=KindChoice(_on(pushed), _off(pushed)))


def stop_mails(*, reader: int) -> None:
    """None from now on; what else they chose is there when they want mails again."""
    _put(reader, replace(choices.get(reader=reader).mail, mode=OFF))


def _on(wanted: Collection[str]) -> frozenset[str]:
    return frozenset(one.name for one in kinds() if one.choice in wanted and not one.by_mail)


def _off(wanted: Collection[str]) -> frozenset[str]:
    return frozenset(one.name for one in kinds() if one.choice not in wanted and one.by_mail)


def _put(reader: int, choice: MailChoice) -> None:
    now = timezone.now()
    choices.put_mail(
        reader=reader,
        choice=choice,
        next_digest=schedule.next_digest(choice=choice, after=now),
        newest=new_id(),
        at=now,
    )


def follow_thread(*, reader: int, post_id: int) -> None:
    """Hear of all that is said to a post. Whether they may read it, whoever calls has asked."""
    threads.unmute(post=post_id, uid=reader)
    threads.follow(post=post_id, uid=reader)


def unfollow_thread(*, reader: int, post_id: int) -> None:
    threads.unfollow(post=post_id, uid=reader)


def mute_thread(*, reader: int, post_id: int) -> None:
    """Hear nothing more about a post, whoever says it."""
    threads.unfollow(post=post_id, uid=reader)
    threads.mute(post=post_id, uid=reader)


def unmute_thread(*, reader: int, post_id: int) -> None:
    threads.unmute(post=post_id, uid=reader)
