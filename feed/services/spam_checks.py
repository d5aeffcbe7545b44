"""What in the words of a new account looks like spam, as far as the words alone tell.

An account is new for ``settings.FEED_NEW_ACCOUNT_DAYS`` days. Its id tells when it was made, so that
nothing has to be asked. Who has said the same before: ``services.suspecting``.
"""

import hashlib
import logging
from datetime import timedelta
from unicodedata import normalize

from django.conf import settings
from django.utils import timezone

from accounts.infra.ids import time_of
from feed import signals
from feed.store import text_fingerprints
from feed.text.spans import spans_in
from feed.text.urls import host_of

LINKS, MENTIONS = "links", "mentions"

MIN_LETTERS = 15
"""Letters, besides links: what is shorter, everybody says ("Good morning!")."""


def is_new_account(*, uid: int) -> bool:
    return timezone.now() - time_of(id=uid) < timedelta(days=settings.FEED_NEW_ACCOUNT_DAYS)


def spam_reasons(*, text: str, previous_text: str = "") -> list[str]:
    """LINKS if it has many different ones, MENTIONS if it has; only if some of them were not there
    ``before``, in the words that these replace: those have been looked at."""
    links, mentions = _pointing(text)
    old_links, old_mentions = _pointing(previous_text)
    has_many = {
        LINKS: links - old_links and len(links) >= settings.FEED_SUSPICIOUS_LINKS,
        MENTIONS: mentions - old_mentions and len(mentions) >= settings.FEED_SUSPICIOUS_MENTIONS,
    }
    return [reason for reason, is_so in has_many.items() if is_so]


def _pointing(text: str) -> tuple[set[str], set[str]]:
    """The links and the mentions, each once."""
    found = spans_in(text)
    links = {one.value for one in found if one.kind == "url"}
    return links, {one.value.lower() for one in found if one.kind == "mention"}


def text_fingerprint(*, text: str) -> str:
    """The same for texts that differ only in case, signs, digits, whom they mention, and where on a host
    they link to; "" for what is too short to tell. Nobody can read the text from it."""
    words, hosts, end = [], [], 0
    for one in spans_in(text):
        if one.kind == "hashtag":
            continue
        words.append(text[end : one.start])
        end = one.end
        if one.kind == "url":
            hosts.append(host_of(one.value))
    plain = normalize("NFKC", " ".join([*words, text[end:]])).casefold()
    letters = "".join(sign for sign in plain if sign.isalpha())
    if len(letters) < MIN_LETTERS:
        return ""
    return hashlib.sha256("\n".join([letters, *sorted(hosts)]).encode()).hexdigest()[:32]


# MERGED FROM feed.services.spam_checks: Tell moderators what new accounts say that looks like spam. Nothing is refused or hidden for it.
logger = logging.getLogger(__name__)

REPEATED, COPIED = "repeated", "copied"
"""The same person says the same again and again; several new accounts say the same."""


def check_post_for_spam(*, post_id: int, author: int, text: str, previous_text: str = "") -> None:
    """To be called once a post is out, or has other words than ``before``. Costs nothing unless the account
    is new, and then one command."""
    if reasons := _reasons(author, text, previous_text):
        signals.post_suspected.send_robust(
            sender=None, post=post_id, author=author, reasons=reasons
        )


def check_comment_for_spam(
    *, comment: int, post: int, author: int, text: str, previous_text: str = ""
) -> None:
    """As ``suspect_post``."""
    if reasons := _reasons(author, text, previous_text):
        signals.comment_suspected.send_robust(
            sender=None, comment=comment, post=post, author=author, reasons=reasons
        )


def delete_fingerprints(*, uid: int) -> None:
    """Of this person it is not known any more what they have said, as when they are erased."""
    text_fingerprints.remove_user(uid=uid)


def _reasons(author: int, text: str, before: str) -> list[str]:
    """None also where that cannot be told at the moment: the words themselves are out."""
    if not is_new_account(uid=author):
        return []
    try:
        return [*spam_reasons(text=text, previous_text=before), *_said_before(author, text, before)]
    except Exception:
        logger.exception("What %s has said was not looked at", author)
        return []


def _said_before(author: int, text: str, before: str) -> list[str]:
    mark = text_fingerprint(text=text)
    if not mark or mark == text_fingerprint(text=before):  # who mends a slip says nothing again
        return []
    by = text_fingerprints.record_fingerprint(fingerprint=mark, uid=author, at=timezone.now())
    has_been = {
        REPEATED: by.count(author) >= settings.FEED_SUSPICIOUS_REPEATS,
        COPIED: len(set(by)) >= settings.FEED_SUSPICIOUS_REPEATS,
    }
    return [reason for reason, is_so in has_been.items() if is_so]
