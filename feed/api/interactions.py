"""Like, share, bookmark and pin posts and comments, and undo it."""

from typing import Any

from accounts.infra.api.endpoints import ApiRequest, endpoint
from feed.api.serializers.statuses import Status
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

from .status_lookup import find_post, find_status, reload_status


@endpoint("write:favourites", returns=Status, tag="statuses")
def favourite(request: ApiRequest, status_id: int) -> Any:
    """Like a post or comment."""
    status = find_status(status_id=status_id, viewer=request.uid)
    if status.comment is not None:
        like_comment(post_id=status.post.id, comment_id=status.id, actor=request.signed_in_user)
    else:
        like_post(post_id=status.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:favourites", returns=Status, tag="statuses")
def unfavourite(request: ApiRequest, status_id: int) -> Any:
    """Remove the caller's like from a post or comment."""
    status = find_status(status_id=status_id, viewer=request.uid)
    if status.comment is not None:
        unlike_comment(post_id=status.post.id, comment_id=status.id, actor=request.signed_in_user)
    else:
        unlike_post(post_id=status.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def reblog(request: ApiRequest, status_id: int) -> Any:
    """Share a post. Returns the share."""
    post = find_post(status_id=status_id, viewer=request.uid)
    share_id = share_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=share_id, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def unreblog(request: ApiRequest, status_id: int) -> Any:
    """Remove the caller's share of a post. Returns the post."""
    post = find_post(status_id=status_id, viewer=request.uid)
    unshare_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)


@endpoint("write:bookmarks", returns=Status, tag="statuses")
def bookmark(request: ApiRequest, status_id: int) -> Any:
    """Bookmark a post or comment."""
    status = find_status(status_id=status_id, viewer=request.uid)
    if status.comment is not None:
        bookmark_comment(post_id=status.post.id, comment_id=status.id, actor=request.signed_in_user)
    else:
        bookmark_post(post_id=status.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:bookmarks", returns=Status, tag="statuses")
def unbookmark(request: ApiRequest, status_id: int) -> Any:
    """Remove a bookmark."""
    status = find_status(status_id=status_id, viewer=request.uid)
    if status.comment is not None:
        unbookmark_comment(comment_id=status.id, actor=request.signed_in_user)
    else:
        unbookmark_post(post_id=status.post.id, actor=request.signed_in_user)
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def pin(request: ApiRequest, status_id: int) -> Any:
    """Pin the caller's own post to their profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    pin_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def unpin(request: ApiRequest, status_id: int) -> Any:
    """Unpin a post from the caller's profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    unpin_post(post_id=post.id, actor=request.signed_in_user)
    return reload_status(status_id=post.id, viewer=request.uid)
