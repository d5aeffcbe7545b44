"""What people say of themselves and choose, from an app."""

from typing import Any, TypedDict

from rest_framework import serializers

from accounts import services
from accounts.api import ApiRequest, Inputs, TextField, endpoint
from accounts.pictures import BadPicture

from .accounts import own_account
from .entities import Account


class ChangedProfile(Inputs):
    """What is not given stays. What the site does not have, such as a header, is left out."""

    display_name = TextField(default=None, allow_null=True, max_length=30, one_line=True)
    note = TextField(default=None, allow_null=True, max_length=500)
    locked = serializers.BooleanField(required=False, allow_null=True, default=None)
    avatar = serializers.FileField(required=False, allow_null=True, default=None)


@endpoint("write:accounts", takes=ChangedProfile, returns=Account)
def update_credentials(request: ApiRequest) -> Any:
    """Change the name, the words about oneself, the picture, and whether one approves followers."""
    me, given = request.person, request.given
    if given["avatar"] is not None:
        try:
            picture = services.read_avatar(uid=me.pk, upload=given["avatar"])
        except BadPicture as error:
            raise serializers.ValidationError({"avatar": [str(error)]}) from error
        services.change_avatar(uid=me.pk, picture=picture)
    name, note = given["display_name"], given["note"]
    if name is not None or note is not None:
        services.update_profile(
            uid=me.pk,
            display_name=me.display_name if name is None else name,
            bio=me.bio if note is None else note,
        )
    if given["locked"] is not None and given["locked"] != me.is_private:
        services.set_private(uid=me.pk, is_private=given["locked"])
    return own_account(uid=me.pk)


@endpoint("write:accounts", returns=Account)
def delete_avatar(request: ApiRequest) -> Any:
    """Be shown with the drawn picture."""
    services.change_avatar(uid=request.uid, picture=None)
    return own_account(uid=request.uid)


@endpoint("write:accounts", returns=Account)
def delete_header(request: ApiRequest) -> Any:
    """Nothing changes: people have no headers here."""
    return own_account(uid=request.uid)


Preferences = TypedDict(
    "Preferences",
    {
        "posting:default:visibility": str,
        "posting:default:sensitive": bool,
        "posting:default:language": str | None,
        "reading:expand:media": str,
        "reading:expand:spoilers": bool,
        "reading:autoplay:gifs": bool,
    },
)


@endpoint("read:accounts", returns=Preferences)
def preferences(request: ApiRequest) -> Any:
    """How apps begin; the same for everybody."""
    chosen: Preferences = {
        "posting:default:visibility": "public",
        "posting:default:sensitive": False,
        "posting:default:language": None,
        "reading:expand:media": "default",
        "reading:expand:spoilers": False,
        "reading:autoplay:gifs": False,
    }
    return chosen
