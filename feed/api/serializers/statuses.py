"""Posts and shares: https://docs.joinmastodon.org/entities/Status/.

A share is a status of its own, with the post in ``reblog``. What Mastodon has no words for is in
``socialsite``.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NotRequired, Optional, TypedDict

from accounts.infra.ids import time_of
from accounts.user_cards import cards_by_uid
from feed.muted_conversations import muted_post_ids
from feed.selectors.pages import PostView
from feed.selectors.posts import pinned_post_ids
from feed.text.rendering import tag_path

from .accounts import Account, Emoji, serialize_accounts
from .filters import FilterResult, serialize_filter_result
from .media import MediaAttachment, serialize_media
from .values import DateTime, Html, Id, Url, absolute_url, format_datetime, render_html

API_VISIBILITIES = {
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


class StatusExtension(TypedDict):
    """``kind`` and ``details`` of what is posted; ``replies``: who may comment; ``is_held``: until
    moderators have seen it."""

    kind: str
    details: dict[str, Any]
    reply_policy: str
    can_reply: bool
    is_pending_review: bool


class Status(TypedDict):
    id: Id
    created_at: DateTime
    edited_at: DateTime | None
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
    socialsite: NotRequired[StatusExtension]


def serialize_posts(*, posts: Sequence[PostView], viewer: int | None) -> list[Status]:
    """In their order. Four commands while what is counted of their authors is fresh."""
    if not posts:
        return []
    accounts = serialize_accounts(
        uids=[uid for one in posts for uid in (one.author.uid, one.entry_author.uid)]
    )
    mentioned = cards_by_uid(uids={uid for one in posts for uid in mentioned_uids(one)})
    muted = muted_post_ids(viewer=viewer)
    pinned: set[int] = set()
    if viewer is not None and any(one.is_own for one in posts):
        pinned = pinned_post_ids(author=viewer)
    return [
        _share(one, made, accounts) if one.shared_by else made
        for one in posts
        if one.author.uid in accounts and one.entry_author.uid in accounts
        for made in [_status(one, accounts[one.author.uid], mentioned, pinned, muted)]
    ]


def serialize_post(*, post: PostView, viewer: int | None) -> Status:
    for one in serialize_posts(posts=[post], viewer=viewer):
        return one
    raise LookupError("Its author is gone.")


def mentioned_uids(one: PostView) -> list[int]:
    return [entity["value"] for entity in one.attributes if entity["kind"] == "mention"]


def _share(one: PostView, post: Status, accounts: dict[int, Account]) -> Status:
    by = accounts[one.entry_author.uid]
    share: Any = dict(post)
    share |= {
        "id": str(one.entry_id),
        "created_at": format_datetime(time_of(id=one.entry_id)),
        "edited_at": None,
        "account": by,
        "reblog": post,
        "content": "",
        "spoiler_text": "",
        "media_attachments": [],
        "mentions": [],
        "tags": [],
        "card": None,
        "uri": absolute_url(one.url) + f"#shared-{one.entry_id}",
    }
    return share  # type: ignore[no-any-return]


def _status(
    one: PostView, account: Account, mentioned: dict[int, Any], pinned: set[int], muted: set[int]
) -> Status:
    known = [mentioned[uid] for uid in mentioned_uids(one) if uid in mentioned]
    page = absolute_url(one.url)
    made: Status = {
        "id": str(one.id),
        "created_at": format_datetime(one.created_at),
        "edited_at": format_datetime(one.edited_at) if one.edited_at else None,
        "in_reply_to_id": None,
        "in_reply_to_account_id": None,
        "sensitive": bool(one.content_warning),
        "spoiler_text": one.content_warning,
        "visibility": API_VISIBILITIES[one.visibility],
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
        "bookmarked": one.is_bookmarked,
        "content": post_content_html(one, {card.username for card in known}),
        "filtered": [serialize_filter_result(folding) for folding in one.filter_matches],
        "reblog": None,
        "application": None,
        "account": account,
        "media_attachments": [serialize_media(picture) for picture in one.media],
        "mentions": [serialize_mention(card) for card in known],
        "tags": serialize_tags(e["value"] for e in one.attributes if e["kind"] == "hashtag"),
        "emojis": [],
        "card": _card(one),
        "poll": None,
        "quote": None,
        "socialsite": {
            "kind": one.kind,
            "details": one.details,
            "reply_policy": one.reply_policy,
            "can_reply": one.can_comment,
            "is_pending_review": one.is_pending_review,
        },
    }
    if one.is_own:
        made["pinned"] = one.id in pinned
    return made


def post_content_html(one: PostView, known: set[str]) -> str:
    """The text; before it what else it says, which clients have no place for."""
    besides = render_html(one.details_text, linked_names=()) if one.details_text else ""
    return besides + render_html(one.text, linked_names=known)


def serialize_mention(card: Any) -> Mention:
    return {
        "id": str(card.uid),
        "username": card.username,
        "acct": card.username,
        "url": absolute_url(card.url),
    }


def serialize_tags(tags: Iterable[str]) -> list[ShallowTag]:
    return [{"name": tag, "url": absolute_url(tag_path(tag))} for tag in tags]


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
