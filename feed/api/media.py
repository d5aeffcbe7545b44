"""Pictures before they are published: uploaded, described, taken back."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import Inputs, TextField
from feed.api.serializers.media import MediaAttachment, serialize_media
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject
from feed.models import MAX_ALT_TEXT, Picture
from feed.selectors.pictures import own_picture, picture_view
from feed.services.pictures import describe_picture, discard_picture, receive_upload, save_picture

from .status_inputs import FocusField


class UploadInputs(Inputs):
    """``thumbnail``: not for pictures."""

    file = serializers.FileField()
    description = TextField(max_length=MAX_ALT_TEXT)
    focus = FocusField()


class MediaUpdateInputs(Inputs):
    description = TextField(max_length=MAX_ALT_TEXT, allow_null=True, default=None)
    focus = FocusField()


def _json(picture: Picture) -> MediaAttachment:
    return serialize_media(picture_view(picture=picture))


def _waiting(request: ApiRequest, media_id: int) -> Picture:
    """Raises Http404 unless it is one's own and not published yet."""
    found = own_picture(owner=request.uid, picture_id=media_id)
    if found.post is not None:
        raise Http404("It is published.")
    return found


@endpoint("write:media", inputs=UploadInputs, returns=MediaAttachment)
def upload(request: ApiRequest) -> Any:
    """Upload a picture, to publish it with a post within a day."""
    given = request.inputs
    return _json(
        save_picture(
            owner=request.uid,
            made=receive_upload(owner=request.uid, upload=given["file"]),
            alt=given["description"],
            focus=given["focus"],
        )
    )


@endpoint("write:media", inputs=UploadInputs, returns=MediaAttachment, tag="media")
def upload_v2(request: ApiRequest) -> Any:
    """The same: pictures are ready at once."""
    return upload(request)


@endpoint("write:media", returns=MediaAttachment)
def show(request: ApiRequest, media_id: int) -> Any:
    """One's own picture that is not published yet."""
    return _json(_waiting(request, media_id))


@endpoint("write:media", inputs=MediaUpdateInputs, returns=MediaAttachment)
def update(request: ApiRequest, media_id: int) -> Any:
    """Say what it shows, and what is to be seen wherever it is cut."""
    found, given = _waiting(request, media_id), request.inputs
    describe_picture(picture=found, alt=given["description"], focus=given["focus"])
    return _json(found)


@endpoint("write:media", returns=EmptyObject)
def delete(request: ApiRequest, media_id: int) -> Any:
    """Take it back."""
    found = own_picture(owner=request.uid, picture_id=media_id)
    discard_picture(picture=found)
    return EMPTY_OBJECT
