"""Comments, which are statuses with ``in_reply_to_id`` here."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from django.urls import reverse

from accounts import user_cards
from accounts.user_cards import UserCard
from feed import attributes, selectors
from feed.selectors import CommentOnPost, CommentView, PostView
from feed.text.entities import entities_in
from feed.text.hashtags import tag_key
from feed.text.kinds import Entity

from .accounts import Account, accounts_of
from .muted import muted_by
from .statuses import VISIBILITIES, Mention, Status, mention, tags_of
from .values import absolute, at, html


class _Around(NamedTuple):
    """Uids by names, and of who wrote what by id; the cards of those who may be named to the viewer; the
    threads one does not want to hear of."""

    known: dict[str, int]
    authors: dict[int, int]
    cards: dict[int, UserCard]
    muted: set[int]


def comment_statuses(
    *, comments: Sequence[CommentView], post: PostView, viewer: int | None
) -> list[Status]:
    """Those of one post, in their order, without the deleted ones: four commands."""
    return statuses_of_comments(said=[CommentOnPost(one, post) for one in comments], viewer=viewer)


def statuses_of_comments(*, said: Sequence[CommentOnPost], viewer: int | None) -> list[Status]:
    """As ``comment_statuses``, of whatever posts. ``muted`` is what they were said to."""
    if not said:
        return []
    muted = muted_by(viewer=viewer)
    there = [(one.comment, one.comment.by, one.post) for one in said if one.comment.by is not None]
    accounts = accounts_of(uids=[by.uid for _one, by, _post in there])
    written = {one.id: entities_in(one.text) for one, _by, _post in there}
    names = attributes.names_among(chain.from_iterable(written.values()))
    known = attributes.uids_of(names=sorted(names))
    # Who wrote what is answered, as far as it is here.
    authors = {post.id: post.author.uid for _one, _by, post in there}
    authors |= {one.id: by.uid for one, by, _post in there}
    missing = {one.parent for one, _by, _post in there if not one.answers} - {0, *authors}
    told = selectors.comments_told(ids=missing)
    authors |= {answered.id: answered.uid for answered in told.values()}
    cards = {} if viewer is None else user_cards.cards(uids=[viewer])
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
    written: Sequence[Entity],
    around: _Around,
) -> Status:
    path = reverse("thread", args=[post.author.username, post.id, one.thread or one.id])
    page = absolute(path) + (f"#comment-{one.id}" if one.thread else "")
    answered = one.parent or post.id
    to = one.answers.uid if one.answers else around.authors.get(answered)
    # Who is answered first: of notifications about it, apps look there for whom it is meant.
    meant = None if to is None or str(to) == account["id"] else one.answers or around.cards.get(to)
    known = around.known
    named = attributes.mentions_among(written, known=known)
    tags = dict.fromkeys(tag_key(e.value) for e in written if e.kind == "hashtag")
    return {
        "id": str(one.id),
        "created_at": at(one.created_at),
        "edited_at": at(one.edited_at) if one.edited_at else None,
        "in_reply_to_id": str(answered),
        "in_reply_to_account_id": None if to is None else str(to),
        "sensitive": False,
        "spoiler_text": "",
        "visibility": VISIBILITIES[post.visibility],
        "language": None,
        "uri": page,
        "url": page,
        "replies_count": one.replies,
        "reblogs_count": 0,
        "favourites_count": one.likes,
        "quotes_count": 0,
        "favourited": one.is_liked,
        "reblogged": False,
        "muted": post.id in around.muted,
        "bookmarked": one.is_kept,
        "content": html(one.text, known=known),
        "filtered": [],
        "reblog": None,
        "application": None,
        "account": account,
        "media_attachments": [],
        "mentions": [
            *([mention(meant)] if meant else []),
            *(_mention(name, uid) for name, uid in named.items() if uid is not None and uid != to),
        ],
        "tags": tags_of(tags),
        "emojis": [],
        "card": None,
        "poll": None,
        "quote": None,
    }


def _mention(name: str, uid: int) -> Mention:
    page = absolute(reverse("profile", args=[name]))
    return {"id": str(uid), "username": name, "acct": name, "url": page}
