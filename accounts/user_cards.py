"""User cards: cached names, avatars and bios by uid.

Documents store only uids. So a new name or avatar shows everywhere as soon as the cached cards are dropped.
Each process caches cards for ``FRESH_SECONDS``. A site may also have a cache server (``CACHES["cards"]``).
``accounts.receivers`` calls ``refresh_card`` when a user is saved or deleted.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.core.cache import caches
from django.core.cache.backends.dummy import DummyCache

from accounts.infra.paths import path_for
from accounts.infra.process_cache import ProcessCache

from . import profile_pictures
from .models import User
from .store import users

FRESH_SECONDS = 1.0
"""How long a process may show an old name after another process changed it, in seconds."""

SHARED_SECONDS = 300


class ProfileField(NamedTuple):
    """A labelled text on a profile, such as a website or pronouns.

    ``verified_at``: since when the site knows that the linked page links back to the profile, as an ISO
    date, or "" if it does not.
    """

    name: str
    value: str
    verified_at: str = ""


@dataclass(frozen=True, slots=True)
class UserCard:
    """The data of a user that lists show.

    ``avatar``: the stored file name, or "" for the initial. ``header``: the stored file name of the
    header picture, or "" if there is none.
    """

    uid: int
    username: str
    display_name: str
    bio: str
    avatar: str
    avatar_url: str
    is_private: bool
    is_limited: bool
    is_indexable: bool
    is_discoverable: bool
    joined_at: datetime
    header: str
    profile_fields: tuple[ProfileField, ...]
    is_bot: bool

    @property
    def bitmap_avatar_url(self) -> str:
        """The URL of an avatar that is not SVG. Many mobile apps cannot display SVG."""
        if self.avatar:
            return self.avatar_url
        return profile_pictures.initial_png_url(
            uid=self.uid, display_name=self.display_name, username=self.username
        )

    @property
    def url(self) -> str:
        return path_for("profile", self.username)


def find_card(*, uid: int) -> UserCard | None:
    """Return the card of a user, or None if the user is deleted or inactive."""
    return cards_by_uid(uids=[uid]).get(uid)


def cards_by_uid(*, uids: Iterable[int]) -> dict[int, UserCard]:
    """Return cards by uid in the order of ``uids``, without deleted and inactive users.

    At most one database command, none if all cards are cached.
    """
    ordered_uids = dict.fromkeys(uids)
    unique_uids = set(ordered_uids)
    cards = _process_cache.get(unique_uids)
    if missing_uids := unique_uids - cards.keys():
        version = _process_cache.version()
        new_cards = _read_shared_cache(missing_uids)
        if uncached_uids := missing_uids - new_cards.keys():
            loaded_cards = _load_cards(uncached_uids)
            _add_to_shared_cache(loaded_cards)
            new_cards |= loaded_cards
        _process_cache.put(new_cards, version=version, seconds=FRESH_SECONDS)
        cards |= new_cards
    return {uid: card for uid in ordered_uids if (card := cards.get(uid)) is not None}


def card_from_user(*, user: User) -> UserCard:
    """Return the card of a loaded user. Costs no look-up."""
    return _build_card(
        {field: getattr(user, field) for field in users.CARD_FIELDS} | {"_id": user.pk}
    )


def cards_with_inactive(*, uids: Iterable[int]) -> dict[int, UserCard]:
    """Return cards by uid, also of inactive users, for moderators. One command, without the cache."""
    return {row["_id"]: _build_card(row) for row in users.card_rows(uids=set(uids))}


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
    cards: dict[int, UserCard | None] = dict.fromkeys(uids)
    for row in users.card_rows(uids=cards):
        if row["is_active"]:
            cards[row["_id"]] = _build_card(row)
    return cards


def _build_card(row: dict[str, Any]) -> UserCard:
    uid, username = row["_id"], row["username"]
    display_name = row["display_name"] or username
    return UserCard(
        uid=uid,
        username=username,
        display_name=display_name,
        bio=row["bio"],
        avatar=row["avatar"],
        avatar_url=profile_pictures.avatar_url(
            uid=uid, avatar=row["avatar"], display_name=display_name, username=username
        ),
        is_private=row["is_private"],
        is_limited=row["is_limited"],
        is_indexable=row["is_indexable"],
        is_discoverable=row["is_discoverable"],
        joined_at=row["date_joined"],
        header=row["header"],
        profile_fields=profile_fields_from(stored=row["profile_fields"]),
        is_bot=row["is_bot"],
    )


def profile_fields_from(*, stored: Iterable[dict[str, str]]) -> tuple[ProfileField, ...]:
    """Return the value of ``User.profile_fields`` as profile fields."""
    return tuple(
        ProfileField(field["name"], field["value"], field.get("verified_at", ""))
        for field in stored
    )


def _read_shared_cache(uids: Iterable[int]) -> dict[int, UserCard | None]:
    if isinstance(caches["cards"], DummyCache):
        return {}
    uids_by_key = {_cache_key(uid): uid for uid in uids}
    return {
        uids_by_key[key]: UserCard(**packed) if packed else None
        for key, packed in caches["cards"].get_many(uids_by_key).items()
    }


def _add_to_shared_cache(cards: dict[int, UserCard | None]) -> None:
    if isinstance(caches["cards"], DummyCache):
        return
    # "add" does not overwrite an existing card, because ``refresh_card`` may have cached a newer card
    # meanwhile.
    for uid, card in cards.items():
        caches["cards"].add(_cache_key(uid), _pack_card(card), SHARED_SECONDS)


def _cache_key(uid: int) -> str:
    # Processes of the previous version may still run. They cannot read cards with other fields, so choose
    # another prefix whenever the fields change.
    return f"user_card_4:{uid}"


def _pack_card(card: UserCard | None) -> dict[str, Any]:
    return {} if card is None else asdict(card)


_process_cache = ProcessCache[int, "UserCard | None"](name="user cards")


def clear_cards() -> None:
    """Drop all cards that this process has cached."""
    _process_cache.clear()
