"""What people do with posts and comments: like, share, keep and pin them, and take that back."""

from typing import Any

from accounts.infra.api.endpoints import ApiRequest, endpoint
from feed.api.serializers.statuses import Status
from feed.services.comments import like_comment, unlike_comment
from feed.services.keeping import (
    bookmark_comment,
    bookmark_post,
    pin_post,
    unbookmark_comment,
    unbookmark_post,
    unpin_post,
)
from feed.services.likes import like_post, unlike_post
from feed.services.shares import share_post, unshare_post

from .status_lookup import find_post, find_status, reload_status


@endpoint("write:favourites", returns=Status, tag="statuses")
def favourite(request: ApiRequest, status_id: int) -> Any:
    """Like it."""
    found = find_status(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        like_comment(post_id=found.post.id, comment_id=found.id, actor=request.signed_in_user)
    else:
        like_post(post_id=found.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:favourites", returns=Status, tag="statuses")
def unfavourite(request: ApiRequest, status_id: int) -> Any:
    """Like it no more."""
    found = find_status(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        unlike_comment(post_id=found.post.id, comment_id=found.id, actor=request.signed_in_user)
    else:
        unlike_post(post_id=found.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def reblog(request: ApiRequest, status_id: int) -> Any:
    """Share it; returns the share."""
    post = find_post(status_id=status_id, viewer=request.uid)
    share = share_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=share, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def unreblog(request: ApiRequest, status_id: int) -> Any:
    """Share it no more."""
    post = find_post(status_id=status_id, viewer=request.uid)
    unshare_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)


@endpoint("write:bookmarks", returns=Status, tag="statuses")
def bookmark(request: ApiRequest, status_id: int) -> Any:
    """Keep it."""
    found = find_status(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        bookmark_comment(post_id=found.post.id, comment_id=found.id, actor=request.signed_in_user)
    else:
        bookmark_post(post_id=found.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:bookmarks", returns=Status, tag="statuses")
def unbookmark(request: ApiRequest, status_id: int) -> Any:
    """Keep it no more."""
    found = find_status(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        unbookmark_comment(comment_id=found.id, actor=request.signed_in_user)
    else:
        unbookmark_post(post_id=found.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def pin(request: ApiRequest, status_id: int) -> Any:
    """Show one's own post at the top of one's profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    pin_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def unpin(request: ApiRequest, status_id: int) -> Any:
    """Show it there no more."""
    post = find_post(status_id=status_id, viewer=request.uid)
    unpin_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)
