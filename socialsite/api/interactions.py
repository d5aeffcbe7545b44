"""Like, share, bookmark and pin posts and comments, and undo these actions.

Likes, bookmarks and pins change only a counter or a flag. To save database commands, these endpoints
return the status from before the action with the counter or flag changed. Shares read the status again.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.models import User
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView
from feed.services.bookmarks_and_pins import (
    bookmark_comment,
    bookmark_post,
    pin_post,
    unbookmark_comment,
    unbookmark_post,
    unpin_post,
)
from feed.services.comments import like_comment, unlike_comment
from feed.services.likes import like_post, unlike_post
from feed.services.shares import share_post, unshare_post

from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import Inputs, OnlyAllowed
from .serializers.statuses import Status
from .status_inputs import VISIBILITY_BY_API_NAME
from .status_lookup import FoundStatus, find_post, find_status, reload_status, serialize_status


def _like(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        return FoundStatus(like_post(post=post, actor=actor))
    is_new = like_comment(post=post, comment=comment, actor=actor)
    return FoundStatus(post, replace(comment, is_liked=True, likes=comment.likes + is_new))


def _unlike(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        was_liked = unlike_post(post_id=post.id, actor=actor)
        return FoundStatus(post.with_like(is_liked=False, change=-int(was_liked)))
    was_liked = unlike_comment(post_id=post.id, comment_id=comment.id, actor=actor)
    return FoundStatus(post, replace(comment, is_liked=False, likes=comment.likes - was_liked))


def _bookmark(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        return FoundStatus(bookmark_post(post=post, actor=actor))
    bookmark_comment(comment=comment, actor=actor)
    return FoundStatus(post, replace(comment, is_bookmarked=True))


def _unbookmark(post: PostView, comment: CommentView | None, actor: User) -> FoundStatus:
    if comment is None:
        unbookmark_post(post_id=post.id, actor=actor)
        return FoundStatus(replace(post, is_bookmarked=False))
    unbookmark_comment(comment_id=comment.id, actor=actor)
    return FoundStatus(post, replace(comment, is_bookmarked=False))


def _interaction(
    name: str,
    scope: str,
    description: str,
    action: Callable[[PostView, CommentView | None, User], FoundStatus],
) -> Any:
    """Return an endpoint that performs an action on a post or comment and returns the changed status."""

    def interact(request: ApiRequest, status_id: int) -> Any:
        status = find_status(status_id=status_id, viewer=request.uid)
        changed_status = action(status.post, status.comment, request.signed_in_user)
        return serialize_status(status=changed_status, viewer=request.uid)

    interact.__name__, interact.__doc__ = name, description
    return endpoint(scope, returns=Status, tag="statuses")(interact)


favourite = _interaction("favourite", "write:favourites", "Like a post or comment.", _like)
unfavourite = _interaction(
    "unfavourite",
    "write:favourites",
    "Remove the caller's like from a post or comment.",
    _unlike,
)
bookmark = _interaction("bookmark", "write:bookmarks", "Bookmark a post or comment.", _bookmark)
unbookmark = _interaction("unbookmark", "write:bookmarks", "Remove a bookmark.", _unbookmark)


class ReblogInputs(Inputs):
    visibility = serializers.ChoiceField(
        choices=[*VISIBILITY_BY_API_NAME],
        required=False,
        allow_blank=True,
        allow_null=True,
        default=None,
        validators=[OnlyAllowed(_("Shares are public, like the posts."), "public", "unlisted", "")],
    )


@endpoint("write:statuses", inputs=ReblogInputs, returns=Status, tag="statuses")
def reblog(request: ApiRequest, status_id: int) -> Any:
    """Share a post. Returns the share."""
    post = find_post(status_id=status_id, viewer=request.uid)
    share_id = share_post(post=post, actor=request.signed_in_user)
    return reload_status(status_id=share_id, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def unreblog(request: ApiRequest, status_id: int) -> Any:
    """Remove the caller's share of a post. Returns the post."""
    post = find_post(status_id=status_id, viewer=request.uid)
    unshare_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def pin(request: ApiRequest, status_id: int) -> Any:
    """Pin one of the caller's own posts to the caller's profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    status = FoundStatus(pin_post(post=post, actor=request.signed_in_user))
    return serialize_status(status=status, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def unpin(request: ApiRequest, status_id: int) -> Any:
    """Unpin a post from the caller's profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    unpin_post(post_id=post.id, actor=request.signed_in_user)
    status = FoundStatus(replace(post, is_pinned=False))
    return serialize_status(status=status, viewer=request.uid)
