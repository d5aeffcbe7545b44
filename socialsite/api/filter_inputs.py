"""Inputs of the endpoints that create and change filters."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers

from feed.store.filters import Phrase

from .plumbing.inputs import IdField, Inputs, TextField

MAX_PHRASE_LENGTH = 100
MAX_KEYWORDS = 100
CONTEXTS = ("home", "notifications", "public", "thread", "account")
ACTIONS = ("warn", "hide", "blur")
MAX_DURATION_SECONDS = 100 * 365 * 86_400

_NEW_PHRASE = Phrase(0, "")


class DurationField(serializers.IntegerField):
    """A number of seconds from now. None or an empty string means permanently."""

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
    """``context`` has no effect, because filters apply to all lists of posts by several authors."""

    is_context_required: ClassVar[bool] = False

    def get_fields(self) -> Any:
        # The field cannot be a class attribute, because it would shadow ``Serializer.context``.
        choice = serializers.ChoiceField(choices=CONTEXTS)
        context = serializers.ListField(
            child=choice, required=self.is_context_required, allow_empty=False, max_length=20
        )
        return {**super().get_fields(), "context": context}


class KeywordInputs(Inputs):
    """A keyword to add or change. If ``whole_word`` is false, it also matches inside words."""

    keyword = TextField(
        required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True
    )
    whole_word = serializers.BooleanField(required=False)


class KeywordChangeInputs(Inputs):
    """A keyword to add. With ``id``, an existing keyword to change or, with ``_destroy``, to delete."""

    id = IdField(allow_null=True)
    keyword = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True)
    whole_word = serializers.BooleanField(required=False)

    def get_fields(self) -> Any:
        return {**super().get_fields(), "_destroy": serializers.BooleanField(default=False)}

    def validate(self, inputs: dict[str, Any]) -> dict[str, Any]:
        if inputs["id"] is None and not inputs["keyword"] and not inputs["_destroy"]:
            raise serializers.ValidationError({"keyword": _("Enter some text.")})
        return inputs


class FilterUpdateInputs(FilterContextInputs):
    """Changes to a filter. Missing inputs change nothing."""

    title = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True)
    filter_action = serializers.ChoiceField(choices=ACTIONS, required=False)
    expires_in = DurationField()
    keywords_attributes = serializers.ListField(
        child=KeywordChangeInputs(), required=False, default=list, max_length=MAX_KEYWORDS
    )


class FilterCreateInputs(FilterUpdateInputs):
    is_context_required = True

    title = TextField(required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True)


class V1FilterUpdateInputs(FilterContextInputs):
    """Changes to a filter with one phrase. Missing inputs change nothing."""

    phrase = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True)
    irreversible = serializers.BooleanField(required=False)
    whole_word = serializers.BooleanField(required=False)
    expires_in = DurationField()


class V1FilterCreateInputs(V1FilterUpdateInputs):
    """A new filter with one phrase. ``irreversible`` hides matching posts instead of collapsing them."""

    is_context_required = True

    phrase = TextField(
        required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True
    )


def expires_at(seconds: int | None) -> datetime | None:
    return None if seconds is None else timezone.now() + timedelta(seconds=seconds)


def changed_phrase(inputs: Mapping[str, Any], *, text: str, phrase: Phrase = _NEW_PHRASE) -> Phrase:
    """Return a phrase with the text and the ``whole_word`` of the inputs. Missing inputs change nothing."""
    is_part = not inputs["whole_word"] if "whole_word" in inputs else phrase.is_part
    return replace(phrase, text=text or phrase.text, is_part=is_part)
