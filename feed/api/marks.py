"""What people do with posts and comments: like, share, keep and pin them, and take that back."""

from typing import Any

from accounts.api import ApiRequest, endpoint
from feed import services

from .entities import Status
from .found import find, find_post, status_json_of


@endpoint("write:favourites", returns=Status, tag="statuses")
def favourite(request: ApiRequest, status_id: int) -> Any:
    """Like it."""
    found = find(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        services.like_comment(post_id=found.post.id, comment_id=found.id, actor=request.person)
    else:
        services.like_post(post_id=found.post.id, actor=request.person)
    return status_json_of(status_id=status_id, viewer=request.uid)


@endpoint("write:favourites", returns=Status, tag="statuses")
def unfavourite(request: ApiRequest, status_id: int) -> Any:
    """Like it no more."""
    found = find(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        services.unlike_comment(post_id=found.post.id, comment_id=found.id, actor=request.person)
    else:
        services.unlike_post(post_id=found.post.id, actor=request.person)
    return status_json_of(status_id=status_id, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def reblog(request: ApiRequest, status_id: int) -> Any:
    """Share it; returns the share."""
    post = find_post(status_id=status_id, viewer=request.uid)
    share = services.share_post(post_id=post.id, actor=request.person)
    return status_json_of(status_id=share, viewer=request.uid)


@endpoint("write:statuses", returns=Status, tag="statuses")
def unreblog(request: ApiRequest, status_id: int) -> Any:
    """Share it no more."""
    post = find_post(status_id=status_id, viewer=request.uid)
    services.undo_share(post_id=post.id, actor=request.person)
    return status_json_of(status_id=post.id, viewer=request.uid)


@endpoint("write:bookmarks", returns=Status, tag="statuses")
def bookmark(request: ApiRequest, status_id: int) -> Any:
    """Keep it."""
    found = find(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        services.bookmark_comment(post_id=found.post.id, comment_id=found.id, actor=request.person)
    else:
        services.bookmark_post(post_id=found.post.id, actor=request.person)
    return status_json_of(status_id=status_id, viewer=request.uid)


@endpoint("write:bookmarks", returns=Status, tag="statuses")
def unbookmark(request: ApiRequest, status_id: int) -> Any:
    """Keep it no more."""
    found = find(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        services.unbookmark_comment(comment_id=found.id, actor=request.person)
    else:
        services.unbookmark_post(post_id=found.post.id, actor=request.person)
    return status_json_of(status_id=status_id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def pin(request: ApiRequest, status_id: int) -> Any:
    """Show one's own post at the top of one's profile."""
    post = find_post(status_id=status_id, viewer=request.uid)
    services.pin_post(post_id=post.id, actor=request.person)
    return status_json_of(status_id=post.id, viewer=request.uid)


@endpoint("write:accounts", returns=Status, tag="statuses")
def unpin(request: ApiRequest, status_id: int) -> Any:
    """Show it there no more."""
    post = find_post(status_id=status_id, viewer=request.uid)
    services.unpin_post(post_id=post.id, actor=request.person)
    return status_json_of(status_id=post.id, viewer=request.uid)
