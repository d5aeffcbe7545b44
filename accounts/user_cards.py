"""User cards: cached names and avatars by uid.

Documents store only uids. So a new name or avatar shows everywhere as soon as the cached cards are dropped.
Each process caches cards for ``FRESH_SECONDS``. A site may also have a cache server (``CACHES["cards"]``).
``accounts.receivers`` calls ``refresh_card`` when a user is saved or deleted.
"""

import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.dummy import DummyCache

from accounts.infra.paths import path_for

from . import avatars
from .models import User

FRESH_SECONDS = 1.0
"""How long a process may show an old name after another process changed it, in seconds."""

SHARED_SECONDS = 300
MAX_CARDS_CACHED = 10_000
CARD_FIELDS = ("pk", "username", "display_name", "avatar", "is_active", "is_private")


@dataclass(frozen=True, slots=True)
class UserCard:
    """The data of a user that lists show."""

    uid: int
    username: str
    display_name: str
    avatar_url: str
    is_private: bool = False

    @property
    def url(self) -> str:
        return path_for("profile", self.username)


def find_card(*, uid: int) -> UserCard | None:
    """Return the card of a user, or None if the user is deleted or inactive."""
    return cards_by_uid(uids=[uid]).get(uid)


def cards_by_uid(*, uids: Iterable[int]) -> dict[int, UserCard]:
    """Return cards by uid, without deleted and inactive users.

    At most one database command, none if all cards are cached.
    """
    unique_uids = set(uids)
    cards = _process_cache.get(unique_uids)
    if missing_uids := unique_uids - cards.keys():
        version = _process_cache.version()
        new_cards = _read_shared_cache(missing_uids)
        if uncached_uids := missing_uids - new_cards.keys():
            loaded_cards = _load_cards(uncached_uids)
            _add_to_shared_cache(loaded_cards)
            new_cards |= loaded_cards
        _process_cache.put(new_cards, version)
        cards |= new_cards
    return {uid: card for uid, card in cards.items() if card is not None}


def card_from_user(*, user: User) -> UserCard:
    """Return the card of a loaded user. Costs no look-up."""
    return _build_card({field: getattr(user, field) for field in CARD_FIELDS})


def refresh_card(*, uid: int) -> None:
    """Update the cached card of a user, in other processes within ``FRESH_SECONDS``.

    After each write to the shared cache, the function reads the database again. If the user has changed in
    between, the write is repeated. So the shared cache equals the database after the last of several
    concurrent calls.
    """
    _process_cache.drop(uid)
    if isinstance(caches["cards"], DummyCache):
        return
    cards = _load_cards([uid])
    while True:
        caches["cards"].set(_cache_key(uid), _pack_card(cards.get(uid)), SHARED_SECONDS)
        current_cards = _load_cards([uid])
        if current_cards == cards:
            break
        cards = current_cards
    _process_cache.drop(uid)


def _load_cards(uids: Iterable[int]) -> dict[int, UserCard | None]:
    rows = User.objects.filter(pk__in=list(uids)).values(*CARD_FIELDS)
    cards: dict[int, UserCard | None] = dict.fromkeys(uids)
    for row in rows:
        if row["is_active"]:
            cards[row["pk"]] = _build_card(row)
    return cards


def _build_card(row: dict[str, Any]) -> UserCard:
    return UserCard(
        uid=row["pk"],
        username=row["username"],
        display_name=row["display_name"] or row["username"],
        avatar_url=avatars.avatar_url(uid=row["pk"], avatar=row["avatar"]),
        is_private=row["is_private"],
    )


def _read_shared_cache(uids: Iterable[int]) -> dict[int, UserCard | None]:
    uids_by_key = {_cache_key(uid): uid for uid in uids}
    return {
        uids_by_key[key]: UserCard(**packed) if packed else None
        for key, packed in caches["cards"].get_many(uids_by_key).items()
    }


def _add_to_shared_cache(cards: dict[int, UserCard | None]) -> None:
    # "add" does not overwrite an existing card, because ``refresh_card`` may have cached a newer card
    # meanwhile.
    for uid, card in cards.items():
        caches["cards"].add(_cache_key(uid), _pack_card(card), SHARED_SECONDS)


def _cache_key(uid: int) -> str:
    return f"card:{uid}"


def _pack_card(card: UserCard | None) -> dict[str, Any]:
    return {} if card is None else asdict(card)


class _ProcessCache:
    """Cards that this process has read in the last ``FRESH_SECONDS``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[int, tuple[float, UserCard | None]] = {}
        self._version = 0

    def get(self, uids: set[int]) -> dict[int, UserCard | None]:
        now, cards = time.monotonic(), {}
        for uid in uids:
            cached = self._entries.get(uid)
            if cached is not None and cached[0] > now:
                cards[uid] = cached[1]
        return cards

    def version(self) -> int:
        """Return a number that changes with every drop. Call this before reading cards for ``put``."""
        return self._version

    def put(self, cards: dict[int, UserCard | None], version: int) -> None:
        """Cache cards that were read after ``version()`` returned ``version``.

        If any card was dropped after that call, do nothing, because the cards may have been read before the
        drop and may be outdated.
        """
        until = time.monotonic() + FRESH_SECONDS
        with self._lock:
            if version != self._version:
                return
            if len(self._entries) > MAX_CARDS_CACHED:
                self._entries.clear()
            self._entries.update({uid: (until, card) for uid, card in cards.items()})

    def drop(self, uid: int) -> None:
        with self._lock:
            self._version += 1
            self._entries.pop(uid, None)

    def clear(self) -> None:
        with self._lock:
            self._version += 1
            self._entries.clear()


_process_cache = _ProcessCache()


def clear_cards() -> None:
    """Drop all cards that this process has cached."""
    _process_cache.clear()
