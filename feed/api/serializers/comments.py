"""Comments, which are statuses with ``in_reply_to_id`` here."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from django.urls import reverse

from accounts import user_cards
from accounts.user_cards import UserCard
from feed import attributes
from feed.muted_conversations import muted_post_ids
from feed.selectors.comments import CommentView, CommentWithPost
from feed.selectors.content import Content
from feed.selectors.pages import PostView
from feed.selectors.rows import comments_by_ids
from feed.text.hashtags import tag_key
from feed.text.spans import spans_in
from feed.text.syntax import TextSpan

from .accounts import Account, serialize_accounts
from .statuses import (
    API_VISIBILITIES,
    Mention,
    Status,
    serialize_mention,
    serialize_posts,
    serialize_tags,
)
from .values import absolute_url, format_datetime, render_html


class _Around(NamedTuple):
    """Uids by names, and of who wrote what by id; the cards of those who may be named to the viewer; the
    threads one does not want to hear of."""

    known: dict[str, int]
    authors: dict[int, int]
    cards: dict[int, UserCard]
    muted: set[int]


def serialize_comments(
    *, comments: Sequence[CommentView], post: PostView, viewer: int | None
) -> list[Status]:
    """Those of one post, in their order, without the deleted ones: four commands."""
    return serialize_comments_on_posts(
        comments=[CommentWithPost(one, post) for one in comments], viewer=viewer
    )


def serialize_comments_on_posts(
    *, comments: Sequence[CommentWithPost], viewer: int | None
) -> list[Status]:
    """As ``comment_statuses``, of whatever posts. ``muted`` is what they were said to."""
    if not comments:
        return []
    muted = muted_post_ids(viewer=viewer)
    there = [
        (one.comment, one.comment.author, one.post)
        for one in comments
        if one.comment.author is not None
    ]
    accounts = serialize_accounts(uids=[by.uid for _one, by, _post in there])
    written = {one.id: spans_in(one.text) for one, _by, _post in there}
    names = attributes.usernames_in_spans(chain.from_iterable(written.values()))
    known = attributes.uids_by_username(usernames=sorted(names))
    # Who wrote what is answered, as far as it is here.
    authors = {post.id: post.author.uid for _one, _by, post in there}
    authors |= {one.id: by.uid for one, by, _post in there}
    missing = {one.parent_id for one, _by, _post in there if not one.reply_to} - {0, *authors}
    told = comments_by_ids(comment_ids=missing)
    authors |= {answered.id: answered.uid for answered in told.values()}
    cards = {} if viewer is None else user_cards.cards_by_uid(uids=[viewer])
    cards |= {card.uid: card for _one, by, post in there for card in (by, post.author)}
    around = _Around(known, authors, cards, muted)
    return [
        _status(one, post, accounts[by.uid], written[one.id], around)
        for one, by, post in there
        if by.uid in accounts
    ]


def _status(
    one: CommentView,
    post: PostView,
    account: Account,
    written: Sequence[TextSpan],
    around: _Around,
) -> Status:
    path = reverse("thread", args=[post.author.username, post.id, one.thread_id or one.id])
    page = absolute_url(path) + (f"#comment-{one.id}" if one.thread_id else "")
    answered = one.parent_id or post.id
    to = one.reply_to.uid if one.reply_to else around.authors.get(answered)
    # Who is answered first: of notifications about it, apps look there for whom it is meant.
    meant = None if to is None or str(to) == account["id"] else one.reply_to or around.cards.get(to)
    known = around.known
    named = attributes.mentions_in_spans(written, known_uids=known)
    tags = dict.fromkeys(tag_key(e.value) for e in written if e.kind == "hashtag")
    return {
        "id": str(one.id),
        "created_at": format_datetime(one.created_at),
        "edited_at": format_datetime(one.edited_at) if one.edited_at else None,
        "in_reply_to_id": str(answered),
        "in_reply_to_account_id": None if to is None else str(to),
        "sensitive": False,
        "spoiler_text": "",
        "visibility": API_VISIBILITIES[post.visibility],
        "language": None,
        "uri": page,
        "url": page,
        "replies_count": one.reply_count,
        "reblogs_count": 0,
        "favourites_count": one.likes,
        "quotes_count": 0,
        "favourited": one.is_liked,
        "reblogged": False,
        "muted": post.id in around.muted,
        "bookmarked": one.is_bookmarked,
        "content": render_html(one.text, linked_names=known),
        "filtered": [],
        "reblog": None,
        "application": None,
        "account": account,
        "media_attachments": [],
        "mentions": [
            *([serialize_mention(meant)] if meant else []),
            *(_mention(name, uid) for name, uid in named.items() if uid is not None and uid != to),
        ],
        "tags": serialize_tags(tags),
        "emojis": [],
        "card": None,
        "poll": None,
        "quote": None,
    }


def _mention(name: str, uid: int) -> Mention:
    page = absolute_url(reverse("profile", args=[name]))
    return {"id": str(uid), "username": name, "acct": name, "url": page}


# MERGED FROM feed.api.serializers.comments: Posts and comments in one list.
def serialize_statuses(*, items: Sequence[Content], viewer: int | None) -> list[Status]:
    """In their order: four commands, and four more where there are comments."""
    views = [one for one in items if isinstance(one, PostView)]
    said = [one for one in items if isinstance(one, CommentWithPost)]
    made = serialize_posts(posts=views, viewer=viewer) + serialize_comments_on_posts(
        comments=said, viewer=viewer
    )
    known = {one["id"]: one for one in made}
    ids = [str(one.entry_id if isinstance(one, PostView) else one.comment.id) for one in items]
    return [known[one] for one in ids if one in known]
