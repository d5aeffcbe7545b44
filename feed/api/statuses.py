"""Single posts and comments: read, published, changed and deleted."""

import hashlib
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.api import ApiRequest, Ids, Inputs, Who, endpoint
from feed import selectors, services
from feed.selectors import PostView

from .entities import Status, statuses_of_writings
from .found import find, status_json, status_json_of
from .status_inputs import OURS, ChangedStatus, NewStatus, warning
from .timelines import count_views

AUDIENCES = {"public": 0, "unlisted": 0, "followers": 1, "direct": 2}
"""Visibilities, from the widest audience to the narrowest."""


class Several(Inputs):
    id = Ids(max_length=40)


@endpoint("read:statuses", who=Who.ANYBODY, takes=Several, returns=list[Status])
def several(request: ApiRequest) -> Any:
    """Those of these posts and comments that one may read."""
    found = selectors.writings(ids=request.given["id"], viewer=request.viewer)
    return statuses_of_writings(items=list(found.values()), viewer=request.viewer)


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
        _refuse_narrower(given["visibility"], answered.post)
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


def _refuse_narrower(visibility: str | None, post: PostView) -> None:
    """A comment is read by all readers of its post. Raises ValidationError where the app wants fewer.

    Comments are in no public timeline, so that "unlisted" is no narrower than "public".
    """
    if visibility and AUDIENCES[OURS[visibility]] > AUDIENCES[post.visibility]:
        words = _(
            "Everybody who can read the post can read your reply. It cannot be for fewer people."
        )
        raise serializers.ValidationError({"visibility": [words]}, code="unsupported")


@endpoint("read:statuses", who=Who.ANYBODY, returns=Status)
def show(request: ApiRequest, status_id: int) -> Any:
    """A post or comment."""
    found = find(status_id=status_id, viewer=request.viewer)
    if found.comment is None:
        count_views(request=request, post_ids=[found.post.id])
    return status_json(found=found, viewer=request.viewer)


class Deletion(Inputs):
    delete_media = serializers.BooleanField(required=False, default=False)


@endpoint("write:statuses", takes=Deletion, returns=Status)
def delete(request: ApiRequest, status_id: int) -> Any:
    """Delete one's own; returns it with its ``text``, for who wants to write it again with its pictures."""
    found = find(status_id=status_id, viewer=request.uid)
    shown = status_json(found=found, viewer=request.uid)
    if found.comment is not None:
        services.delete_comment(
            post_id=found.post.id, comment_id=found.comment.id, actor=request.person
        )
        return {**shown, "text": found.comment.text}
    if found.post.shared_by is not None:
        if found.post.shared_by.uid != request.uid:
            raise Http404("No such share.")
        services.undo_share(post_id=found.post.id, actor=request.person)
        return {**shown, "text": ""}
    services.delete_post(
        post_id=found.post.id,
        actor=request.person,
        keeps_pictures=not request.given["delete_media"],
    )
    return {**shown, "text": found.post.text}


@endpoint("write:statuses", takes=ChangedStatus, returns=Status)
def edit(request: ApiRequest, status_id: int) -> Any:
    """Change the text of one's own, and what is said of its pictures; the pictures themselves stay."""
    found, given = find(status_id=status_id, viewer=request.uid), request.given
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
        services.edit_comment(
            post_id=found.post.id, comment_id=found.comment.id, actor=request.person, text=text
        )
    else:
        _edit_post(request, found.post)
    return status_json_of(status_id=status_id, viewer=request.uid)


def _edit_post(request: ApiRequest, post: PostView) -> None:
    given = request.given
    text = post.text if given["status"] is None else given["status"]
    if post.words and text.startswith(post.words):
        # Some apps edit what ``content`` shows, where the words for a link or a review come first.
        text = text.removeprefix(post.words).lstrip()
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
    services.edit_post(
        post_id=post.id,
        actor=request.person,
        text=text,
        warning=warning(given, has_pictures=bool(there)),
        pictures={
            one: (changed["description"], changed["focus"]) for one, changed in described.items()
        },
    )
