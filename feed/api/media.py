"""Upload, describe and delete pictures that are not yet part of a post."""

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
    """An upload. The input ``thumbnail`` of Mastodon is ignored."""

    file = serializers.FileField()
    description = TextField(max_length=MAX_ALT_TEXT)
    focus = FocusField()


class MediaUpdateInputs(Inputs):
    description = TextField(max_length=MAX_ALT_TEXT, allow_null=True, default=None)
    focus = FocusField()


def _serialize_picture(picture: Picture) -> MediaAttachment:
    return serialize_media(picture_view(picture=picture))


def _find_unpublished_picture(request: ApiRequest, media_id: int) -> Picture:
    """Return the caller's picture. Raises Http404 if the picture is part of a post."""
    picture = own_picture(owner=request.uid, picture_id=media_id)
    if picture.post is not None:
        raise Http404("The picture is published.")
    return picture


@endpoint("write:media", inputs=UploadInputs, returns=MediaAttachment)
def upload(request: ApiRequest) -> Any:
    """Upload a picture. The picture is deleted if no post publishes it within a day."""
    inputs = request.inputs
    return _serialize_picture(
        save_picture(
            owner=request.uid,
            decoded=receive_upload(owner=request.uid, upload=inputs["file"]),
            alt=inputs["description"],
            focus=inputs["focus"],
        )
    )


@endpoint("write:media", inputs=UploadInputs, returns=MediaAttachment, tag="media")
def upload_v2(request: ApiRequest) -> Any:
    """Upload a picture. As in version 1, the picture is ready when the request ends."""
    return upload(request)


@endpoint("write:media", returns=MediaAttachment)
def show(request: ApiRequest, media_id: int) -> Any:
    """Return a picture of the caller that is not published yet."""
    return _serialize_picture(_find_unpublished_picture(request, media_id))


@endpoint("write:media", inputs=MediaUpdateInputs, returns=MediaAttachment)
def update(request: ApiRequest, media_id: int) -> Any:
    """Change the description and focus of a picture that is not published yet."""
    picture, inputs = _find_unpublished_picture(request, media_id), request.inputs
    describe_picture(picture=picture, alt=inputs["description"], focus=inputs["focus"])
    return _serialize_picture(picture)


@endpoint("write:media", returns=EmptyObject)
def delete(request: ApiRequest, media_id: int) -> Any:
    """Delete a picture that is not published yet."""
    picture = own_picture(owner=request.uid, picture_id=media_id)
    discard_picture(picture=picture)
    return EMPTY_OBJECT
