"""Let users act on posts and comments, which are identified by ids.

The site's services expect posts and comments as the actor sees them. These functions first look up the
post or comment, as views do, and raise Http404 if it is not visible to the actor.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from accounts.models import User
from feed.post_content import Audience, PostContent
from feed.selectors.comment_views import CommentView
from feed.selectors.comments import visible_comment
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from feed.services import comments, interactions, posts
from feed.services.answers import answer
from feed.services.pictures import Descriptions


def publish_post(
    *,
    author: int,
    text: str = "",
    quoted: PostView | None = None,
    idempotency_key: str = "",
    on_insert: Callable[[], None] | None = None,
    **written: Any,
) -> int:
    """Publish a post. ``written`` are fields of its content and its audience."""
    return posts.publish_post(
        author=author,
        content=content_of(text, **written),
        quoted=quoted,
        idempotency_key=idempotency_key,
        on_insert=on_insert,
    )


def edit_post(
    *, post_id: int, actor: User, descriptions: Descriptions | None = None, **written: Any
) -> None:
    """Change these fields of the content and the audience of a post."""
    content = _changed(_post(post_id, actor).content, **written)
    posts.edit_post(post_id=post_id, actor=actor, content=content, descriptions=descriptions or {})


def content_of(text: str = "", **written: Any) -> PostContent:
    """Return a content with these fields of its own and of its audience."""
    return _changed(PostContent(), text=text, **written)


def _changed(content: PostContent, **written: Any) -> PostContent:
    names = [field.name for field in fields(Audience) if field.name in written]
    audience = replace(content.audience, **{name: written.pop(name) for name in names})
    if "picture_ids" in written:
        written["picture_ids"] = tuple(written["picture_ids"])
    if "details" in written:
        written["details"] = written["details"] or {}
    return replace(content, audience=audience, **written)


def like_post(*, post_id: int, actor: User) -> bool:
    before = _post(post_id, actor)
    return interactions.like_post(post=before, actor=actor).row.likes > before.row.likes


def vote(post_id: int, actor: User, *choices: int) -> None:
    answer(post=_post(post_id, actor), choices=choices, actor=actor)


def share_post(*, post_id: int, actor: User) -> int:
    return interactions.share_post(post=_post(post_id, actor), actor=actor)


def bookmark_post(*, post_id: int, actor: User) -> None:
    interactions.bookmark_post(post=_post(post_id, actor), actor=actor)


def pin_post(*, post_id: int, actor: User) -> None:
    interactions.pin_post(post=_post(post_id, actor), actor=actor)


def add_comment(
    *,
    post_id: int,
    actor: User,
    text: str,
    parent_id: int = 0,
    idempotency_key: str = "",
    **options: str,
) -> int:
    post, parent = _post(post_id, actor), None
    if parent_id:
        parent = visible_comment(post=post, comment_id=parent_id, viewer=actor.pk)
    return comments.add_comment(
        post=post,
        actor=actor,
        text=text,
        parent=parent,
        idempotency_key=idempotency_key,
        **options,
    )


def edit_comment(*, post_id: int, comment_id: int, actor: User, text: str) -> None:
    post, comment = _comment(post_id, comment_id, actor)
    comments.edit_comment(post=post, comment=comment, actor=actor, text=text)


def delete_comment(*, post_id: int, comment_id: int, actor: User) -> None:
    post, comment = _comment(post_id, comment_id, actor)
    comments.delete_comment(post=post, comment=comment, actor=actor)


def like_comment(*, post_id: int, comment_id: int, actor: User) -> bool:
    post, comment = _comment(post_id, comment_id, actor)
    return comments.like_comment(post=post, comment=comment, actor=actor)


def bookmark_comment(*, post_id: int, comment_id: int, actor: User) -> bool:
    _, comment = _comment(post_id, comment_id, actor)
    return interactions.bookmark_comment(comment=comment, actor=actor)


def _post(post_id: int, actor: User) -> PostView:
    return visible_post(post_id=post_id, viewer=actor.pk)


def _comment(post_id: int, comment_id: int, actor: User) -> tuple[PostView, CommentView]:
    post = _post(post_id, actor)
    return post, visible_comment(post=post, comment_id=comment_id, viewer=actor.pk)
