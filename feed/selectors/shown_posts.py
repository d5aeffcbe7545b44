"""The last step of a page of posts: turn the entries that the viewer may see into what is shown.

The user cards of a whole page are read together. A quoted post keeps its own visibility: viewers who may
not see it get a placeholder. A post that a quoted post quotes is not shown, only linked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from accounts.user_cards import UserCard, cards_by_uid
from feed.activities import activity_kind
from feed.store.post_rows import PostRow

from .pictures import MediaView, link_card_view
from .post_view import CommentExcerpt, PostView, QuoteState, QuoteView
from .visibility import (
    VisibleEntries,
    VisibleEntry,
    can_view,
    has_public_pictures,
    names_blocked_user,
)


def post_views(*, shown: Sequence[VisibleEntry], seen: VisibleEntries) -> tuple[PostView, ...]:
    """Return a ``PostView`` for each entry, without entries of suspended or deleted users."""
    quoted = _quoted_entries(shown, seen)
    cards = cards_by_uid(uids={uid for entry in (*shown, *quoted.values()) for uid in _uids(entry)})
    quoted_views = _post_views(list(quoted.values()), replace(seen, related_posts=None), cards, {})
    return _post_views(shown, seen, cards, {view.id: view for view in quoted_views})


def _post_views(
    shown: Sequence[VisibleEntry],
    seen: VisibleEntries,
    cards: Mapping[int, UserCard],
    quoted_views: Mapping[int, PostView],
) -> tuple[PostView, ...]:
    return tuple(
        PostView(
            row=entry.post,
            entry_id=entry.entry.id,
            author=cards[entry.post.author],
            featured_users=tuple(
                cards[uid]
                for uid in activity_kind(entry.post.kind).named_uids(entry.post.details)
                if uid in cards
            ),
            source_tag=seen.source_tag(entry.entry),
            source_kind="" if entry.entry is entry.post else entry.entry.kind,
            content_warning=entry.post.content_warning
            or (_("Sensitive") if entry.post.is_sensitive else ""),
            is_pending_review=bool(entry.post.hidden),
            media=_media(entry.post, cards[entry.post.author]),
            shared_by=None if entry.entry is entry.post else cards[entry.entry.author],
            is_own=entry.post.author == seen.viewer,
            is_shared=entry.post.id in seen.interactions.shared,
            is_liked=entry.post.id in seen.interactions.liked,
            filter_matches=seen.matching_filters(entry.post),
            is_bookmarked=entry.post.id in seen.interactions.bookmarked,
            is_pinned=entry.post.id in seen.interactions.pinned,
            is_muted=entry.post.id in seen.interactions.muted,
            can_comment=seen.can_comment(entry.post),
            can_quote=seen.can_quote(entry.post),
            mentioned_users=tuple(cards[uid] for uid in entry.post.mentioned_uids if uid in cards),
            participants=tuple(cards[uid] for uid in _participants(entry.post) if uid in cards),
            answer_card=activity_kind(entry.post.kind).answer_card(
                entry.post.details,
                answer=seen.interactions.answers.get(entry.post.id, 0),
                is_own=entry.post.author == seen.viewer,
                has_viewer=seen.viewer is not None,
            ),
            quote=_quote_view(entry.post, seen, quoted_views),
            link_card=link_card_view(post=entry.post),
            is_author_followed=entry.post.author in seen.relationships.followed,
            newest_likers=tuple(
                cards[uid]
                for uid in reversed(entry.post.newest_likers)
                if uid in cards and seen.shows_user(uid)
            ),
            newest_comments=tuple(
                CommentExcerpt(id=comment["id"], by=cards[comment["uid"]], text=comment["text"])
                for comment in entry.post.newest_comments
                if comment["uid"] in cards and seen.shows_user(comment["uid"])
            ),
        )
        for entry in shown
        if entry.entry.author in cards and entry.post.author in cards
    )


def _media(post: PostRow, author: UserCard) -> tuple[MediaView, ...]:
    is_open = has_public_pictures(post.visibility, post.hidden, author)
    signature_scope = None if is_open else post.id
    return tuple(MediaView(**picture, signature_scope=signature_scope) for picture in post.media)


def _uids(shown: VisibleEntry) -> set[int]:
    post = shown.post
    commenters = (comment["uid"] for comment in post.newest_comments)
    named_uids = activity_kind(post.kind).named_uids(post.details)
    return {
        shown.entry.author,
        post.author,
        *post.newest_likers,
        *commenters,
        *named_uids,
        *post.mentioned_uids,
        *_participants(post),
    }


def _participants(post: PostRow) -> Iterable[int]:
    if post.visibility != "direct":
        return ()
    return dict.fromkeys([post.author, *post.recipients])


def _quoted_entries(shown: Sequence[VisibleEntry], seen: VisibleEntries) -> dict[int, VisibleEntry]:
    """Return the quoted posts that the viewer may see, by id."""
    quoted_posts = seen.related_posts or {}
    return {
        quoted.id: VisibleEntry(quoted, quoted)
        for entry in shown
        if (quoted := quoted_posts.get(entry.post.quoted_id or 0)) is not None
        and _state(entry.post, quoted, seen) == "accepted"
    }


def _quote_view(
    post: PostRow, seen: VisibleEntries, views: Mapping[int, PostView]
) -> QuoteView | None:
    """Return the quote in a post, None if there is none. ``views``: the visible quoted posts, by id."""
    if post.quoted_id is None:
        return None
    if seen.related_posts is None:
        return QuoteView(post.quoted_id, "revoked" if post.is_quote_revoked else "accepted")
    state = _state(post, seen.related_posts.get(post.quoted_id), seen)
    if state == "accepted" and post.quoted_id not in views:
        state = "unauthorized"  # the account of the author is closed
    return QuoteView(post.quoted_id, state, views[post.quoted_id] if state == "accepted" else None)


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
