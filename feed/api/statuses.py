"""Single posts and comments: read, published, changed and deleted."""

import hashlib
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.api import ApiRequest, Ids, Inputs, TextField, Who, endpoint
from accounts.api.inputs import IdField
from feed import services
from feed.models import MAX_TEXT, MAX_WARNING

from .entities import Status
from .entities.statuses import VISIBILITIES
from .found import find, find_post, status_json, status_json_of

OURS = {theirs: ours for ours, theirs in VISIBILITIES.items()}


class Warned(Inputs):
    status = TextField(max_length=MAX_TEXT)
    spoiler_text = TextField(max_length=MAX_WARNING, one_line=True)
    sensitive = serializers.BooleanField(required=False, default=False)
    media_ids = Ids()
    language = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, default=None
    )

    def warning(self, given: dict[str, Any]) -> str:
        """Whoever only says that it is sensitive warns in one word."""
        if given["sensitive"] and given["media_ids"] and not given["spoiler_text"]:
            return str(_("Sensitive"))
        return str(given["spoiler_text"])

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        return {**given, "warning": self.warning(given)}


class NewStatus(Warned):
    in_reply_to_id = IdField(allow_null=True)
    visibility = serializers.ChoiceField(
        choices=[*OURS], required=False, allow_blank=True, allow_null=True, default="public"
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        given = super().validate(given)
        if given["in_reply_to_id"] is not None and given["media_ids"]:
            raise serializers.ValidationError(
                {"media_ids": _("Comments cannot have pictures here.")}
            )
        if not given["status"] and not given["media_ids"]:
            raise serializers.ValidationError({"status": _("Write something first.")}, code="blank")
        return given


def _key(request: ApiRequest) -> str:
    """As ``services.publish_post`` wants it: the same key with other words is another post."""
    sent = request.headers.get("Idempotency-Key", "")
    if not sent:
        return ""
    said = "\n".join(f"{name}={value}" for name, value in sorted(request.given.items()))
    return hashlib.sha256(f"{sent}\n{said}".encode()).hexdigest()


@endpoint("write:statuses", takes=NewStatus, returns=Status)
def publish(request: ApiRequest) -> Any:
    """Publish a post or, with ``in_reply_to_id``, a comment. Twice with one ``Idempotency-Key`` is once."""
    given, key = request.given, _key(request)
    if given["in_reply_to_id"] is not None:
        answered = find(status_id=given["in_reply_to_id"], viewer=request.uid)
        parent = answered.comment.id if answered.comment else 0
        made = services.comment_on_post(
            post_id=answered.post.id,
            actor=request.person,
            text=given["status"],
            parent=parent,
            key=key,
        )
    else:
        made = services.publish_post(
            author=request.uid,
            text=given["status"],
            visibility=OURS[given["visibility"] or "public"],
            warning=given["warning"],
            media=given["media_ids"],
            key=key,
        )
    return status_json_of(status_id=made, viewer=request.uid)


@endpoint("read:statuses", who=Who.ANYBODY, returns=Status)
def show(request: ApiRequest, status_id: int) -> Any:
    """A post or comment."""
    return status_json_of(status_id=status_id, viewer=request.viewer)


@endpoint("write:statuses", returns=Status)
def delete(request: ApiRequest, status_id: int) -> Any:
    """Delete one's own; returns it with its ``text``, for who wants to write it again."""
    found = find(status_id=status_id, viewer=request.uid)
    shown = status_json(found=found, viewer=request.uid)
    if found.comment is not None:
        services.delete_comment(
            post_id=found.post.id, comment_id=found.comment.id, actor=request.person
        )
        return {**shown, "text": found.comment.text}
    services.delete_post(post_id=found.post.id, actor=request.person, keeps_pictures=True)
    return {**shown, "text": found.post.text}


class ChangedStatus(Warned):
    pass


@endpoint("write:statuses", takes=ChangedStatus, returns=Status)
def edit(request: ApiRequest, status_id: int) -> Any:
    """Change the text of one's own; its pictures stay."""
    found, given = find(status_id=status_id, viewer=request.uid), request.given
    if found.comment is not None:
        services.edit_comment(
            post_id=found.post.id,
            comment_id=found.comment.id,
            actor=request.person,
            text=given["status"],
        )
    else:
        services.edit_post(
            post_id=found.post.id,
            actor=request.person,
            text=given["status"],
            warning=given["warning"],
        )
    return status_json_of(status_id=status_id, viewer=request.uid)


@endpoint("write:favourites", returns=Status)
def favourite(request: ApiRequest, status_id: int) -> Any:
    """Like it."""
    found = find(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        services.like_comment(post_id=found.post.id, comment_id=found.id, actor=request.person)
    else:
        services.like_post(post_id=found.post.id, actor=request.person)
    return status_json_of(status_id=status_id, viewer=request.uid)


@endpoint("write:favourites", returns=Status)
def unfavourite(request: ApiRequest, status_id: int) -> Any:
    """Like it no more."""
    found = find(status_id=status_id, viewer=request.uid)
    if found.comment is not None:
        services.unlike_comment(post_id=found.post.id, comment_id=found.id, actor=request.person)
    else:
        services.unlike_post(post_id=found.post.id, actor=request.person)
    return status_json_of(status_id=status_id, viewer=request.uid)


@endpoint("write:statuses", returns=Status)
def reblog(request: ApiRequest, status_id: int) -> Any:
    """Share it; returns the share."""
    post = find_post(status_id=status_id, viewer=request.uid)
    share = services.share_post(post_id=post.id, actor=request.person)
    return status_json_of(status_id=share, viewer=request.uid)


@endpoint("write:statuses", returns=Status)
def unreblog(request: ApiRequest, status_id: int) -> Any:
    """Share it no more."""
    post = find_post(status_id=status_id, viewer=request.uid)
    services.undo_share(post_id=post.id, actor=request.person)
    return status_json_of(status_id=post.id, viewer=request.uid)
