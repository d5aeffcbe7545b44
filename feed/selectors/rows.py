"""What notifications and moderators ask of posts and comments: facts, without the views that pages need."""

from collections.abc import Collection
from dataclasses import dataclass

from accounts.selectors.relationships import recipient_relationships
from feed.models import Post
from feed.store import attributes, comments, hidden_comments, posts
from feed.store.comments import Comment
from feed.store.post_rows import IdRange, PostRow

from .lists import visible_entries
from .pages import PostView, post_views
from .visibility import can_view

MAX_REVIEWERS = 1000
"""Of so many reviews of a thing, the newest, the authors are looked up."""


@dataclass(frozen=True, slots=True)
class ReviewedComment:
    """A comment, without where it stands. ``parent``: the comment that it answers, 0 if none."""

    uid: int
    text: str
    parent: int
    is_hidden: bool


def post_row(*, post_id: int) -> PostRow | None:
    """None of what is gone: one command."""
    return posts.by_ids(ids=[post_id]).get(post_id)


def comment_row(*, post_id: int, comment_id: int) -> Comment | None:
    """None of what is gone: one command."""
    found = comments.get_comment(post=post_id, id=comment_id)
    return None if found is None or found.is_deleted else found


def reviewed_comment(*, post_id: int, comment_id: int) -> ReviewedComment | None:
    """Also of a comment that moderators have hidden; None of what is gone: two commands at most."""
    found = comments.get_comment(post=post_id, id=comment_id)
    if found is None:
        return None
    if not found.is_deleted:
        return ReviewedComment(found.uid, found.text, found.parent_id, is_hidden=False)
    kept = hidden_comments.hidden_content(post=post_id, id=comment_id)
    return (
        None
        if kept is None
        else ReviewedComment(kept["uid"], kept["text"], found.parent_id, is_hidden=True)
    )


def ids_pending_review(*, limit: int) -> list[int]:
    """Posts that wait for moderators, the oldest first."""
    found = Post.objects.filter(hidden=Post.Hidden.HELD).order_by("pk")
    return list(found.values_list("pk", flat=True)[:limit])


def visible_post_views(*, post_ids: Collection[int], viewer: int) -> dict[int, PostView]:
    """Those of these posts that the viewer may read, by their ids; what a share brings, by that id too."""
    rows = posts.by_ids(ids=list(post_ids)) if post_ids else {}
    seen = visible_entries(rows=list(rows.values()), viewer=viewer)
    return {view.entry_id: view for view in post_views(shown=seen.entries, seen=seen)}


def comments_by_ids(*, comment_ids: Collection[int]) -> dict[int, Comment]:
    """Of these comments those that are there; whether one may read the post, ``posts_told`` says."""
    return comments.by_ids(ids=comment_ids) if comment_ids else {}


def mentioned_uids(*, post: PostRow) -> list[int]:
    return [one["value"] for one in post.attributes if one["kind"] == "mention"]


def other_reviewers(*, post: PostRow) -> list[int]:
    """Who else has reviewed what this post reviews, each once: one command, or none."""
    items = [one["value"] for one in post.attributes if one["kind"] == "item"]
    if post.kind != "review" or not items:
        return []
    found = attributes.posts_about(
        kind="item", value=items[0], id_range=IdRange(), limit=MAX_REVIEWERS
    )
    return list(dict.fromkeys(one.author for one in found if one.author != post.author))


def uids_with_access(*, post: PostRow, uids: Collection[int]) -> set[int]:
    """Who of these people may read the post: one command. ``visible.may_read``, for many at once."""
    found = recipient_relationships(recipients=uids, actor=post.author)
    return {
        uid
        for uid in uids
        if can_view(
            post=post, viewer=uid, relationships=found.for_recipient(uid, actor=post.author)
        )
    }
