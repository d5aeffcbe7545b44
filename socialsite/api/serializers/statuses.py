"""Posts and shares: https://docs.joinmastodon.org/entities/Status/.

A share is a separate status with the shared post in ``reblog``. ``socialsite`` holds data for which
Mastodon has no field.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from typing import Any, Literal, NotRequired, Optional, TypedDict

from accounts.infra.ids import time_of
from feed.selectors.pictures import LinkCardView
from feed.selectors.post_view import PostView, QuoteState, QuoteView
from feed.text.renderer import tag_path
from socialsite.api.polls import Poll, serialize_poll

from .accounts import Account, Emoji, serialize_accounts
from .filters import FilterResult, serialize_filter_result
from .media import MediaAttachment, serialize_media
from .values import DateTime, Html, Id, Url, absolute_url, format_datetime, render_html, status_url

API_VISIBILITIES = {
    "public": "public",
    "unlisted": "unlisted",
    "followers": "private",
    "direct": "direct",
}
"""Mastodon's names of visibilities, by the names of this site."""

API_QUOTE_POLICIES = {"everyone": "public", "followers": "followers", "nobody": "nobody"}
"""Mastodon's names of quote policies, by the names of this site."""

ALLOWED_TO_QUOTE = {"everyone": ["public"], "followers": ["followers"], "nobody": []}
"""The groups that may quote a post, by quote policy."""


class Mention(TypedDict):
    id: Id
    username: str
    acct: str
    url: Url


class ShallowTag(TypedDict):
    name: str
    url: Url


class CardAuthor(TypedDict):
    name: str
    url: str
    account: None


class Card(TypedDict):
    """The page that a post links to: https://docs.joinmastodon.org/entities/PreviewCard/."""

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
    image_description: str
    language: str | None
    published_at: DateTime | None
    authors: list[CardAuthor]


class Application(TypedDict):
    name: str
    website: str | None


class Quote(TypedDict):
    """https://docs.joinmastodon.org/entities/Quote/"""

    state: QuoteState
    quoted_status: Optional["Status"]


class ShallowQuote(TypedDict):
    """A quote in a quoted status: https://docs.joinmastodon.org/entities/ShallowQuote/"""

    state: QuoteState
    quoted_status_id: Id | None


class QuoteApproval(TypedDict):
    """https://docs.joinmastodon.org/entities/QuoteApproval/"""

    automatic: list[str]
    manual: list[str]
    current_user: Literal["automatic", "denied"]


class StatusExtension(TypedDict):
    """Data for which Mastodon has no field.

    ``kind`` is the kind of the post, such as "review", and ``details`` are the data of the kind.
    ``reply_policy`` says who may comment. If ``is_pending_review`` is true, only the author sees the post
    until a moderator approves it.
    """

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
    poll: Poll | None
    quote: Quote | ShallowQuote | None
    quote_approval: QuoteApproval
    socialsite: NotRequired[StatusExtension]


def serialize_posts(*, posts: Sequence[PostView]) -> list[Status]:
    """Serialize posts and shares in order.

    Costs at most two database commands, and a few more if nobody has counted an author's posts and
    followers lately.
    """
    if not posts:
        return []
    accounts = serialize_accounts(
        uids=[
            author.uid
            for post in posts
            for author in (
                post.author,
                post.entry_author,
                *([post.quote.post.author] if post.quote and post.quote.post else ()),
            )
        ]
    )
    return [
        _serialize_share(post, status, accounts) if post.shared_by else status
        for post in posts
        if post.author.uid in accounts and post.entry_author.uid in accounts
        for status in [_serialize_status(post, accounts)]
    ]


def serialize_post(*, post: PostView) -> Status:
    for status in serialize_posts(posts=[post]):
        return status
    raise LookupError("The author no longer exists.")


def _serialize_share(entry: PostView, status: Status, accounts: dict[int, Account]) -> Status:
    author = accounts[entry.entry_author.uid]
    share: Any = dict(status)
    share |= {
        "id": str(entry.entry_id),
        "created_at": format_datetime(time_of(id=entry.entry_id)),
        "edited_at": None,
        "account": author,
        "reblog": status,
        "content": "",
        "spoiler_text": "",
        "media_attachments": [],
        "mentions": [],
        "tags": [],
        "card": None,
        "poll": None,
        "quote": None,
        "uri": absolute_url(entry.url) + f"#shared-{entry.entry_id}",
    }
    return share  # type: ignore[no-any-return]


def _serialize_status(
    post: PostView, accounts: dict[int, Account], *, is_quoted: bool = False
) -> Status:
    page_url = absolute_url(post.url)
    status: Status = {
        "id": str(post.id),
        "created_at": format_datetime(post.created_at),
        "edited_at": format_datetime(post.edited_at) if post.edited_at else None,
        "in_reply_to_id": None,
        "in_reply_to_account_id": None,
        "sensitive": bool(post.content_warning),
        "spoiler_text": post.content_warning,
        "visibility": API_VISIBILITIES[post.visibility],
        "language": post.language or None,
        "uri": page_url,
        "url": status_url(username=post.author.username, status_id=post.id),
        "replies_count": post.row.comments,
        "reblogs_count": post.row.shares,
        "favourites_count": post.row.likes,
        "quotes_count": post.row.quotes,
        "favourited": post.is_liked,
        "reblogged": post.is_shared,
        "muted": post.is_muted,
        "bookmarked": post.is_bookmarked,
        "content": post_content_html(post),
        "filtered": [
            serialize_filter_result(match, post_id=post.id) for match in post.filter_matches
        ],
        "reblog": None,
        "application": None,
        "account": accounts[post.author.uid],
        "media_attachments": [serialize_media(picture) for picture in post.media],
        # Apps insert the mentions into replies, which everybody in a conversation reads.
        "mentions": [
            serialize_mention(card)
            for card in dict.fromkeys((*post.mentioned_users, *post.participants[1:]))
        ],
        "tags": serialize_tags(
            attribute["value"]
            for attribute in post.row.attributes
            if attribute["kind"] == "hashtag"
        ),
        "emojis": [],
        "card": _serialize_card(post),
        "poll": serialize_poll(post=post) if post.kind == "poll" else None,
        "quote": _serialize_quote(post.quote, accounts, is_quoted) if post.quote else None,
        "quote_approval": serialize_quote_approval(
            policy=post.row.quote_policy if post.can_share else "nobody", can_quote=post.can_quote
        ),
        "socialsite": {
            "kind": post.kind,
            "details": post.activity.public_details(post.row.details, post.answer_card),
            "reply_policy": post.row.reply_policy,
            "can_reply": post.can_comment,
            "is_pending_review": post.is_pending_review,
        },
    }
    if post.is_own:
        status["pinned"] = post.is_pinned
    return status


def _serialize_quote(
    quote: QuoteView, accounts: dict[int, Account], is_quoted: bool
) -> Quote | ShallowQuote:
    if is_quoted:
        quoted_id = str(quote.post_id) if quote.state == "accepted" else None
        return {"state": quote.state, "quoted_status_id": quoted_id}
    if quote.post is None or quote.post.author.uid not in accounts:
        state: QuoteState = "unauthorized" if quote.state == "accepted" else quote.state
        return {"state": state, "quoted_status": None}
    quoted_status = _serialize_status(quote.post, accounts, is_quoted=True)
    return {"state": quote.state, "quoted_status": quoted_status}


def serialize_quote_approval(*, policy: str, can_quote: bool) -> QuoteApproval:
    """Return who may quote a status, and whether the viewer may."""
    return {
        "automatic": ALLOWED_TO_QUOTE[policy],
        "manual": [],
        "current_user": "automatic" if can_quote else "denied",
    }


def post_content_html(post: PostView) -> str:
    """Return the text of a post as HTML.

    For a link or a review, the HTML starts with the URL or the title, because clients cannot show these
    kinds. For a quote, it starts with a link, which apps that show quotes hide by its class.
    """
    details_html = render_html(post.details_text, linked_names=()) if post.details_text else ""
    if post.quote and post.quote.post:
        quoted_url = escape(absolute_url(post.quote.post.url))
        link = f'<a href="{quoted_url}">{quoted_url}</a>'
        details_html = f'<p class="quote-inline">RE: {link}</p>{details_html}'
    return details_html + render_html(post.text, linked_names=post.mentioned_usernames)


def serialize_mention(card: Any) -> Mention:
    return {
        "id": str(card.uid),
        "username": card.username,
        "acct": card.username,
        "url": absolute_url(card.url),
    }


def serialize_tags(tags: Iterable[str]) -> list[ShallowTag]:
    return [{"name": tag, "url": absolute_url(tag_path(tag))} for tag in tags]


def _serialize_card(post: PostView) -> Card | None:
    """Return the card of a post, None if it has none or is not fetched yet.

    A link post always has one. It contains nothing but the link, until the page is fetched.
    """
    if post.link_card is not None:
        return _serialize_link_card(post.link_card)
    if post.kind != "link":
        return None
    return serialize_link(url=post.row.details["url"], host=post.row.details["host"])


def _serialize_link_card(card: LinkCardView) -> Card:
    serialized = serialize_link(url=card.url, host=card.site or card.host)
    serialized["title"], serialized["description"] = card.title, card.description
    serialized["author_name"], serialized["author_url"] = card.author, card.author_url
    serialized["language"] = card.language or None
    if card.author:
        serialized["authors"] = [{"name": card.author, "url": card.author_url, "account": None}]
    if card.published_at:
        moment = datetime.fromisoformat(card.published_at)
        serialized["published_at"] = format_datetime(moment)
    if card.picture is not None:
        serialized["image"] = absolute_url(card.picture.large_url)
        serialized["image_description"] = card.picture.alt
        serialized["width"], serialized["height"] = card.picture.width, card.picture.height
    return serialized


def serialize_link(*, url: str, host: str) -> Card:
    return {
        "url": url,
        "title": url,
        "description": "",
        "type": "link",
        "author_name": "",
        "author_url": "",
        "provider_name": host,
        "provider_url": "",
        "html": "",
        "width": 0,
        "height": 0,
        "image": None,
        "embed_url": "",
        "blurhash": None,
        "image_description": "",
        "language": None,
        "published_at": None,
        "authors": [],
    }
