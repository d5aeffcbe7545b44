"""What people say of themselves and choose, from an app."""

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
    """How posts begin; the same for everybody here. ``language`` changes nothing yet."""

    privacy = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        validators=[
            OnlyAllowed(_("New posts are public unless you choose otherwise."), "public", "")
        ],
    )
    sensitive = OptionalBooleanField(
        validators=[OnlyAllowed(_("Pictures are not sensitive by default here."), False)]
    )
    language = serializers.CharField(required=False, allow_null=True, allow_blank=True)


class ProfileInputs(Inputs):
    """What is not given stays. What the site does not have, such as a header, is refused."""

    display_name = TextField(default=None, allow_null=True, max_length=30, one_line=True)
    note = TextField(default=None, allow_null=True, max_length=500)
    locked = serializers.BooleanField(required=False, allow_null=True, default=None)
    avatar = serializers.FileField(required=False, allow_null=True, default=None)
    header = serializers.FileField(
        required=False,
        allow_null=True,
        default=None,
        validators=[OnlyAllowed(_("Profiles have no header here."))],
    )
    bot = OptionalBooleanField(
        validators=[OnlyAllowed(_("Accounts cannot be marked as automated here."), False)]
    )
    hide_collections = OptionalBooleanField(
        validators=[OnlyAllowed(_("Who follows whom cannot be hidden here."), False)]
    )
    discoverable = OptionalBooleanField()
    indexable = OptionalBooleanField()
    fields_attributes = serializers.ListField(
        child=ProfileFieldInputs(), required=False, allow_null=True, default=list, max_length=20
    )
    source = SourceInputs(required=False, allow_null=True, default=None)  # type: ignore[assignment]

    def validate_fields_attributes(self, fields: list[dict[str, str]] | None) -> None:
        if any(field["name"] or field["value"] for field in fields or ()):
            raise serializers.ValidationError(_("Profiles have no fields here."))


@endpoint("write:accounts", inputs=ProfileInputs, returns=Account)
def update_credentials(request: ApiRequest) -> Any:
    """Change the name, the words about oneself, the picture, and whether one approves followers."""
    me, given = request.signed_in_user, request.inputs
    is_locked = me.is_private if given["locked"] is None else given["locked"]
    if is_locked in (given["discoverable"], given["indexable"]):
        raise NotSupported(
            _("People are found by others here unless they approve their followers.")
        )
    if given["avatar"] is not None:
        try:
            picture = prepare_avatar(uid=me.pk, upload=given["avatar"])
        except BadPicture as error:
            raise serializers.ValidationError({"avatar": [str(error)]}) from error
        change_avatar(uid=me.pk, picture=picture)
    name, note = given["display_name"], given["note"]
    if name is not None or note is not None:
        update_profile(
            uid=me.pk,
            display_name=me.display_name if name is None else name,
            bio=me.bio if note is None else note,
        )
    if given["locked"] is not None and given["locked"] != me.is_private:
        set_private(uid=me.pk, is_private=given["locked"])
    return serialize_own_account(uid=me.pk)


@endpoint("write:accounts", returns=Account)
def delete_avatar(request: ApiRequest) -> Any:
    """Be shown with the drawn picture."""
    change_avatar(uid=request.uid, picture=None)
    return serialize_own_account(uid=request.uid)


@endpoint("write:accounts", returns=Account)
def delete_header(request: ApiRequest) -> Any:
    """Nothing changes: people have no headers here."""
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
