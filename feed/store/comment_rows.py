"""Comments and how they are stored: in buckets of up to 50.

Each post and each thread has its own sequence of buckets.

    comment_buckets {post, thread, seq, n, comments: [<= 50]}                  unique (post, thread, seq)
        each: {id, uid, parent_id, reply_to_uid, text, edited_at, likes, replies, is_deleted,
               content_warning?, visibility?, recipients?, limited_replies?, is_author_limited?}

``seq`` numbers the buckets of a sequence from 0. ``n`` is the number of elements of ``comments``.
``thread`` is 0 for a comment on the post itself. For a reply, ``thread`` is the id of the comment that
began the thread. ``parent_id`` is the id of the answered comment. ``reply_to_uid`` is the author of the
answered comment, or 0 if that comment began the thread.

A comment never moves, and a deleted comment leaves an empty element. So the id of any comment, deleted or
not, is a cursor of pages in both directions. Places in the list are no cursors: they would count comments
that the viewer may not read.

A comment with a ``visibility`` of its own is *limited*: only its author and its ``recipients`` may read it,
and with "followers" also the author's followers. Counters and ``newest_comments`` of the post leave limited
comments out. ``limited_replies`` counts the limited replies in a thread, ``replies`` the others.
``is_author_limited`` marks comments that are limited to followers only while strangers do not see their
author (decision 0030). ``Comment.visibility`` is then "". Above replies, strangers see a placeholder.
"""

from dataclasses import dataclass
from datetime import datetime

from accounts.infra.store.connection import Document, aware
from feed.models import Post

CAPACITY = 50
FOLLOWERS = Post.Visibility.FOLLOWERS.value


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment. A deleted comment has the uid 0 and no text.

    Attributes:
        replies: number of replies in the thread that the comment began, 0 for a reply.
        limited_replies: number of further replies that are limited.
        visibility: "" if everyone who can read the post can read the comment, else "followers" or
            "direct", as in ``Post.Visibility``.
        recipients: uids of the users who can read a limited comment, besides its author.
    """

    id: int
    post: int
    thread_id: int
    uid: int
    parent_id: int
    reply_to_uid: int
    text: str
    edited_at: datetime | None
    likes: int
    replies: int
    is_deleted: bool
    content_warning: str = ""
    visibility: str = ""
    recipients: tuple[int, ...] = ()
    limited_replies: int = 0
    is_author_limited: bool = False


@dataclass(frozen=True, slots=True)
class NewComment:
    """The content of a comment that is not stored yet, as in ``Comment``."""

    post: int
    uid: int
    text: str
    thread_id: int = 0
    parent_id: int = 0
    reply_to_uid: int = 0
    content_warning: str = ""
    visibility: str = ""
    recipients: tuple[int, ...] = ()
    is_author_limited: bool = False

    @property
    def is_limited(self) -> bool:
        return bool(self.visibility)


def comment_element(*, id: int, comment: NewComment, replies: int = 0) -> Document:
    """Return the array element that stores a new comment. Empty optional fields are not stored."""
    optional: Document = {
        "content_warning": comment.content_warning,
        "visibility": comment.visibility,
        "recipients": list(comment.recipients),
        "is_author_limited": comment.is_author_limited,
    }
    return {
        "id": id,
        "uid": comment.uid,
        "parent_id": comment.parent_id,
        "reply_to_uid": comment.reply_to_uid,
        "text": comment.text,
        "edited_at": None,
        "likes": 0,
        "replies": replies,
        "is_deleted": False,
        **{name: value for name, value in optional.items() if value},
    }


def comment_from_bucket(document: Document) -> Comment:
    """Return a comment from a bucket after ``$unwind``, when ``comments`` is one array element."""
    element = document["comments"]
    return Comment(
        id=element["id"],
        post=document["post"],
        thread_id=document["thread"],
        uid=element["uid"],
        parent_id=element["parent_id"],
        reply_to_uid=element["reply_to_uid"],
        text=element["text"],
        edited_at=aware(element["edited_at"]),
        likes=element["likes"],
        replies=element["replies"],
        is_deleted=element["is_deleted"],
        content_warning=element.get("content_warning", ""),
        visibility="" if element.get("is_author_limited") else element.get("visibility", ""),
        recipients=tuple(element.get("recipients", ())),
        limited_replies=element.get("limited_replies", 0),
        is_author_limited=element.get("is_author_limited", False),
    )
