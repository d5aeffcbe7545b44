"""The one road from a uid to a name and a face.

Documents hold uids only, so a rename or a new avatar shows everywhere as soon as cards are dropped.
A card is kept for a moment in the process (``FRESH_SECONDS``), behind it in the cache server where
the site has one (``CACHES["cards"]``), and read from the database otherwise. Writers call
``refresh``; ``accounts.receivers`` does so whenever a person is saved or deleted.
"""

import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.dummy import DummyCache
from django.urls import reverse

from . import avatars
from .models import User

FRESH_SECONDS = 1.0
"""How long another process may show an old name; half of what is promised."""

SHARED_SECONDS = 300
MAX_CARDS_CACHED = 10_000
CARD_FIELDS = ("pk", "username", "display_name", "avatar", "is_active", "is_private")


@dataclass(frozen=True, slots=True)
class UserCard:
    """A person in a list."""

    uid: int
    username: str
    display_name: str
    avatar_url: str
    is_private: bool = False

    @property
    def url(self) -> str:
        return profile_url(self.username)


@lru_cache(maxsize=10_000)  # lists have them by the dozen
def profile_url(username: str) -> str:
    return reverse("profile", args=[username])


def find_card(*, uid: int) -> UserCard | None:
    """The card of one person; None if there is no such person any more."""
    return cards_by_uid(uids=[uid]).get(uid)


def cards_by_uid(*, uids: Iterable[int]) -> dict[int, UserCard]:
    """The cards of many people by uid; those who are gone or inactive are left out.

    Costs no database command while the cards are fresh, and one for all that are not.
    """
    wanted = set(uids)
    found = _fresh.get(wanted)
    if missing := wanted - found.keys():
        ticket = _fresh.ticket()
        read = _from_shared(missing)
        if rest := missing - read.keys():
            loaded = _from_database(rest)
            _offer_shared(loaded)
            read |= loaded
        _fresh.put(read, ticket)
        found |= read
    return {uid: one for uid, one in found.items() if one is not None}


def card_from_user(*, user: User) -> UserCard:
    """The card of a person who is at hand: no look-up."""
    return _card({field: getattr(user, field) for field in CARD_FIELDS})


def refresh_card(*, uid: int) -> None:
    """Show what the database says of this person: here at once, elsewhere within FRESH_SECONDS.

    The last writer of the shared entry always finds it equal to the database: whoever sets it reads
    the database once more, and sets it again if somebody changed the person in between.
    """
    _fresh.drop(uid)
    if isinstance(caches["cards"], DummyCache):
        return
    now = _from_database([uid])
    while True:
        caches["cards"].set(_key(uid), _pack(now.get(uid)), SHARED_SECONDS)
        after = _from_database([uid])
        if after == now:
            break
        now = after
    _fresh.drop(uid)


def _from_database(uids: Iterable[int]) -> dict[int, UserCard | None]:
    rows = User.objects.filter(pk__in=list(uids)).values(*CARD_FIELDS)
    found: dict[int, UserCard | None] = dict.fromkeys(uids)
    for row in rows:
        if row["is_active"]:
            found[row["pk"]] = _card(row)
    return found


def _card(row: dict[str, Any]) -> UserCard:
    return UserCard(
        uid=row["pk"],
        username=row["username"],
        display_name=row["display_name"] or row["username"],
        avatar_url=avatars.avatar_url(uid=row["pk"], avatar=row["avatar"]),
        is_private=row["is_private"],
    )


def _from_shared(uids: Iterable[int]) -> dict[int, UserCard | None]:
    keys = {_key(uid): uid for uid in uids}
    return {
        keys[key]: UserCard(**packed) if packed else None
        for key, packed in caches["cards"].get_many(keys).items()
    }


def _offer_shared(loaded: dict[int, UserCard | None]) -> None:
    # add, not set: what a writer has put there since is newer than what was read here.
    for uid, one in loaded.items():
        caches["cards"].add(_key(uid), _pack(one), SHARED_SECONDS)


def _key(uid: int) -> str:
    return f"card:{uid}"


def _pack(one: UserCard | None) -> dict[str, Any]:
    return {} if one is None else asdict(one)


class _Fresh:
    """The cards this process has read in the last moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[int, tuple[float, UserCard | None]] = {}
        self._drops = 0

    def get(self, uids: set[int]) -> dict[int, UserCard | None]:
        now, found = time.monotonic(), {}
        for uid in uids:
            entry = self._entries.get(uid)
            if entry is not None and entry[0] > now:
                found[uid] = entry[1]
        return found

    def ticket(self) -> int:
        """To be drawn before reading: what was read across a drop may be old and is not kept."""
        return self._drops

    def put(self, read: dict[int, UserCard | None], ticket: int) -> None:
        until = time.monotonic() + FRESH_SECONDS
        with self._lock:
            if ticket != self._drops:
                return
            if len(self._entries) > MAX_CARDS_CACHED:
                self._entries.clear()
            self._entries.update({uid: (until, one) for uid, one in read.items()})

    def drop(self, uid: int) -> None:
        with self._lock:
            self._drops += 1
            self._entries.pop(uid, None)

    def clear(self) -> None:
        with self._lock:
            self._drops += 1
            self._entries.clear()


_fresh = _Fresh()


def clear_cards() -> None:
    """Drop every card of this process, as if it had just started."""
    _fresh.clear()
