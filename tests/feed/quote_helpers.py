"""Publish quotes, and read the quotes that viewers see."""

from typing import Any

from accounts.models import User
from feed.models import Post
from feed.selectors.post_view import QuoteView
from feed.selectors.visible_posts import visible_post
from feed.services.quotes import revoke_quote
from tests.actions import publish_post


def quote(post_id: int, author: User, text: str = "Look at this", **fields: Any) -> int:
    """Publish a post that quotes ``post_id``. Return the id of the new post."""
    quoted = visible_post(post_id=post_id, viewer=author.pk)
    return publish_post(author=author.pk, text=text, quoted=quoted, **fields)


def revoke(quoted_id: int, quoting_id: int, actor: User) -> None:
    quoted = visible_post(post_id=quoted_id, viewer=actor.pk)
    revoke_quote(quoted=quoted, quoting_id=quoting_id, actor=actor)


def seen_quote(post_id: int, viewer: User | None = None) -> QuoteView:
    """Return the quote in a post as the viewer sees it. Fail if the post quotes nothing."""
    view = visible_post(post_id=post_id, viewer=viewer.pk if viewer else None).quote
    assert view is not None
    return view


def state(post_id: int, viewer: User | None = None) -> str:
    return seen_quote(post_id, viewer).state


def number(post_id: int) -> int:
    """Return the number of quotes of a post."""
    return Post.objects.get(pk=post_id).quotes
