"""Like, share, bookmark, pin and quote posts and comments, mute their threads, and undo these actions.

Likes, bookmarks, pins and mutes change only a counter or a flag. To save database commands, these endpoints
return the status from before the action with the counter or flag changed. Shares read the status again.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.fields import empty

from accounts.models import User
from feed.selectors.comment_views import CommentView
from feed.selectors.post_pages import quotes_page
from feed.selectors.post_view import PostView
from feed.services import comments, interactions
from feed.services.quotes import revoke_quote as revoke
from feed.services.quotes import set_quote_policy as set_policy
from notifications.services.preferences import mute_thread as mute
from notifications.store.threads import unmute_thread as unmute

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import OPTIONAL, Inputs, OnlyAllowed, PageInputs
from .serializers.statuses import Status
from .status_inputs import VISIBILITY_BY_API_NAME, QuotePolicyField
from .status_lookup import FoundStatus, find_post, find_status, reload_status, serialize_status
from .timelines import status_page


def _like(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        return FoundStatus(interactions.like_post(post=post, actor=actor))
    is_new = comments.like_comment(post=post, comment=comment, actor=actor)
    return FoundStatus(post, replace(comment, is_liked=True, likes=comment.likes + is_new))


def _unlike(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        was_liked = interactions.unlike_post(post_id=post.id, actor=actor)
        return FoundStatus(post.with_like(is_liked=False, change=-int(was_liked)))
    was_liked = comments.unlike_comment(post_id=post.id, comment_id=comment.id, actor=actor)
    return FoundStatus(post, replace(comment, is_liked=False, likes=comment.likes - was_liked))


def _bookmark(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        return FoundStatus(interactions.bookmark_post(post=post, actor=actor))
    interactions.bookmark_comment(comment=comment, actor=actor)
    return FoundStatus(post, replace(comment, is_bookmarked=True))


def _unbookmark(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        interactions.remove_bookmark(post_id=post.id, actor=actor)
        return FoundStatus(replace(post, is_bookmarked=False))
    interactions.remove_bookmark(post_id=comment.id, actor=actor)
    return FoundStatus(post, replace(comment, is_bookmarked=False))


def _interaction(
    scope: str,
    description: str,
    action: Callable[[PostView, CommentView | None, User], FoundStatus],
) -> Any:
    """Return an endpoint that performs an action on a post or comment and returns the changed status."""

    def interact(request: ApiRequest, status_id: int) -> Any:
        status = find_status(status_id=status_id, viewer=request.uid)
        changed_status = action(status.post, status.comment, request.signed_in_user)
        return serialize_status(status=changed_status, viewer=request.uid)

    interact.__doc__ = description
    return endpoint(scope, returns=Status, tag="statuses")(interact)


favourite = _interaction("write:favourites", "Like a post or comment.", _like)
unfavourite = _interaction(
    "write:favourites",
    "Remove the caller's like from a post or comment.",
    _unlike,
)
bookmark = _interaction("write:bookmarks", "Bookmark a post or comment.", _bookmark)
unbookmark = _interaction("write:bookmarks", "Remove a bookmark.", _unbookmark)


class ReblogInputs(Inputs):
    visibility = serializers.ChoiceField(
        choices=[*VISIBILITY_BY_API_NAME],
        allow_blank=True,
        **OPTIONAL,
        validators=[OnlyAllowed(_("Shares are public, like the posts."), "public", "unlisted", "")],
    )


@endpoint("write:statuses", inputs=ReblogInputs, returns=Status, tag="statuses")
def reblog(request: ApiRequest, status_id: int) -> Any:
    """Share a post. Returns the share."""
    post = find_post(status_id=status_id, viewer=request.uid)
    share_id = interactions.share_post(post=post, actor=request.signed_in_user)
    return reload_status(status_id=share_id, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def unreblog(request: ApiRequest, status_id: int) -> Any:
    """Remove the caller's share of a post. Returns the post."""
    post = find_post(status_id=status_id, viewer=request.uid)
    interactions.unshare_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def pin(request: ApiRequest, status_id: int) -> Any:
    """Pin one of the caller's own posts to the caller's profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    status = FoundStatus(interactions.pin_post(post=post, actor=request.signed_in_user))
    return serialize_status(status=status, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def unpin(request: ApiRequest, status_id: int) -> Any:
    """Unpin a post from the caller's profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    interactions.unpin_post(post_id=post.id, actor=request.signed_in_user)
    status = FoundStatus(replace(post, is_pinned=False))
    return serialize_status(status=status, viewer=request.uid)


@endpoint("write:mutes", returns=Status, tag="thread_mutes")
def mute_thread(request: ApiRequest, status_id: int) -> Any:
    """Mute notifications about a post. The id of a comment mutes the comment's post."""
    status = find_status(status_id=status_id, viewer=request.uid)
    mute(uid=request.uid, post_id=status.post.id)
    return _serialize_muted(status, request.uid, is_muted=True)


@endpoint("write:mutes", returns=Status, tag="thread_mutes")
def unmute_thread(request: ApiRequest, status_id: int) -> Any:
    """Unmute notifications about a post."""
    status = find_status(status_id=status_id, viewer=request.uid)
    unmute(uid=request.uid, post=status.post.id)
    return _serialize_muted(status, request.uid, is_muted=False)


def _serialize_muted(status: FoundStatus, viewer: int, *, is_muted: bool) -> Status:
    changed_status = replace(status, post=replace(status.post, is_muted=is_muted))
    return serialize_status(status=changed_status, viewer=viewer)


class QuotePolicyInputs(Inputs):
    quote_approval_policy = QuotePolicyField(
        required=True, allow_null=False, allow_blank=False, default=empty
    )


@endpoint(
    "read:statuses", caller=Caller.ANYONE, inputs=PageInputs, returns=list[Status], tag="statuses"
)
def quotes(request: ApiRequest, status_id: int) -> Any:
    """Return the posts that quote a post, newest first. Empty for a comment."""
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    if status.comment is not None:
        return []
    page = quotes_page(post=status.post, viewer=request.viewer_id, bounds=request.page_bounds)
    return status_page(page=page, request=request)


@endpoint("write:statuses", returns=Status, tag="statuses")
def revoke_quote(request: ApiRequest, status_id: int, quoting_status_id: int) -> Any:
    """Remove the caller's own post from a post that quotes it. Returns the quoting post."""
    post = find_post(status_id=status_id, viewer=request.uid)
    revoke(quoted=post, quoting_id=quoting_status_id, actor=request.signed_in_user)
    return reload_status(status_id=quoting_status_id, viewer=request.uid)


@endpoint("write:statuses", inputs=QuotePolicyInputs, returns=Status, tag="statuses")
def set_quote_policy(request: ApiRequest, status_id: int) -> Any:
    """Choose who may quote the caller's own post from now on."""
    post = find_post(status_id=status_id, viewer=request.uid)
    set_policy(
        post=post,
        actor=request.signed_in_user,
        policy=request.inputs["quote_approval_policy"],
    )
    return reload_status(status_id=post.id, viewer=request.uid)
