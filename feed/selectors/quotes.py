"""Quoted posts, as pages and apps show them inside the posts that quote them.

A quoted post keeps its own visibility: viewers who may not see it get a placeholder. A post that a quoted
post quotes is not shown, only linked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from feed.store.post_rows import PostRow

from .visibility import VisibleEntries, VisibleEntry, can_view, names_blocked_user

if TYPE_CHECKING:
    from .pages import PostView

QuoteState = Literal["accepted", "revoked", "deleted", "unauthorized", "muted_account"]
"""What became of a quote. "unauthorized" means that the viewer may not see the quoted post."""


@dataclass(frozen=True, slots=True)
class QuoteView:
    """The quote in a post, for one viewer.

    Attributes:
        post_id: id of the quoted post.
        post: the quoted post. None if the state is not "accepted", and for a quote in a quoted post.
    """

    post_id: int
    state: QuoteState
    post: "PostView | None" = None


def quoted_entries(
    *, shown: Sequence[VisibleEntry], seen: VisibleEntries
) -> dict[int, VisibleEntry]:
    """Return the quoted posts that the viewer may see, by id."""
    entries = {}
    for entry in shown:
        quoted = _quoted_row(entry.post, seen)
        if quoted is not None and _state(entry.post, quoted, seen) == "accepted":
            entries[quoted.id] = VisibleEntry(quoted, quoted)
    return entries


def quote_view(
    *, post: PostRow, seen: VisibleEntries, views: "Mapping[int, PostView]"
) -> QuoteView | None:
    """Return the quote in a post, None if there is none. ``views``: the visible quoted posts, by id."""
    if post.quoted_id is None:
        return None
    if seen.related_posts is None:
        return QuoteView(post.quoted_id, "revoked" if post.is_quote_revoked else "accepted")
    state = _state(post, _quoted_row(post, seen), seen)
    if state == "accepted" and post.quoted_id not in views:
        state = "unauthorized"  # the account of the author is closed
    return QuoteView(post.quoted_id, state, views[post.quoted_id] if state == "accepted" else None)


def _quoted_row(post: PostRow, seen: VisibleEntries) -> PostRow | None:
    if post.quoted_id is None or seen.related_posts is None:
        return None
    return seen.related_posts.get(post.quoted_id)


def _state(post: PostRow, quoted: PostRow | None, seen: VisibleEntries) -> QuoteState:
    if post.is_quote_revoked:
        return "revoked"
    if quoted is None:
        return "deleted"
    relationships = seen.relationships
    is_visible = can_view(post=quoted, viewer=seen.viewer, relationships=relationships)
    if not is_visible or names_blocked_user(quoted, relationships):
        return "unauthorized"
    if quoted.author in relationships.muted:
        return "muted_account"
    is_own = quoted.author == seen.viewer
    if not is_own and seen.filters is not None and seen.filters.hides_post(quoted):
        return "unauthorized"
    return "accepted"
