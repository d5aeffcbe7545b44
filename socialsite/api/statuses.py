"""Read, publish, edit and delete single statuses (posts and comments)."""

import hashlib
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from feed.selectors.post_view import PostView
from feed.selectors.posts_and_comments import content_by_id
from feed.services.comments import add_comment, delete_comment, edit_comment
from feed.services.interactions import unshare_post
from feed.services.posts import delete_post, edit_post, publish_post

from .plumbing.endpoints import ApiRequest, Caller, endpoint
from .plumbing.inputs import IdListField, Inputs
from .scheduled_statuses import ScheduledStatus, schedule_status
from .serializers.comments import serialize_statuses
from .serializers.statuses import Status
from .status_inputs import (
    StatusCreateInputs,
    StatusUpdateInputs,
    built_content,
    changed_content,
    new_content,
)
from .status_lookup import (
    find_post,
    find_status,
    refuse_unexpected_readers,
    reload_status,
    serialize_status,
)
from .timelines import count_views

COMMENT_VISIBILITY_BY_API_NAME = {
    None: None,
    "public": "",
    "unlisted": "",
    "private": "followers",
    "direct": "direct",
}
"""The ``visibility`` of a comment. Comments are in no public timeline, so public and unlisted are equal."""


class StatusIdsInputs(Inputs):
    id = IdListField(max_length=40)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=StatusIdsInputs, returns=list[Status])
def index(request: ApiRequest) -> Any:
    """Return the posts and comments with these ids that the caller can see."""
    contents = content_by_id(ids=request.inputs["id"], viewer=request.viewer_id)
    return serialize_statuses(items=list(contents.values()), viewer=request.viewer_id)


def _idempotency_key(request: ApiRequest) -> str:
    """Return the idempotency key of the request, or "" if the client sends none.

    The key is a hash of the client's key and the inputs. If a client reuses a key with different inputs,
    the request publishes another post.
    """
    client_key = request.headers.get("Idempotency-Key", "")
    if not client_key:
        return ""
    input_lines = "\n".join(f"{name}={value}" for name, value in sorted(request.inputs.items()))
    return hashlib.sha256(f"{client_key}\n{input_lines}".encode()).hexdigest()


@endpoint("write:statuses", inputs=StatusCreateInputs, returns=Status | ScheduledStatus)
def publish(request: ApiRequest) -> Any:
    """Publish a post, or a comment if ``in_reply_to_id`` is given.

    With ``scheduled_at``, schedule the post and return a scheduled status. A repeated request with the same
    ``Idempotency-Key`` publishes nothing and returns the first status.
    """
    inputs, key = request.inputs, _idempotency_key(request)
    if inputs["scheduled_at"] is not None:
        return schedule_status(request=request, content=new_content(request), idempotency_key=key)
    if inputs["in_reply_to_id"] is not None:
        target = find_status(status_id=inputs["in_reply_to_id"], viewer=request.uid)
        refuse_unexpected_readers(target=target, request=request)
        status_id = add_comment(
            post=target.post,
            actor=request.signed_in_user,
            text=inputs["status"],
            parent=target.comment,
            content_warning=inputs["spoiler_text"] or "",
            visibility=COMMENT_VISIBILITY_BY_API_NAME[inputs["visibility"] or None],
            idempotency_key=key,
        )
    else:
        quoted_id = inputs["quoted_status_id"]
        status_id = publish_post(
            author=request.uid,
            content=built_content(new_content(request)),
            quoted=find_post(status_id=quoted_id, viewer=request.uid) if quoted_id else None,
            idempotency_key=key,
        )
    return reload_status(status_id=status_id, viewer=request.uid)


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Status)
def show(request: ApiRequest, status_id: int) -> Any:
    """Return a post or comment."""
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    if status.comment is None:
        count_views(request=request, post_ids=[status.post.id])
    return serialize_status(status=status, viewer=request.viewer_id)


class StatusDeleteInputs(Inputs):
    delete_media = serializers.BooleanField(required=False, default=False)


@endpoint("write:statuses", inputs=StatusDeleteInputs, returns=Status)
def delete(request: ApiRequest, status_id: int) -> Any:
    """Delete the caller's own post, comment or share.

    Returns the status with its source ``text``, so that apps can offer to edit and publish the text again.
    """
    status = find_status(status_id=status_id, viewer=request.uid)
    deleted_status = serialize_status(status=status, viewer=request.uid)
    if status.comment is not None:
        delete_comment(post=status.post, comment=status.comment, actor=request.signed_in_user)
        return {**deleted_status, "text": status.comment.text}
    if status.post.shared_by is not None:
        if status.post.shared_by.uid != request.uid:
            raise Http404("No such share.")
        unshare_post(post_id=status.post.id, actor=request.signed_in_user)
        return {**deleted_status, "text": ""}
    delete_post(
        post_id=status.post.id,
        actor=request.signed_in_user,
        should_keep_pictures=not request.inputs["delete_media"],
    )
    return {**deleted_status, "text": status.post.text}


@endpoint("write:statuses", inputs=StatusUpdateInputs, returns=Status)
def edit(request: ApiRequest, status_id: int) -> Any:
    """Edit the caller's own post or comment.

    ``media_ids`` are the pictures after the edit, in order. ``media_attributes`` describe these pictures.
    ``poll`` changes the poll of a post: other choices delete all votes.
    """
    status, inputs = find_status(status_id=status_id, viewer=request.uid), request.inputs
    is_own = status.comment.is_own if status.comment else status.post.is_own
    if not is_own:
        raise Http404("No such status.")
    if status.comment is not None:
        if inputs["poll"]:
            message = _("Comments cannot have polls.")
            raise serializers.ValidationError({"poll": [message]}, code="unsupported")
        text = status.comment.text if inputs["status"] is None else inputs["status"]
        if not text:
            raise serializers.ValidationError({"status": _("Enter some text.")}, code="blank")
        edit_comment(
            post=status.post,
            comment=status.comment,
            actor=request.signed_in_user,
            text=text,
            content_warning=inputs["spoiler_text"] or "",
        )
    else:
        _edit_post(request, status.post)
    return reload_status(status_id=status_id, viewer=request.uid)


def _edit_post(request: ApiRequest, post: PostView) -> None:
    inputs = request.inputs
    text = post.text if inputs["status"] is None else inputs["status"]
    if post.details_text and text.startswith(post.details_text):
        # Some apps let users edit the text of ``content``, which starts with ``details_text``.
        text = text.removeprefix(post.details_text).lstrip()
    old_ids = [picture.id for picture in post.media]
    picture_ids = old_ids if inputs["media_ids"] is None else inputs["media_ids"]
    if not text and (post.activity.is_question or not (picture_ids or post.row.details)):
        raise serializers.ValidationError({"status": _("Enter some text.")}, code="blank")
    attributes_by_id = {
        attributes["id"]: attributes for attributes in inputs["media_attributes"] or ()
    }
    if unknown_ids := attributes_by_id.keys() - {*old_ids, *picture_ids}:
        message = _("Picture %(id)s does not belong to this post.") % {"id": min(unknown_ids)}
        raise serializers.ValidationError({"media_attributes": [message]})
    content = changed_content(inputs, post=post, text=text, picture_ids=picture_ids)
    edit_post(
        post_id=post.id,
        actor=request.signed_in_user,
        content=content,
        descriptions={
            picture_id: (attributes["description"], attributes["focus"])
            for picture_id, attributes in attributes_by_id.items()
        },
    )
