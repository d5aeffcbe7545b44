"""What clients send to make filters and to change them."""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.api.inputs import IdField, Inputs, TextField

MAX_PHRASE_LENGTH = 100
MAX_KEYWORDS = 100
CONTEXTS = ("home", "notifications", "public", "thread", "account")
ACTIONS = ("warn", "hide", "blur")
MAX_DURATION_SECONDS = 100 * 365 * 86_400


class DurationField(serializers.IntegerField):
    """Seconds from now; None or nothing: for good."""

    def __init__(self, **kwargs: Any) -> None:
        defaults = {
            "required": False,
            "allow_null": True,
            "min_value": 0,
            "max_value": MAX_DURATION_SECONDS,
        }
        super().__init__(**(defaults | kwargs))

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation(None if data == "" else data)


class FilterContextInputs(Inputs):
    """``context``: whatever is named, filters act where posts of many are listed."""

    is_context_required: ClassVar[bool] = False

    def get_fields(self) -> Any:
        # Not an attribute: serializers have one of this name.
        one = serializers.ChoiceField(choices=CONTEXTS)
        context = serializers.ListField(
            child=one, required=self.is_context_required, allow_empty=False, max_length=20
        )
        return {**super().get_fields(), "context": context}


class KeywordInputs(Inputs):
    """``whole_word`` changes nothing: a word is found only where it stands by itself."""

    keyword = TextField(
        required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True
    )
    whole_word = serializers.BooleanField(required=False, default=True)


class KeywordChangeInputs(Inputs):
    """A phrase; with ``id`` one that is there, which ``_destroy`` takes away."""

    id = IdField(allow_null=True)
    keyword = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True)
    whole_word = serializers.BooleanField(required=False, default=True)

    def get_fields(self) -> Any:
        return {**super().get_fields(), "_destroy": serializers.BooleanField(default=False)}

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if given["id"] is None and not given["keyword"] and not given["_destroy"]:
            raise serializers.ValidationError({"keyword": _("Write something first.")})
        return given


class FilterUpdateInputs(FilterContextInputs):
    """What is not given stays."""

    title = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True)
    filter_action = serializers.ChoiceField(choices=ACTIONS, required=False)
    expires_in = DurationField()
    keywords_attributes = serializers.ListField(
        child=KeywordChangeInputs(), required=False, default=list, max_length=MAX_KEYWORDS
    )


class FilterCreateInputs(FilterUpdateInputs):
    needs_context = True

    title = TextField(required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True)


class V1FilterUpdateInputs(FilterContextInputs):
    """As ``V1NewFilter``; what is not given stays."""

    phrase = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True)
    irreversible = serializers.BooleanField(required=False)
    whole_word = serializers.BooleanField(required=False, default=True)
    expires_in = DurationField()


class V1FilterCreateInputs(V1FilterUpdateInputs):
    """``irreversible``: posts are left out, not folded."""

    needs_context = True

    phrase = TextField(
        required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True
    )


def expires_at(seconds: int | None) -> datetime | None:
    return None if seconds is None else timezone.now() + timedelta(seconds=seconds)
