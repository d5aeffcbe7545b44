"""The caller's profile and preferences."""

from typing import Any, TypedDict

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import Inputs, OnlyAllowed, TextField
from accounts.infra.pictures import BadPicture
from accounts.services.profiles import change_avatar, prepare_avatar, set_private, update_profile
from feed.api.serializers.accounts import Account

from .accounts import serialize_own_account
from .status_lookup import NotSupported


class OptionalBooleanField(serializers.BooleanField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, allow_null=True, default=None, **kwargs)


class ProfileFieldInputs(Inputs):
    name = TextField(max_length=255)
    value = TextField(max_length=2000)


class SourceInputs(Inputs):
    """Posting defaults. Values other than the defaults of this site are refused.

    ``language`` has no effect.
    """

    privacy = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        validators=[
            OnlyAllowed(
                _("Changing the default visibility of new posts is not supported here."),
                "public",
                "",
            )
        ],
    )
    sensitive = OptionalBooleanField(
        validators=[
            OnlyAllowed(_("Marking pictures as sensitive by default is not supported here."), False)
        ]
    )
    language = serializers.CharField(required=False, allow_null=True, allow_blank=True)


class ProfileInputs(Inputs):
    """Changes to a profile. Missing inputs change nothing.

    Inputs for features that this site does not support, such as a header picture, are refused.
    """

    display_name = TextField(default=None, allow_null=True, max_length=30, one_line=True)
    note = TextField(default=None, allow_null=True, max_length=500)
    locked = serializers.BooleanField(required=False, allow_null=True, default=None)
    avatar = serializers.FileField(required=False, allow_null=True, default=None)
    header = serializers.FileField(
        required=False,
        allow_null=True,
        default=None,
        validators=[OnlyAllowed(_("Header pictures are not supported here."))],
    )
    bot = OptionalBooleanField(
        validators=[OnlyAllowed(_("Marking accounts as automated is not supported here."), False)]
    )
    hide_collections = OptionalBooleanField(
        validators=[
            OnlyAllowed(
                _("Hiding your followers and the people you follow is not supported here."), False
            )
        ]
    )
    discoverable = OptionalBooleanField()
    indexable = OptionalBooleanField()
    fields_attributes = serializers.ListField(
        child=ProfileFieldInputs(), required=False, allow_null=True, default=list, max_length=20
    )
    source = SourceInputs(required=False, allow_null=True, default=None)  # type: ignore[assignment]

    def validate_fields_attributes(self, fields: list[dict[str, str]] | None) -> None:
        if any(field["name"] or field["value"] for field in fields or ()):
            raise serializers.ValidationError(_("Profile fields are not supported here."))


@endpoint("write:accounts", inputs=ProfileInputs, returns=Account)
def update_credentials(request: ApiRequest) -> Any:
    """Change the caller's display name, bio or avatar, or make the caller's account private or public."""
    user, inputs = request.signed_in_user, request.inputs
    is_locked = user.is_private if inputs["locked"] is None else inputs["locked"]
    if is_locked in (inputs["discoverable"], inputs["indexable"]):
        raise NotSupported(_("Only private accounts are hidden from discovery here."))
    if inputs["avatar"] is not None:
        try:
            picture = prepare_avatar(uid=user.pk, upload=inputs["avatar"])
        except BadPicture as error:
            raise serializers.ValidationError({"avatar": [str(error)]}) from error
        change_avatar(uid=user.pk, picture=picture)
    name, bio = inputs["display_name"], inputs["note"]
    if name is not None or bio is not None:
        update_profile(
            uid=user.pk,
            display_name=user.display_name if name is None else name,
            bio=user.bio if bio is None else bio,
        )
    if inputs["locked"] is not None and inputs["locked"] != user.is_private:
        set_private(uid=user.pk, is_private=inputs["locked"])
    return serialize_own_account(uid=user.pk)


@endpoint("write:accounts", returns=Account)
def delete_avatar(request: ApiRequest) -> Any:
    """Remove the avatar. The account shows a generated picture instead."""
    change_avatar(uid=request.uid, picture=None)
    return serialize_own_account(uid=request.uid)


@endpoint("write:accounts", returns=Account)
def delete_header(request: ApiRequest) -> Any:
    """Change nothing, because header pictures are not supported."""
    return serialize_own_account(uid=request.uid)


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
    """Return the posting and reading preferences, which are the same for every user."""
    defaults: Preferences = {
        "posting:default:visibility": "public",
        "posting:default:sensitive": False,
        "posting:default:language": None,
        "reading:expand:media": "default",
        "reading:expand:spoilers": False,
        "reading:autoplay:gifs": False,
    }
    return defaults
