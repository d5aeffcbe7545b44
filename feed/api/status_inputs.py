"""What clients send to publish a post or comment, and to change it."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.inputs import IdField, IdListField, Inputs, StringField, TextField
from feed.models import MAX_ALT_TEXT, MAX_CONTENT_WARNING, MAX_TEXT_LENGTH

from .serializers.statuses import API_VISIBILITIES

VISIBILITY_BY_API_NAME = {theirs: ours for ours, theirs in API_VISIBILITIES.items()}
MAX_FOCUS_LENGTH = 40


class FocusField(serializers.CharField):
    """``x,y``, each between -1 and 1: what of a picture is to be seen wherever it is cut."""

    def __init__(self, **kwargs: Any) -> None:
        defaults = {"required": False, "allow_null": True, "allow_blank": True, "default": None}
        super().__init__(max_length=MAX_FOCUS_LENGTH, **(defaults | kwargs))

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation(data) or None

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        try:
            x, y = (float(one) for one in text.split(","))
        except ValueError:
            raise serializers.ValidationError("This has to be x,y.", code="invalid") from None
        if not (-1 <= x <= 1 and -1 <= y <= 1):
            raise serializers.ValidationError("Both are between -1 and 1.", code="invalid")
        return x, y


class MediaDescriptionInputs(Inputs):
    """A picture of the post, and what is said of it now."""

    id = IdField(required=True)
    description = TextField(max_length=MAX_ALT_TEXT, allow_null=True, default=None)
    focus = FocusField()


class StatusCreateInputs(Inputs):
    """Many clients send null for whatever was not chosen."""

    status = TextField(max_length=MAX_TEXT_LENGTH, allow_null=True)
    spoiler_text = TextField(max_length=MAX_CONTENT_WARNING, one_line=True, allow_null=True)
    sensitive = serializers.BooleanField(required=False, allow_null=True, default=False)
    media_ids = IdListField(max_length=40, allow_null=True)
    language = StringField(
        required=False, allow_null=True, allow_blank=True, default=None, max_length=100
    )
    in_reply_to_id = IdField(allow_null=True)
    visibility = serializers.ChoiceField(
        choices=[*VISIBILITY_BY_API_NAME],
        required=False,
        allow_blank=True,
        allow_null=True,
        default=None,
    )
    poll = serializers.JSONField(required=False, allow_null=True, default=None)
    scheduled_at = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, default=None
    )
    quoted_status_id = IdField(allow_null=True)

    def validate_poll(self, poll: Any) -> None:
        """One without options is none: an app sends such with each edit."""
        if poll and not (isinstance(poll, dict) and not poll.get("options")):
            raise serializers.ValidationError(_("There are no polls here."))

    def validate_scheduled_at(self, moment: str | None) -> None:
        if moment:
            raise serializers.ValidationError(_("Posts cannot be scheduled here."))

    def validate_quoted_status_id(self, quoted: int | None) -> None:
        if quoted:
            raise serializers.ValidationError(_("Posts cannot be quoted here."))

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        given |= {"status": given["status"] or "", "media_ids": given["media_ids"] or []}
        if given["in_reply_to_id"] is not None and given["media_ids"]:
            raise serializers.ValidationError(
                {"media_ids": _("Comments cannot have pictures here.")}
            )
        if given["in_reply_to_id"] is not None and given["spoiler_text"]:
            raise serializers.ValidationError(
                {"spoiler_text": _("Comments cannot have a content warning here.")}
            )
        if not given["status"] and not given["media_ids"]:
            raise serializers.ValidationError({"status": _("Write something first.")}, code="blank")
        return {**given, "warning": content_warning(given, has_pictures=bool(given["media_ids"]))}


class StatusUpdateInputs(Inputs):
    """What is not given stays, but for the warning. ``media_ids``: those there are, if any are given."""

    status = TextField(max_length=MAX_TEXT_LENGTH, allow_null=True, default=None)
    spoiler_text = TextField(max_length=MAX_CONTENT_WARNING, one_line=True, allow_null=True)
    sensitive = serializers.BooleanField(required=False, allow_null=True, default=False)
    media_ids = IdListField(max_length=40, allow_null=True, default=None)
    media_attributes = serializers.ListField(
        child=MediaDescriptionInputs(), max_length=40, allow_null=True, default=list
    )
    language = StringField(
        required=False, allow_null=True, allow_blank=True, default=None, max_length=100
    )
    poll = serializers.JSONField(required=False, allow_null=True, default=None)

    validate_poll = StatusCreateInputs.validate_poll


def content_warning(inputs: dict[str, Any], *, has_pictures: bool) -> str:
    """Whoever only says that it is sensitive warns in one word."""
    if inputs["sensitive"] and has_pictures and not inputs["spoiler_text"]:
        return str(_("Sensitive"))
    return str(inputs["spoiler_text"] or "")
