"""Single posts and comments: read, published, changed and deleted."""

import hashlib
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import IdListField, Inputs
from feed.api.serializers.comments import serialize_statuses
from feed.api.serializers.statuses import Status
from feed.selectors.content import content_by_id
from feed.selectors.pages import PostView
from feed.services.comments import add_comment, delete_comment, edit_comment
from feed.services.posts import delete_post, edit_post, publish_post
from feed.services.shares import unshare_post

from .status_inputs import (
    VISIBILITY_BY_API_NAME,
    StatusCreateInputs,
    StatusUpdateInputs,
    content_warning,
)
from .status_lookup import find_status, reload_status, serialize_status
from .timelines import count_views

AUDIENCE_RANK = {"public": 0, "unlisted": 0, "followers": 1, "direct": 2}
"""Visibilities, from the widest audience to the narrowest."""


class StatusIdsInputs(Inputs):
    id = IdListField(max_length=40)


@endpoint("read:statuses", caller=Caller.ANYONE, inputs=StatusIdsInputs, returns=list[Status])
def index(request: ApiRequest) -> Any:
    """Those of these posts and comments that one may read."""
    found = content_by_id(ids=request.inputs["id"], viewer=request.viewer_id)
    return serialize_statuses(items=list(found.values()), viewer=request.viewer_id)


def _key(request: ApiRequest) -> str:
    """As ``services.publish_post`` wants it: the same key with other words is another post."""
    sent = request.headers.get("Idempotency-Key", "")
    if not sent:
        return ""
    said = "\n".join(f"{name}={value}" for name, value in sorted(request.inputs.items()))
    return hashlib.sha256(f"{sent}\n{said}".encode()).hexdigest()


@endpoint("write:statuses", inputs=StatusCreateInputs, returns=Status)
def publish(request: ApiRequest) -> Any:
    """Publish a post or, with ``in_reply_to_id``, a comment. Twice with one ``Idempotency-Key`` is once."""
    given, key = request.inputs, _key(request)
    if given["in_reply_to_id"] is not None:
        answered = find_status(status_id=given["in_reply_to_id"], viewer=request.uid)
        _refuse_narrower(given["visibility"], answered.post)
        parent = answered.comment.id if answered.comment else 0
        made = add_comment(
            post_id=answered.post.id,
            actor=request.signed_in_user,
            text=given["status"],
            parent_id=parent,
            idempotency_key=key,
        )
    else:
        made = publish_post(
            author=request.uid,
            text=given["status"],
            visibility=VISIBILITY_BY_API_NAME[given["visibility"] or "public"],
            content_warning=given["warning"],
            picture_ids=given["media_ids"],
            idempotency_key=key,
        )
    return reload_status(status_id=made, viewer=request.uid)


def _refuse_narrower(visibility: str | None, post: PostView) -> None:
    """A comment is read by all readers of its post. Raises ValidationError where the app wants fewer.

    Comments are in no public timeline, so that "unlisted" is no narrower than "public".
    """
    if (
        visibility
        and AUDIENCE_RANK[VISIBILITY_BY_API_NAME[visibility]] > AUDIENCE_RANK[post.visibility]
    ):
        words = _(
            "Everybody who can read the post can read your reply. It cannot be for fewer people."
        )
        raise serializers.ValidationError({"visibility": [words]}, code="unsupported")


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Status)
def show(request: ApiRequest, status_id: int) -> Any:
    """A post or comment."""
    found = find_status(status_id=status_id, viewer=request.viewer_id)
    if found.comment is None:
        count_views(request=request, post_ids=[found.post.id])
    return serialize_status(found=found, viewer=request.viewer_id)


class StatusDeleteInputs(Inputs):
    delete_media = serializers.BooleanField(required=False, default=False)


@endpoint("write:statuses", inputs=StatusDeleteInputs, returns=Status)
def delete(request: ApiRequest, status_id: int) -> Any:
    """Delete one's own; returns it with its ``text``, for who wants to write it again with its pictures."""
    found = find_status(status_id=status_id, viewer=request.uid)
    shown = serialize_status(found=found, viewer=request.uid)
    if found.comment is not None:
        delete_comment(
            post_id=found.post.id, comment_id=found.comment.id, actor=request.signed_in_user
        )
        return {**shown, "text": found.comment.text}
    if found.post.shared_by is not None:
        if found.post.shared_by.uid != request.uid:
            raise Http404("No such share.")
        unshare_post(post_id=found.post.id, actor=request.signed_in_user)
        return {**shown, "text": ""}
    delete_post(
        post_id=found.post.id,
        actor=request.signed_in_user,
        should_keep_pictures=not request.inputs["delete_media"],
    )
    return {**shown, "text": found.post.text}


@endpoint("write:statuses", inputs=StatusUpdateInputs, returns=Status)
def edit(request: ApiRequest, status_id: int) -> Any:
    """Change the text of one's own, and what is said of its pictures; the pictures themselves stay."""
    found, given = find_status(status_id=status_id, viewer=request.uid), request.inputs
    is_own = found.comment.is_own if found.comment else found.post.is_own
    if not is_own:
        raise Http404("No such status.")
    if found.comment is not None:
        if given["spoiler_text"]:
            words = _("Comments cannot have a content warning here.")
            raise serializers.ValidationError({"spoiler_text": [words]}, code="unsupported")
        text = found.comment.text if given["status"] is None else given["status"]
        if not text:
            raise serializers.ValidationError({"status": _("Write something first.")}, code="blank")
        edit_comment(
            post_id=found.post.id,
            comment_id=found.comment.id,
            actor=request.signed_in_user,
            text=text,
        )
    else:
        _edit_post(request, found.post)
    return reload_status(status_id=status_id, viewer=request.uid)


def _edit_post(request: ApiRequest, post: PostView) -> None:
    given = request.inputs
    text = post.text if given["status"] is None else given["status"]
    if post.details_text and text.startswith(post.details_text):
        # Some apps edit what ``content`` shows, where the words for a link or a review come first.
        text = text.removeprefix(post.details_text).lstrip()
    if not (text or post.media or post.details):
        raise serializers.ValidationError({"status": _("Write something first.")}, code="blank")
    there = {one.id for one in post.media}
    described = {one["id"]: one for one in given["media_attributes"] or ()}
    if given["media_ids"] is not None and {*given["media_ids"]} != there:
        words = _("The pictures of a published post cannot be added to or removed here.")
        raise serializers.ValidationError({"media_ids": [words]}, code="unsupported")
    if unknown := described.keys() - there:
        words = _("Picture %(id)s is not in this post.") % {"id": min(unknown)}
        raise serializers.ValidationError({"media_attributes": [words]})
    edit_post(
        post_id=post.id,
        actor=request.signed_in_user,
        text=text,
        content_warning=content_warning(given, has_pictures=bool(there)),
        descriptions={
            one: (changed["description"], changed["focus"]) for one, changed in described.items()
        },
    )
