"""What notifications and moderators ask of posts and comments: facts, without the views that pages need."""

from collections.abc import Collection
from dataclasses import dataclass

from accounts import selectors as people
from feed.models import Post
from feed.store import comments, entities, hiding, posts
from feed.store.comments import Comment
from feed.store.rows import Bounds, PostRow

from .lists import readable_by
from .pages import PostView, post_views
from .visible import may_read

REVIEWERS = 1000
"""Of so many reviews of a thing, the newest, the authors are looked up."""


@dataclass(frozen=True, slots=True)
class Said:
    """A comment, without where it stands. ``parent``: the comment that it answers, 0 if none."""

    uid: int
    text: str
    parent: int
    is_hidden: bool


def post_facts(*, post_id: int) -> PostRow | None:
    """None of what is gone: one command."""
    return posts.by_ids(ids=[post_id]).get(post_id)


def comment_facts(*, post_id: int, comment_id: int) -> Comment | None:
    """None of what is gone: one command."""
    found = comments.get(post=post_id, id=comment_id)
    return None if found is None or found.is_gone else found


def comment_as_said(*, post_id: int, comment_id: int) -> Said | None:
    """Also of a comment that moderators have hidden; None of what is gone: two commands at most."""
    found = comments.get(post=post_id, id=comment_id)
    if found is None:
        return None
    if not found.is_gone:
        return Said(found.uid, found.text, found.parent, is_hidden=False)
    kept = hiding.hidden(post=post_id, id=comment_id)
    return None if kept is None else Said(kept["uid"], kept["text"], found.parent, is_hidden=True)


def held_posts(*, limit: int) -> list[int]:
    """Posts that wait for moderators, the oldest first."""
    found = Post.objects.filter(hidden=Post.Hidden.HELD).order_by("pk")
    return list(found.values_list("pk", flat=True)[:limit])


def posts_told(*, ids: Collection[int], viewer: int) -> dict[int, PostView]:
    """Those of these posts that the viewer may read, by their ids; what a share brings, by that id too."""
    rows = posts.by_ids(ids=list(ids)) if ids else {}
    seen = readable_by(rows=list(rows.values()), viewer=viewer)
    return {view.entry: view for view in post_views(shown=seen.shown, seen=seen)}


def comments_told(*, ids: Collection[int]) -> dict[int, Comment]:
    """Of these comments those that are there; whether one may read the post, ``posts_told`` says."""
    return comments.by_ids(ids=ids) if ids else {}


def mentioned_in(*, post: PostRow) -> list[int]:
    return [one["value"] for one in post.entities if one["kind"] == "mention"]


def reviewers_beside(*, post: PostRow) -> list[int]:
    """Who else has reviewed what this post reviews, each once: one command, or none."""
    items = [one["value"] for one in post.entities if one["kind"] == "item"]
    if post.kind != "review" or not items:
        return []
    found = entities.posts_about(kind="item", value=items[0], bounds=Bounds(), limit=REVIEWERS)
    return list(dict.fromkeys(one.author for one in found if one.author != post.author))


def readers_among(*, post: PostRow, uids: Collection[int]) -> set[int]:
    """Who of these people may read the post: one command. ``visible.may_read``, for many at once."""
    found = people.listeners(uids=uids, towards=post.author)
    return {
        uid
        for uid in uids
        if may_read(post=post, viewer=uid, relations=found.as_viewer(uid, towards=post.author))
    }
