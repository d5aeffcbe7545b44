"""What in the words of a new account looks like spam, as far as the words alone tell.

An account is new for ``settings.FEED_NEW_ACCOUNT_DAYS`` days. Its id tells when it was made, so that
nothing has to be asked. Who has said the same before: ``services.suspecting``.
"""

import hashlib
from datetime import timedelta
from unicodedata import normalize

from django.conf import settings
from django.utils import timezone

from accounts.ids import time_of
from feed.text.entities import entities_in
from feed.text.urls import host_of

LINKS, MENTIONS = "links", "mentions"

SHORTEST = 15
"""Letters, besides links: what is shorter, everybody says ("Good morning!")."""


def is_new_account(*, uid: int) -> bool:
    return timezone.now() - time_of(id=uid) < timedelta(days=settings.FEED_NEW_ACCOUNT_DAYS)


def suspicious_in(*, text: str, before: str = "") -> list[str]:
    """LINKS if it has many different ones, MENTIONS if it has; only if some of them were not there
    ``before``, in the words that these replace: those have been looked at."""
    links, mentions = _pointing(text)
    old_links, old_mentions = _pointing(before)
    has_many = {
        LINKS: links - old_links and len(links) >= settings.FEED_SUSPICIOUS_LINKS,
        MENTIONS: mentions - old_mentions and len(mentions) >= settings.FEED_SUSPICIOUS_MENTIONS,
    }
    return [reason for reason, is_so in has_many.items() if is_so]


def _pointing(text: str) -> tuple[set[str], set[str]]:
    """The links and the mentions, each once."""
    found = entities_in(text)
    links = {one.value for one in found if one.kind == "url"}
    return links, {one.value.lower() for one in found if one.kind == "mention"}


def fingerprint(*, text: str) -> str:
    """The same for texts that differ only in case, signs, digits, whom they mention, and where on a host
    they link to; "" for what is too short to tell. Nobody can read the text from it."""
    words, hosts, end = [], [], 0
    for one in entities_in(text):
        if one.kind == "hashtag":
            continue
        words.append(text[end : one.start])
        end = one.end
        if one.kind == "url":
            hosts.append(host_of(one.value))
    plain = normalize("NFKC", " ".join([*words, text[end:]])).casefold()
    letters = "".join(sign for sign in plain if sign.isalpha())
    if len(letters) < SHORTEST:
        return ""
    return hashlib.sha256("\n".join([letters, *sorted(hosts)]).encode()).hexdigest()[:32]
