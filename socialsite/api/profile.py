"""The caller's profile and preferences."""

from typing import IO, Any, TypedDict

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.infra.pictures import BadPicture
from accounts.infra.refusals import Refused
from accounts.models import MAX_PROFILE_FIELD_LENGTH, MAX_PROFILE_FIELDS, PostVisibility, User
from accounts.profile_pictures import AVATAR, HEADER, KINDS, PictureKind
from accounts.services import profiles
from accounts.user_cards import ProfileField

from .accounts import serialize_own_account
from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import OPTIONAL, Inputs, TextField
from .serializers.accounts import Account
from .serializers.statuses import API_QUOTE_POLICIES, API_VISIBILITIES
from .status_inputs import VISIBILITY_BY_API_NAME, LanguageField, QuotePolicyField


class ProfileFieldInputs(Inputs):
    """A field of a profile. A field without name and value is left out."""

    name = TextField(max_length=MAX_PROFILE_FIELD_LENGTH, one_line=True, allow_null=True)
    value = TextField(max_length=MAX_PROFILE_FIELD_LENGTH, one_line=True, allow_null=True)

    def validate(self, field: dict[str, Any]) -> dict[str, Any]:
        if bool(field["name"]) != bool(field["value"]):
            raise serializers.ValidationError(_("A profile field needs a label and a content."))
        return field


class SourceInputs(Inputs):
    """Defaults for new posts. ``privacy`` is the visibility of posts that are sent without one."""

    privacy = serializers.ChoiceField(
        choices=[API_VISIBILITIES[visibility] for visibility in PostVisibility.values],
        allow_blank=True,
        **OPTIONAL,
    )
    sensitive = serializers.BooleanField(**OPTIONAL)
    language = LanguageField()
    quote_policy = QuotePolicyField()


class ProfileInputs(Inputs):
    """Changes to a profile. Missing inputs change nothing.

    ``hide_collections`` must be the same as ``locked``, and ``indexable`` the opposite. An account with
    ``locked`` is never ``discoverable``.
    """

    display_name = TextField(default=None, allow_null=True, max_length=30, one_line=True)
    note = TextField(default=None, allow_null=True, max_length=500)
    locked = serializers.BooleanField(**OPTIONAL)
    bot = serializers.BooleanField(**OPTIONAL)
    avatar = serializers.FileField(**OPTIONAL)
    header = serializers.FileField(**OPTIONAL)
    hide_collections = serializers.BooleanField(**OPTIONAL)
    discoverable = serializers.BooleanField(**OPTIONAL)
    indexable = serializers.BooleanField(**OPTIONAL)
    fields_attributes = serializers.ListField(child=ProfileFieldInputs(), max_length=20, **OPTIONAL)
    source = SourceInputs(**OPTIONAL)  # type: ignore[assignment]

    def validate_fields_attributes(
        self, fields: list[dict[str, str]] | None
    ) -> list[ProfileField] | None:
        if fields is None:
            return None
        profile_fields = [ProfileField(**field) for field in fields if field["name"]]
        if len(profile_fields) > MAX_PROFILE_FIELDS:
            message = _("A profile has at most %(number)s fields.")
            raise serializers.ValidationError(message % {"number": MAX_PROFILE_FIELDS})
        return profile_fields


@endpoint("write:accounts", inputs=ProfileInputs, returns=Account)
def update_credentials(request: ApiRequest) -> Any:
    """Change the caller's profile, its privacy, and the defaults for new posts."""
    user, inputs = request.signed_in_user, request.inputs
    is_locked = user.is_private if inputs["locked"] is None else inputs["locked"]
    is_discoverable = inputs["discoverable"]
    if is_locked and is_discoverable:
        raise Refused(_("Private accounts are not suggested to others here."))
    if inputs["indexable"] is is_locked:
        raise Refused(_("Only the posts of private accounts are not found here."))
    if inputs["hide_collections"] not in (None, is_locked):
        raise Refused(_("Only private accounts hide their lists of followers here."))
    new_pictures = {
        kind: _prepare_picture(kind, user.pk, inputs[kind.field])
        for kind in KINDS
        if inputs[kind.field] is not None
    }
    for kind, picture in new_pictures.items():
        profiles.change_picture(kind=kind, uid=user.pk, picture=picture)
    profiles.update_profile(
        uid=user.pk,
        display_name=inputs["display_name"],
        bio=inputs["note"],
        profile_fields=inputs["fields_attributes"],
        is_bot=inputs["bot"],
    )
    if inputs["locked"] is not None and inputs["locked"] != user.is_private:
        profiles.set_private(uid=user.pk, is_private=inputs["locked"])
    # Apps send the value of a private account, which is always false, with other changes.
    if is_discoverable is not None and not is_locked:
        profiles.change_settings(uid=user.pk, is_discoverable=is_discoverable)
    if inputs["source"]:
        privacy = inputs["source"]["privacy"]
        profiles.change_settings(
            uid=user.pk,
            post_visibility=VISIBILITY_BY_API_NAME[privacy] if privacy else None,
            post_language=inputs["source"]["language"],
            quote_policy=inputs["source"]["quote_policy"],
            has_sensitive_media=inputs["source"]["sensitive"],
        )
    return serialize_own_account(uid=user.pk)


def _prepare_picture(kind: PictureKind, uid: int, upload: IO[bytes]) -> bytes:
    try:
        return profiles.prepare_picture(kind=kind, uid=uid, upload=upload)
    except BadPicture as error:
        raise serializers.ValidationError({kind.field: [str(error)]}) from error


@endpoint("write:accounts", returns=Account)
def delete_avatar(request: ApiRequest) -> Any:
    """Remove the avatar. The account shows a generated picture instead."""
    profiles.change_picture(kind=AVATAR, uid=request.uid, picture=None)
    return serialize_own_account(uid=request.uid)


@endpoint("write:accounts", returns=Account)
def delete_header(request: ApiRequest) -> Any:
    """Remove the header picture."""
    profiles.change_picture(kind=HEADER, uid=request.uid, picture=None)
    return serialize_own_account(uid=request.uid)


Preferences = TypedDict(
    "Preferences",
    {
        "posting:default:visibility": str,
        "posting:default:sensitive": bool,
        "posting:default:language": str | None,
        "posting:default:quote_policy": str,
        "reading:expand:media": str,
        "reading:expand:spoilers": bool,
        "reading:autoplay:gifs": bool,
    },
)


@endpoint("read:accounts", returns=Preferences)
def preferences(request: ApiRequest) -> Any:
    """Return the caller's defaults for new posts, and the reading preferences, which all users share."""
    # Not the cached user of the token: the app may have changed the values through another process.
    user = User.objects.get(pk=request.uid)
    values: Preferences = {
        "posting:default:visibility": API_VISIBILITIES[user.post_visibility],
        "posting:default:sensitive": user.has_sensitive_media,
        "posting:default:language": user.post_language or None,
        "posting:default:quote_policy": API_QUOTE_POLICIES[user.quote_policy],
        "reading:expand:media": "default",
        "reading:expand:spoilers": False,
        "reading:autoplay:gifs": False,
    }
    return values
