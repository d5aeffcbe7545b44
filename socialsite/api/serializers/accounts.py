"""Accounts: https://docs.joinmastodon.org/entities/Account/."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NotRequired, TypedDict

from django.conf import settings
from django.templatetags.static import static

from accounts.infra.paths import path_for
from accounts.profile_pictures import header_url
from accounts.selectors.user_pages import UserRow, user_rows
from accounts.user_cards import ProfileField, UserCard, cards_by_uid, cards_with_inactive
from feed.selectors.user_counts import UserCounts, counts_by_uid

from .values import (
    DateTime,
    Html,
    Id,
    Url,
    absolute_url,
    format_datetime,
    render_field_html,
    render_html,
)


class Field(TypedDict):
    """A profile field. ``value`` is HTML, and in ``source`` the text as the user typed it."""

    name: str
    value: Html
    verified_at: DateTime | None


class Emoji(TypedDict):
    shortcode: str
    url: Url
    static_url: Url
    visible_in_picker: bool


class Role(TypedDict):
    id: str
    name: str
    color: str
    permissions: str
    highlighted: bool


class Source(TypedDict):
    """Posting defaults, and the bio as the user typed it."""

    note: str
    fields: list[Field]
    privacy: str
    sensitive: bool
    language: str | None
    quote_policy: str
    follow_requests_count: int
    hide_collections: bool | None
    discoverable: bool
    indexable: bool


class Account(TypedDict):
    """A user. ``source`` and ``role`` are present only for the caller's own account."""

    id: Id
    username: str
    acct: str
    display_name: str
    locked: bool
    bot: bool
    discoverable: bool
    indexable: bool
    group: bool
    noindex: bool
    hide_collections: bool
    created_at: DateTime
    note: Html
    url: Url
    uri: Url
    avatar: Url
    avatar_static: Url
    header: Url
    header_static: Url
    followers_count: int
    following_count: int
    statuses_count: int
    last_status_at: str | None
    emojis: list[Emoji]
    fields: list[Field]
    roles: list[Role]
    limited: NotRequired[bool]
    source: NotRequired[Source]
    role: NotRequired[Role]


def serialize_accounts(
    *,
    uids: Sequence[int],
    with_fresh_counts: bool = False,
    with_private_details: bool = False,
    with_inactive: bool = False,
) -> dict[int, Account]:
    """Return accounts by uid in the order of ``uids``, without users who are deactivated or deleted.

    Args:
        with_fresh_counts: True to count followers and posts now instead of reading cached counts.
        with_private_details: True to include the number of posts and the date of the last post of private
            and limited users. Only the users themselves, their followers and moderators may see these
            details. ``serialize_people_rows`` removes the details for other viewers.
        with_inactive: True to include deactivated users, for moderators.
    """
    if not uids:
        return {}
    cards = cards_with_inactive(uids=uids) if with_inactive else cards_by_uid(uids=uids)
    counts = counts_by_uid(uids=cards, should_refresh=with_fresh_counts)
    return {
        uid: _serialize_card(
            card,
            counts[uid],
            in_full=with_private_details or not (card.is_private or card.is_limited),
        )
        for uid, card in cards.items()
    }


def serialize_account(*, uid: int) -> Account | None:
    return serialize_accounts(uids=[uid], with_fresh_counts=True).get(uid)


def serialize_own_card(*, card: UserCard) -> Account:
    """Serialize a user's own account, with all details and fresh counts."""
    counts = counts_by_uid(uids=[card.uid], should_refresh=True)[card.uid]
    account = _serialize_card(card, counts, in_full=True)
    account.pop("limited", None)
    return account


def serialize_account_list(*, uids: Sequence[int]) -> list[Account]:
    """Return the accounts in the order of ``uids``."""
    account_by_uid = serialize_accounts(uids=uids)
    return [account_by_uid[uid] for uid in uids if uid in account_by_uid]


def _serialize_card(card: UserCard, counts: UserCounts, *, in_full: bool) -> Account:
    # Callers may change their copy.
    return {**_cached_account(card, counts, in_full, settings.SITE_URL)}


@lru_cache(maxsize=4096)
def _cached_account(card: UserCard, counts: UserCounts, in_full: bool, _site_url: str) -> Account:
    """Return the account. Every value depends only on the arguments, so none can be outdated."""
    posted_at = counts.last_posted_at if in_full else None
    profile_page_url = absolute_url(path_for("profile", card.username))
    avatar = absolute_url(card.bitmap_avatar_url)
    header_picture = absolute_url(header_url(name=card.header)) or _default_header()
    account: dict[str, Any] = {
        "id": str(card.uid),
        "username": card.username,
        "acct": card.username,
        # Apps show the username of accounts without a name.
        "display_name": "" if card.display_name == card.username else card.display_name,
        "locked": card.is_private,
        "bot": card.is_bot,
        "discoverable": card.is_discoverable and not card.is_private,
        "indexable": not card.is_private,
        "group": False,
        "noindex": card.is_private or not card.is_indexable,
        "hide_collections": card.is_private,
        "created_at": format_datetime(card.joined_at),
        "note": render_html(card.bio),
        "url": profile_page_url,
        "uri": profile_page_url,
        "avatar": avatar,
        "avatar_static": avatar,
        "header": header_picture,
        "header_static": header_picture,
        "followers_count": counts.followers,
        "following_count": counts.followed_users,
        "statuses_count": counts.posts if in_full else 0,
        "last_status_at": posted_at.date().isoformat() if posted_at else None,
        "emojis": [],
        "fields": serialize_fields(
            [field._replace(value=render_field_html(field.value)) for field in card.profile_fields]
        ),
        "roles": [],
    }
    if card.is_limited and in_full:
        account["limited"] = True
    return account  # type: ignore[return-value]


def serialize_fields(profile_fields: Sequence[ProfileField]) -> list[Field]:
    """Return the fields with their values unchanged."""
    return [
        {
            "name": field.name,
            "value": field.value,
            "verified_at": format_datetime(datetime.fromisoformat(field.verified_at))
            if field.verified_at
            else None,
        }
        for field in profile_fields
    ]


def _default_header() -> str:
    return absolute_url(static("site/header.png"))


def serialize_people_rows(*, rows: Sequence[UserRow], is_fresh: bool = False) -> list[Account]:
    """Return the accounts in the order of ``rows``, with only the details that the viewer may see.

    The account shows the same details as the profile page. Costs as many database commands as
    ``serialize_accounts``.
    """
    uids = [row.card.uid for row in rows]
    account_by_uid = serialize_accounts(
        uids=uids, with_fresh_counts=is_fresh, with_private_details=True
    )
    return [
        _hide_private_details(account_by_uid[row.card.uid], row)
        for row in rows
        if row.card.uid in account_by_uid
    ]


def serialize_accounts_for(
    *, uids: list[int], viewer: int | None, is_fresh: bool = False
) -> list[Account]:
    """Return the accounts in the order of ``uids``, with only the details that the viewer may see.

    Deactivated and deleted users are left out. Users whom the viewer blocks and users who block the viewer
    are included.
    """
    rows = user_rows(uids=uids, viewer=viewer, include_blocked=True)
    return serialize_people_rows(rows=rows, is_fresh=is_fresh)


def _hide_private_details(account: Account, row: UserRow) -> Account:
    visible_account: Account = {**account}
    if row.is_self or not (row.is_restricted or row.is_blocked_by):
        visible_account.pop(
            "limited", None
        )  # followers see a limited account like any other account
        return visible_account
    visible_account["statuses_count"], visible_account["last_status_at"] = 0, None
    if row.is_blocked_by:
        visible_account.pop("limited", None)
        visible_account["followers_count"] = visible_account["following_count"] = 0
    if row.is_blocked_by or visible_account.get("limited"):
        visible_account["note"], visible_account["fields"] = "", []
        visible_account["header"] = visible_account["header_static"] = _default_header()
    return visible_account
