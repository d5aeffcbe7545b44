"""Tell moderators what new accounts say that looks like spam. Nothing is refused or hidden for it."""

import logging

from django.conf import settings
from django.utils import timezone

from feed import signals
from feed.selectors import fingerprint, is_new_account, suspicious_in
from feed.store import said

logger = logging.getLogger(__name__)

REPEATED, COPIED = "repeated", "copied"
"""The same person says the same again and again; several new accounts say the same."""


def suspect_post(*, post: int, author: int, text: str, before: str = "") -> None:
    """To be called once a post is out, or has other words than ``before``. Costs nothing unless the account
    is new, and then one command."""
    if reasons := _reasons(author, text, before):
        signals.post_suspected.send_robust(sender=None, post=post, author=author, reasons=reasons)


def suspect_comment(*, comment: int, post: int, author: int, text: str, before: str = "") -> None:
    """As ``suspect_post``."""
    if reasons := _reasons(author, text, before):
        signals.comment_suspected.send_robust(
            sender=None, comment=comment, post=post, author=author, reasons=reasons
        )


def forget_sayings(*, uid: int) -> None:
    """Of this person it is not known any more what they have said, as when they are erased."""
    said.forget(uid=uid)


def _reasons(author: int, text: str, before: str) -> list[str]:
    """None also where that cannot be told at the moment: the words themselves are out."""
    if not is_new_account(uid=author):
        return []
    try:
        return [*suspicious_in(text=text, before=before), *_said_before(author, text, before)]
    except Exception:
        logger.exception("What %s has said was not looked at", author)
        return []


def _said_before(author: int, text: str, before: str) -> list[str]:
    mark = fingerprint(text=text)
    if not mark or mark == fingerprint(text=before):  # who mends a slip says nothing again
        return []
    by = said.note(fingerprint=mark, uid=author, at=timezone.now())
    has_been = {
        REPEATED: by.count(author) >= settings.FEED_SUSPICIOUS_REPEATS,
        COPIED: len(set(by)) >= settings.FEED_SUSPICIOUS_REPEATS,
    }
    return [reason for reason, is_so in has_been.items() if is_so]
