"""Pictures before they are published: uploaded, described, taken back."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Inputs, TextField, endpoint
from feed import selectors, services
from feed.models import MAX_ALT, Picture

from .entities import EMPTY, MediaAttachment, Nothing, attachment
from .status_inputs import Focus


class Upload(Inputs):
    """``thumbnail``: not for pictures."""

    file = serializers.FileField()
    description = TextField(max_length=MAX_ALT)
    focus = Focus()


class Description(Inputs):
    description = TextField(max_length=MAX_ALT, allow_null=True, default=None)
    focus = Focus()


def _json(picture: Picture) -> MediaAttachment:
    return attachment(selectors.picture_view(picture=picture))


def _waiting(request: ApiRequest, media_id: int) -> Picture:
    """Raises Http404 unless it is one's own and not published yet."""
    found = selectors.own_picture(owner=request.uid, picture_id=media_id)
    if found.post is not None:
        raise Http404("It is published.")
    return found


@endpoint("write:media", takes=Upload, returns=MediaAttachment)
def upload(request: ApiRequest) -> Any:
    """Upload a picture, to publish it with a post within a day."""
    given = request.given
    return _json(
        services.keep_picture(
            owner=request.uid,
            made=services.read_upload(owner=request.uid, upload=given["file"]),
            alt=given["description"],
            focus=given["focus"],
        )
    )


@endpoint("write:media", takes=Upload, returns=MediaAttachment, tag="media")
def upload_v2(request: ApiRequest) -> Any:
    """The same: pictures are ready at once."""
    return upload(request)


@endpoint("write:media", returns=MediaAttachment)
def show(request: ApiRequest, media_id: int) -> Any:
    """One's own picture that is not published yet."""
    return _json(_waiting(request, media_id))


@endpoint("write:media", takes=Description, returns=MediaAttachment)
def describe(request: ApiRequest, media_id: int) -> Any:
    """Say what it shows, and what is to be seen wherever it is cut."""
    found, given = _waiting(request, media_id), request.given
    services.describe_picture(picture=found, alt=given["description"], focus=given["focus"])
    return _json(found)


@endpoint("write:media", returns=Nothing)
def discard(request: ApiRequest, media_id: int) -> Any:
    """Take it back."""
    found = selectors.own_picture(owner=request.uid, picture_id=media_id)
    services.discard_picture(picture=found)
    return EMPTY
