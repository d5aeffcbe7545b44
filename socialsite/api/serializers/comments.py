"""Serialize comments as statuses with ``in_reply_to_id``, and mixed lists of posts and comments."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from django.urls import reverse

from accounts import user_cards
from accounts.user_cards import UserCard
from feed import attributes
from feed.selectors.comment_views import CommentView, CommentWithPost
from feed.selectors.post_view import PostView
from feed.selectors.posts_and_comments import Content, content_id_of
from feed.selectors.stored_content import comments_by_ids
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
    serialize_quote_approval,
    serialize_tags,
)
from .values import absolute_url, format_datetime, render_html, status_url


class _PageContext(NamedTuple):
    """Data read once for all comments of a page.

    Attributes:
        uid_by_name: uids of mentioned users by username.
        author_uids: uids of authors by id of the post or comment.
        cards: cards of users who may appear as the recipients of a comment, by uid.
    """

    uid_by_name: dict[str, int]
    author_uids: dict[int, int]
    cards: dict[int, UserCard]


def serialize_comments_on_posts(
    *, comments: Sequence[CommentWithPost], viewer: int | None
) -> list[Status]:
    """Serialize comments on several posts in order, without deleted comments.

    Costs at most three database commands. The status field ``muted`` is True if the viewer muted the
    thread of the post.
    """
    if not comments:
        return []
    comment_rows = [
        (row.comment, row.comment.author, row.post)
        for row in comments
        if row.comment.author is not None
    ]
    accounts = serialize_accounts(uids=[author.uid for _comment, author, _post in comment_rows])
    spans = {comment.id: spans_in(comment.text) for comment, _author, _post in comment_rows}
    names = attributes.usernames_in_spans(chain.from_iterable(spans.values()))
    uid_by_name = attributes.uids_by_username(usernames=sorted(names))
    # ``in_reply_to_account_id`` needs the authors of parents. Only parents outside this page are read.
    author_uids = {post.id: post.author.uid for _comment, _author, post in comment_rows}
    author_uids |= {comment.id: author.uid for comment, author, _post in comment_rows}
    parent_ids = {row[0].parent_id for row in comment_rows if not row[0].reply_to}
    parents = comments_by_ids(comment_ids=parent_ids - {0, *author_uids})
    author_uids |= {parent.id: parent.uid for parent in parents.values()}
    named_uids = {uid for comment, _author, _post in comment_rows for uid in comment.recipient_uids}
    cards = user_cards.cards_by_uid(uids=named_uids | ({viewer} if viewer else set()))
    cards |= {
        card.uid: card for _comment, author, post in comment_rows for card in (author, post.author)
    }
    page_context = _PageContext(uid_by_name, author_uids, cards)
    return [
        _serialize_comment(comment, post, accounts[author.uid], spans[comment.id], page_context)
        for comment, author, post in comment_rows
        if author.uid in accounts
    ]


def _serialize_comment(
    comment: CommentView,
    post: PostView,
    account: Account,
    spans: Sequence[TextSpan],
    page_context: _PageContext,
) -> Status:
    path = reverse(
        "comment_thread", args=[post.author.username, post.id, comment.thread_id or comment.id]
    )
    page_url = absolute_url(path) + (f"#comment-{comment.id}" if comment.thread_id else "")
    parent_id = comment.parent_id or post.id
    recipient_uid = (
        comment.reply_to.uid if comment.reply_to else page_context.author_uids.get(parent_id)
    )
    # The recipient must be the first mention, because apps show the first mention as the recipient.
    recipient = (
        None
        if recipient_uid is None or str(recipient_uid) == account["id"]
        else comment.reply_to or page_context.cards.get(recipient_uid)
    )
    uid_by_name = page_context.uid_by_name
    mentioned_uids = attributes.mentions_in_spans(spans, known_uids=uid_by_name)
    readers = [page_context.cards.get(uid) for uid in comment.recipient_uids]
    other_recipients = [
        card
        for card in dict.fromkeys((*readers, *post.participants))
        if card is not None
        and str(card.uid) != account["id"]
        and card.uid not in {recipient_uid, *mentioned_uids.values()}
    ]
    tags = dict.fromkeys(tag_key(span.value) for span in spans if span.kind == "hashtag")
    return {
        "id": str(comment.id),
        "created_at": format_datetime(comment.created_at),
        "edited_at": format_datetime(comment.edited_at) if comment.edited_at else None,
        "in_reply_to_id": str(parent_id),
        "in_reply_to_account_id": None if recipient_uid is None else str(recipient_uid),
        "sensitive": bool(comment.content_warning),
        "spoiler_text": comment.content_warning,
        "visibility": API_VISIBILITIES[comment.visibility or post.visibility],
        "language": None,
        "uri": page_url,
        "url": status_url(username=account["username"], status_id=comment.id),
        "replies_count": comment.reply_count,
        "reblogs_count": 0,
        "favourites_count": comment.likes,
        "quotes_count": 0,
        "favourited": comment.is_liked,
        "reblogged": False,
        "muted": post.is_muted,
        "bookmarked": comment.is_bookmarked,
        "content": render_html(comment.text, linked_names=uid_by_name),
        "filtered": [],
        "reblog": None,
        "application": None,
        "account": account,
        "media_attachments": [],
        "mentions": [
            *([serialize_mention(recipient)] if recipient else []),
            *(
                _serialize_name_mention(name, uid)
                for name, uid in mentioned_uids.items()
                if uid is not None and uid != recipient_uid
            ),
            *(serialize_mention(card) for card in other_recipients),
        ],
        "tags": serialize_tags(tags),
        "emojis": [],
        "card": None,
        "poll": None,
        "quote": None,
        "quote_approval": serialize_quote_approval(policy="nobody", can_quote=False),
    }


def _serialize_name_mention(name: str, uid: int) -> Mention:
    page = absolute_url(reverse("profile", args=[name]))
    return {"id": str(uid), "username": name, "acct": name, "url": page}


def serialize_statuses(*, items: Sequence[Content], viewer: int | None) -> list[Status]:
    """Serialize posts and comments in order.

    Costs at most three database commands, and four more if there are comments.
    """
    posts = [content for content in items if isinstance(content, PostView)]
    comments = [content for content in items if isinstance(content, CommentWithPost)]
    statuses = serialize_posts(posts=posts) + serialize_comments_on_posts(
        comments=comments, viewer=viewer
    )
    status_by_id = {status["id"]: status for status in statuses}
    ids = [str(content_id_of(content=content)) for content in items]
    return [status_by_id[status_id] for status_id in ids if status_id in status_by_id]
