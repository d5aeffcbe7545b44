"""People: https://docs.joinmastodon.org/entities/Account/."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from django.templatetags.static import static

from accounts.selectors.user_descriptions import UserDescription, user_descriptions
from accounts.selectors.user_pages import UserRow, user_rows
from accounts.user_cards import profile_url
from feed.selectors.user_counts import UserCounts, counts_by_uid

from .values import DateTime, Html, Id, Url, absolute_url, format_datetime, render_html


class Field(TypedDict):
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
    """How the person's own posts are at first, and what they have typed about themselves."""

    note: str
    fields: list[Field]
    privacy: str
    sensitive: bool
    language: str | None
    follow_requests_count: int
    hide_collections: bool | None
    discoverable: bool
    indexable: bool


class Account(TypedDict):
    """A person. ``source`` and ``role``: only of who asks about themselves."""

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
    """By uid, without those who are gone. ``is_fresh``: their counts are those of this moment.

    Of who approves followers or is limited, how much they post and when is left out, but ``in_full``: for
    themselves, for moderators, or where ``people.accounts_seen`` leaves out what the viewer may not know.
    ``with_closed``: for moderators.
    """
    if not uids:
        return {}
    described = user_descriptions(uids=uids, include_inactive=with_inactive)
    counts = counts_by_uid(uids=described, should_refresh=with_fresh_counts)
    return {
        uid: _account(
            one, counts[uid], in_full=with_private_details or not (one.is_private or one.is_limited)
        )
        for uid, one in described.items()
    }


def serialize_account(*, uid: int, with_private_details: bool = False) -> Account | None:
    return serialize_accounts(
        uids=[uid], with_fresh_counts=True, with_private_details=with_private_details
    ).get(uid)


def serialize_account_list(*, uids: Sequence[int]) -> list[Account]:
    """In their order."""
    known = serialize_accounts(uids=uids)
    return [known[uid] for uid in uids if uid in known]


def _account(one: UserDescription, counts: UserCounts, *, in_full: bool) -> Account:
    posted_at = counts.last_posted_at if in_full else None
    page = absolute_url(profile_url(one.username))
    picture = one.bitmap_avatar_url
    header = absolute_url(static("site/header.png"))
    made: dict[str, Any] = {
        "id": str(one.uid),
        "username": one.username,
        "acct": one.username,
        "display_name": one.display_name,
        "locked": one.is_private,
        "bot": False,
        "discoverable": not one.is_private,
        "indexable": not one.is_private,
        "group": False,
        "noindex": one.is_private,
        "hide_collections": one.is_private,
        "created_at": format_datetime(one.joined_at),
        "note": render_html(one.bio),
        "url": page,
        "uri": page,
        "avatar": absolute_url(picture),
        "avatar_static": absolute_url(picture),
        "header": header,
        "header_static": header,
        "followers_count": counts.followers,
        "following_count": counts.followed_users,
        "statuses_count": counts.posts if in_full else 0,
        "last_status_at": posted_at.date().isoformat() if posted_at else None,
        "emojis": [],
        "fields": [],
        "roles": [],
    }
    if one.is_limited and in_full:
        made["limited"] = True
    return made  # type: ignore[return-value]


# MERGED FROM feed.api.serializers.accounts: People as one viewer sees them: no more of them than their pages tell.
def serialize_people_rows(*, rows: Sequence[UserRow], is_fresh: bool = False) -> list[Account]:
    """In their order; as many commands as ``accounts_of``."""
    uids = [row.card.uid for row in rows]
    known = serialize_accounts(uids=uids, with_fresh_counts=is_fresh, with_private_details=True)
    return [_seen(known[row.card.uid], row) for row in rows if row.card.uid in known]


def serialize_accounts_for(
    *, uids: list[int], viewer: int | None, is_fresh: bool = False
) -> list[Account]:
    """In their order, without those who are gone; also of people whom a block keeps apart."""
    rows = user_rows(uids=uids, viewer=viewer, include_blocked=True)
    return serialize_people_rows(rows=rows, is_fresh=is_fresh)


def _seen(account: Account, row: UserRow) -> Account:
    made: Account = {**account}
    if row.is_self or not (row.is_restricted or row.is_blocked_by):
        made.pop("limited", None)  # only strangers are told
        return made
    made["statuses_count"], made["last_status_at"] = 0, None
    if row.is_blocked_by:
        made.pop("limited", None)
        made["followers_count"] = made["following_count"] = 0
    if row.is_blocked_by or made.get("limited"):
        made["note"] = ""
    return made
