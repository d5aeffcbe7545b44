"""Inputs of the endpoints that publish and edit posts and comments, and the content in them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from feed.activities import activity_kind
from feed.models import MAX_ALT_TEXT, MAX_CONTENT_WARNING, MAX_TEXT_LENGTH
from feed.post_content import Audience, PostContent
from feed.selectors.post_view import PostView
from feed.services.pictures import warning_for_media
from feed.text.languages import base_language

from .plumbing.endpoints import ApiRequest
from .plumbing.inputs import IdField, IdListField, Inputs, TextField
from .polls import PollInputs
from .serializers.statuses import API_QUOTE_POLICIES, API_VISIBILITIES

VISIBILITY_BY_API_NAME = {api_name: name for name, api_name in API_VISIBILITIES.items()}
QUOTE_POLICY_BY_API_NAME = {api_name: name for name, api_name in API_QUOTE_POLICIES.items()}
MAX_FOCUS_LENGTH = 40
OPTIONAL: Any = {"required": False, "allow_null": True, "allow_blank": True, "default": None}
INPUTS_OF_KINDS = ("poll",)
"""Inputs with the names of activity kinds. They return the values of the fields of the kind."""


class FocusField(serializers.CharField):
    """The point ``x,y`` that stays visible when a picture is cropped. ``x`` and ``y`` are from -1 to 1."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_FOCUS_LENGTH, **(OPTIONAL | kwargs))

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation(data) or None

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        try:
            across, up = (float(part) for part in text.split(","))
        except ValueError:
            raise serializers.ValidationError("Enter the focus as x,y.", code="invalid") from None
        if not (-1 <= across <= 1 and -1 <= up <= 1):
            raise serializers.ValidationError("Enter values between -1 and 1.", code="invalid")
        return across, up


class LanguageField(serializers.CharField):
    """A language tag such as ``de`` or ``pt-BR``. Only the language counts, not the country or script."""

    def __init__(self) -> None:
        super().__init__(max_length=35, **OPTIONAL)

    def to_internal_value(self, data: Any) -> str:
        tag = str(super().to_internal_value(data))
        code = base_language(tag)
        if tag and not code:
            raise serializers.ValidationError(_("Enter a language code, such as “de”."))
        return code


class QuotePolicyField(serializers.ChoiceField):
    """Who may quote a post. Returns ``Post.quote_policy``, or None if the app sends no policy."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=[*QUOTE_POLICY_BY_API_NAME], **(OPTIONAL | kwargs))

    def to_internal_value(self, data: Any) -> Any:
        return QUOTE_POLICY_BY_API_NAME.get(super().to_internal_value(data))


class MediaDescriptionInputs(Inputs):
    """A picture of the post with its new description and focus."""

    id = IdField(required=True)
    description = TextField(max_length=MAX_ALT_TEXT, allow_null=True, default=None)
    focus = FocusField()


class ScheduledAtField(serializers.DateTimeField):
    """When to publish a post. A time without a time zone is in UTC. An empty value becomes None."""

    def __init__(self) -> None:
        super().__init__(required=False, allow_null=True, default=None, default_timezone=UTC)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation(None if data == "" else data)


class StatusCreateInputs(Inputs):
    """Inputs of a new status. Most inputs may be null, because many clients send null for defaults."""

    status = TextField(max_length=MAX_TEXT_LENGTH, allow_null=True)
    spoiler_text = TextField(max_length=MAX_CONTENT_WARNING, one_line=True, allow_null=True)
    sensitive = serializers.BooleanField(required=False, allow_null=True, default=None)
    media_ids = IdListField(max_length=40, allow_null=True)
    language = LanguageField()
    in_reply_to_id = IdField(allow_null=True)
    visibility = serializers.ChoiceField(choices=[*VISIBILITY_BY_API_NAME], **OPTIONAL)
    poll = PollInputs(required=False, allow_null=True, default=None)
    scheduled_at = ScheduledAtField()
    quoted_status_id = IdField(allow_null=True)
    quote_id = IdField(allow_null=True, help_text="Another name of `quoted_status_id`.")
    quote_approval_policy = QuotePolicyField()

    def validate(self, inputs: dict[str, Any]) -> dict[str, Any]:
        inputs |= {"status": inputs["status"] or "", "media_ids": inputs["media_ids"] or []}
        if inputs["quoted_status_id"] is None:
            inputs["quoted_status_id"] = inputs["quote_id"]
        if inputs["in_reply_to_id"] is not None and inputs["media_ids"]:
            raise serializers.ValidationError({"media_ids": _("Comments cannot have pictures.")})
        if inputs["in_reply_to_id"] is not None and inputs["poll"]:
            raise serializers.ValidationError({"poll": _("Comments cannot have polls.")})
        if inputs["in_reply_to_id"] is not None and inputs["quoted_status_id"] is not None:
            message = _("Comments cannot quote posts.")
            raise serializers.ValidationError({"quoted_status_id": message}, code="unsupported")
        kind, values = _kind_and_values(inputs)
        needs_text = activity_kind(kind).is_question or not (values or inputs["media_ids"])
        if needs_text and not inputs["status"]:
            raise serializers.ValidationError({"status": _("Enter some text.")}, code="blank")
        return inputs


class StatusUpdateInputs(Inputs):
    """Changes to a status. Missing inputs change nothing, with one exception.

    If ``spoiler_text`` is missing, the content warning is removed. An empty list of ``media_ids`` removes
    all pictures.
    """

    status = TextField(max_length=MAX_TEXT_LENGTH, allow_null=True, default=None)
    spoiler_text = TextField(max_length=MAX_CONTENT_WARNING, one_line=True, allow_null=True)
    sensitive = serializers.BooleanField(required=False, allow_null=True, default=False)
    media_ids = IdListField(max_length=40, allow_null=True, default=None)
    media_attributes = serializers.ListField(
        child=MediaDescriptionInputs(), max_length=40, allow_null=True, default=list
    )
    language = LanguageField()
    quote_approval_policy = QuotePolicyField()
    poll = PollInputs(required=False, allow_null=True, default=None)


def content_warning(inputs: dict[str, Any], *, has_pictures: bool, default: bool = False) -> str:
    """Return the content warning. If pictures are sensitive but have no warning, return "Sensitive".

    ``default`` is used if the app does not send ``sensitive``.
    """
    is_sensitive = default if inputs["sensitive"] is None else inputs["sensitive"]
    return warning_for_media(
        content_warning=inputs["spoiler_text"] or "",
        is_sensitive=is_sensitive,
        has_media=has_pictures,
    )


def new_content(request: ApiRequest) -> PostContent:
    """Return the content of a new status, from ``StatusCreateInputs``.

    The details are the values of the fields of the kind.
    """
    inputs, user = request.inputs, request.signed_in_user
    kind, values = _kind_and_values(inputs)
    visibility = inputs["visibility"]
    return PostContent(
        text=inputs["status"],
        content_warning=content_warning(
            inputs, has_pictures=bool(inputs["media_ids"]), default=user.has_sensitive_media
        ),
        language=inputs["language"] or user.post_language,
        kind=kind,
        details=values,
        picture_ids=tuple(inputs["media_ids"]),
        quoted_id=inputs["quoted_status_id"] or 0,
        audience=Audience(
            visibility=VISIBILITY_BY_API_NAME[visibility] if visibility else user.post_visibility,
            quote_policy=inputs["quote_approval_policy"] or user.quote_policy,
        ),
    )


def changed_content(
    inputs: dict[str, Any], *, post: PostView, text: str, picture_ids: Sequence[int]
) -> PostContent:
    """Return the content of an edited status, from ``StatusUpdateInputs`` and the post as it is."""
    audience = post.content.audience
    policy = inputs["quote_approval_policy"] or audience.quote_policy
    content = replace(
        post.content,
        text=text,
        content_warning=content_warning(inputs, has_pictures=bool(picture_ids)),
        language=inputs["language"] or post.language,
        picture_ids=tuple(picture_ids),
        audience=replace(audience, quote_policy=policy),
    )
    kind, values = _kind_and_values(inputs)
    return built_content(replace(content, kind=kind, details=values)) if values else content


def built_content(content: PostContent) -> PostContent:
    """Return the content with the details of the kind instead of the values of its fields."""
    details = activity_kind(content.kind).build_details(dict(content.details))
    return replace(content, details=details)


def _kind_and_values(inputs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the kind of the status, and the values of the fields of the kind."""
    sent = ((kind, inputs[kind]) for kind in INPUTS_OF_KINDS if inputs[kind])
    return next(sent, ("note", {}))
