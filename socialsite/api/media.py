"""Upload, describe and delete pictures and clips that are not yet part of a post."""

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from feed.models import MAX_ALT_TEXT, Picture
from feed.selectors.pictures import own_picture, picture_view
from feed.services.pictures import describe_picture, discard_picture, receive_upload, save_picture

from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import OPTIONAL, Inputs, TextField
from .serializers.media import MediaAttachment, serialize_media
from .serializers.values import EmptyObject
from .status_inputs import FocusField


class MediaInputs(Inputs):
    thumbnail = serializers.FileField(**OPTIONAL)

    def validate_thumbnail(self, thumbnail: Any) -> None:
        if thumbnail:
            raise serializers.ValidationError(_("The site chooses the picture of a video."))


class UploadInputs(MediaInputs):
    file = serializers.FileField()
    description = TextField(max_length=MAX_ALT_TEXT)
    focus = FocusField()


class MediaUpdateInputs(MediaInputs):
    description = TextField(max_length=MAX_ALT_TEXT, allow_null=True, default=None)
    focus = FocusField()


def _respond(picture: Picture, *, status: int = 200) -> Response:
    """Return the picture or clip. A clip that cannot be published is an error.

    ``status`` is the status of the response if the clip is still being converted.
    """
    view = picture_view(picture=picture)
    if picture.state == Picture.State.FAILED:
        return Response({"error": view.error}, status=422)
    is_processing = picture.state == Picture.State.PROCESSING
    return Response(serialize_media(view), status=status if is_processing else 200)


def _find_unpublished_picture(request: ApiRequest, media_id: int) -> Picture:
    """Return the caller's picture. Raises Http404 if the picture is part of a post."""
    picture = own_picture(owner=request.uid, picture_id=media_id)
    if picture.post is not None:
        raise Http404("The picture is published.")
    return picture


@endpoint("write:media", inputs=UploadInputs, returns=MediaAttachment)
def upload(request: ApiRequest) -> Any:
    """Upload a picture, video or audio file. It is deleted if no post publishes it within a day.

    The status is 202 for video and audio: ask for the file until it is ready.
    """
    inputs = request.inputs
    picture = save_picture(
        owner=request.uid,
        decoded=receive_upload(owner=request.uid, upload=inputs["file"]),
        alt=inputs["description"],
        focus=inputs["focus"],
    )
    return _respond(picture, status=202)


@endpoint("write:media", inputs=UploadInputs, returns=MediaAttachment, tag="media")
def upload_v2(request: ApiRequest) -> Any:
    """Upload a picture, video or audio file, as in version 1."""
    return upload(request)


@endpoint("write:media", returns=MediaAttachment)
def show(request: ApiRequest, media_id: int) -> Any:
    """Return a picture, video or audio file of the caller that is not published yet.

    The status is 206 while the file is being processed, and 422 if that has failed.
    """
    return _respond(_find_unpublished_picture(request, media_id), status=206)


@endpoint("write:media", inputs=MediaUpdateInputs, returns=MediaAttachment)
def update(request: ApiRequest, media_id: int) -> Any:
    """Change the description and focus of a picture that is not published yet."""
    picture, inputs = _find_unpublished_picture(request, media_id), request.inputs
    describe_picture(picture=picture, alt=inputs["description"], focus=inputs["focus"])
    return _respond(picture)


@endpoint("write:media", returns=EmptyObject)
def delete(request: ApiRequest, media_id: int) -> None:
    """Delete a picture that is not published yet."""
    picture = own_picture(owner=request.uid, picture_id=media_id)
    discard_picture(picture=picture)
