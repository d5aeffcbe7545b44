"""People: https://docs.joinmastodon.org/entities/Account/."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from django.templatetags.static import static

from accounts import selectors as people
from accounts.selectors import DescribedPerson
from accounts.user_cards import profile_url
from feed import selectors
from feed.selectors import Counts

from .values import Html, Id, Moment, Url, absolute, at, html


class Field(TypedDict):
    name: str
    value: Html
    verified_at: Moment | None


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
    created_at: Moment
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


def accounts_of(
    *,
    uids: Sequence[int],
    is_fresh: bool = False,
    in_full: bool = False,
    with_closed: bool = False,
) -> dict[int, Account]:
    """By uid, without those who are gone. ``is_fresh``: their counts are those of this moment.

    Of who approves followers or is limited, how much they post and when is left out, but ``in_full``: for
    themselves, for moderators, or where ``people.accounts_seen`` leaves out what the viewer may not know.
    ``with_closed``: for moderators.
    """
    if not uids:
        return {}
    described = people.described_people(uids=uids, with_closed=with_closed)
    counts = selectors.counts_of(uids=described, is_fresh=is_fresh)
    return {
        uid: _account(one, counts[uid], in_full=in_full or not (one.is_private or one.is_limited))
        for uid, one in described.items()
    }


def account_of(*, uid: int, in_full: bool = False) -> Account | None:
    return accounts_of(uids=[uid], is_fresh=True, in_full=in_full).get(uid)


def listed(*, uids: Sequence[int]) -> list[Account]:
    """In their order."""
    known = accounts_of(uids=uids)
    return [known[uid] for uid in uids if uid in known]


def _account(one: DescribedPerson, counts: Counts, *, in_full: bool) -> Account:
    posted_at = counts.posted_at if in_full else None
    page = absolute(profile_url(one.username))
    picture = one.picture_url
    header = absolute(static("site/header.png"))
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
        "created_at": at(one.joined),
        "note": html(one.bio),
        "url": page,
        "uri": page,
        "avatar": absolute(picture),
        "avatar_static": absolute(picture),
        "header": header,
        "header_static": header,
        "followers_count": counts.followers,
        "following_count": counts.followees,
        "statuses_count": counts.posts if in_full else 0,
        "last_status_at": posted_at.date().isoformat() if posted_at else None,
        "emojis": [],
        "fields": [],
        "roles": [],
    }
    if one.is_limited and in_full:
        made["limited"] = True
    return made  # type: ignore[return-value]
