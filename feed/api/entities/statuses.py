"""Posts and shares: https://docs.joinmastodon.org/entities/Status/.

A share is a status of its own, with the post in ``reblog``. What Mastodon has no words for is in
``socialsite``.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NotRequired, Optional, TypedDict

from accounts.ids import time_of
from accounts.user_cards import cards
from feed import selectors
from feed.selectors import PostView
from feed.text.rendering import tag_path

from .accounts import Account, Emoji, accounts_of
from .filters import FilterResult, filter_result
from .media import MediaAttachment, attachment
from .muted import muted_by
from .values import Html, Id, Moment, Url, absolute, at, html

VISIBILITIES = {
    "public": "public",
    "unlisted": "unlisted",
    "followers": "private",
    "direct": "direct",
}
"""What Mastodon calls who may read a post."""


class Mention(TypedDict):
    id: Id
    username: str
    acct: str
    url: Url


class ShallowTag(TypedDict):
    name: str
    url: Url


class Card(TypedDict):
    """A page that a post is about: https://docs.joinmastodon.org/entities/PreviewCard/."""

    url: Url
    title: str
    description: str
    type: str
    author_name: str
    author_url: str
    provider_name: str
    provider_url: str
    html: str
    width: int
    height: int
    image: str | None
    embed_url: str
    blurhash: str | None


class Application(TypedDict):
    name: str
    website: str | None


class OnlyHere(TypedDict):
    """``kind`` and ``details`` of what is posted; ``replies``: who may comment; ``is_held``: until
    moderators have seen it."""

    kind: str
    details: dict[str, Any]
    replies: str
    may_reply: bool
    is_held: bool


class Status(TypedDict):
    id: Id
    created_at: Moment
    edited_at: Moment | None
    in_reply_to_id: Id | None
    in_reply_to_account_id: Id | None
    sensitive: bool
    spoiler_text: str
    visibility: str
    language: str | None
    uri: Url
    url: Url
    replies_count: int
    reblogs_count: int
    favourites_count: int
    quotes_count: int
    favourited: bool
    reblogged: bool
    muted: bool
    bookmarked: bool
    pinned: NotRequired[bool]
    content: Html
    text: NotRequired[str]
    filtered: list[FilterResult]
    reblog: Optional["Status"]
    application: Application | None
    account: Account
    media_attachments: list[MediaAttachment]
    mentions: list[Mention]
    tags: list[ShallowTag]
    emojis: list[Emoji]
    card: Card | None
    poll: None
    quote: None
    socialsite: NotRequired[OnlyHere]


def statuses_of(*, views: Sequence[PostView], viewer: int | None) -> list[Status]:
    """In their order. Four commands while what is counted of their authors is fresh."""
    if not views:
        return []
    accounts = accounts_of(uids=[uid for one in views for uid in (one.author.uid, one.by.uid)])
    mentioned = cards(uids={uid for one in views for uid in mentions_of(one)})
    muted = muted_by(viewer=viewer)
    pinned: set[int] = set()
    if viewer is not None and any(one.is_own for one in views):
        pinned = selectors.pinned_ids(author=viewer)
    return [
        _share(one, made, accounts) if one.shared_by else made
        for one in views
        if one.author.uid in accounts and one.by.uid in accounts
        for made in [_status(one, accounts[one.author.uid], mentioned, pinned, muted)]
    ]


def status_of(*, view: PostView, viewer: int | None) -> Status:
    for one in statuses_of(views=[view], viewer=viewer):
        return one
    raise LookupError("Its author is gone.")


def mentions_of(one: PostView) -> list[int]:
    return [entity["value"] for entity in one.entities if entity["kind"] == "mention"]


def _share(one: PostView, post: Status, accounts: dict[int, Account]) -> Status:
    by = accounts[one.by.uid]
    share: Any = dict(post)
    share |= {
        "id": str(one.entry),
        "created_at": at(time_of(id=one.entry)),
        "edited_at": None,
        "account": by,
        "reblog": post,
        "content": "",
        "spoiler_text": "",
        "media_attachments": [],
        "mentions": [],
        "tags": [],
        "card": None,
        "uri": absolute(one.url) + f"#shared-{one.entry}",
    }
    return share  # type: ignore[no-any-return]


def _status(
    one: PostView, account: Account, mentioned: dict[int, Any], pinned: set[int], muted: set[int]
) -> Status:
    known = [mentioned[uid] for uid in mentions_of(one) if uid in mentioned]
    page = absolute(one.url)
    made: Status = {
        "id": str(one.id),
        "created_at": at(one.created_at),
        "edited_at": at(one.edited_at) if one.edited_at else None,
        "in_reply_to_id": None,
        "in_reply_to_account_id": None,
        "sensitive": bool(one.warning),
        "spoiler_text": one.warning,
        "visibility": VISIBILITIES[one.visibility],
        "language": None,
        "uri": page,
        "url": page,
        "replies_count": one.comments,
        "reblogs_count": one.shares,
        "favourites_count": one.likes,
        "quotes_count": 0,
        "favourited": one.is_liked,
        "reblogged": one.is_shared,
        "muted": one.id in muted,
        "bookmarked": one.is_kept,
        "content": content_of(one, {card.username for card in known}),
        "filtered": [filter_result(folding) for folding in one.folded_by],
        "reblog": None,
        "application": None,
        "account": account,
        "media_attachments": [attachment(picture) for picture in one.media],
        "mentions": [mention(card) for card in known],
        "tags": tags_of(e["value"] for e in one.entities if e["kind"] == "hashtag"),
        "emojis": [],
        "card": _card(one),
        "poll": None,
        "quote": None,
        "socialsite": {
            "kind": one.kind,
            "details": one.details,
            "replies": one.replies,
            "may_reply": one.may_answer,
            "is_held": one.is_held,
        },
    }
    if one.is_own:
        made["pinned"] = one.id in pinned
    return made


def content_of(one: PostView, known: set[str]) -> str:
    """The text; before it what else it says, which clients have no place for."""
    besides = html(one.words, known=()) if one.words else ""
    return besides + html(one.text, known=known)


def mention(card: Any) -> Mention:
    return {
        "id": str(card.uid),
        "username": card.username,
        "acct": card.username,
        "url": absolute(card.url),
    }


def tags_of(tags: Iterable[str]) -> list[ShallowTag]:
    return [{"name": tag, "url": absolute(tag_path(tag))} for tag in tags]


def _card(one: PostView) -> Card | None:
    if one.kind != "link":
        return None
    return {
        "url": one.details["url"],
        "title": one.details["url"],
        "description": "",
        "type": "link",
        "author_name": "",
        "author_url": "",
        "provider_name": one.details["host"],
        "provider_url": "",
        "html": "",
        "width": 0,
        "height": 0,
        "image": None,
        "embed_url": "",
        "blurhash": None,
    }
