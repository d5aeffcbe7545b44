"""Input of API requests: queries, forms and JSON, including the bracket notation of Rails.

``media_ids[]=1&media_ids[]=2``, ``media_ids=1&media_ids=2`` and ``{"media_ids": ["1", "2"]}`` are
equivalent. So are ``source[privacy]=public`` and ``{"source": {"privacy": "public"}}``. Serializers
validate the result.
"""

import re
from collections.abc import Iterable
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.http import QueryDict
from drf_spectacular.drainage import set_override
from rest_framework import serializers
from rest_framework.request import Request

from accounts.infra.ids import MAX_ID, first_id_at
from accounts.infra.plain_text import DIRECTION_CONTROLS, clean_text

DEFAULT_LIMIT, MAX_LIMIT = 20, 40
MAX_DEPTH = 4
MAX_TEXT_READ = 100_000
"""Maximum number of characters read from a text. The rest of the text is ignored."""
FIELD_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
BRACKETS = re.compile(r"\[([^\[\]]*)\]")

MASTODON_ID_BITS = 16
_MASTODON_IDS = tuple(
    int(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000) << MASTODON_ID_BITS
    for year in (2016, 2050)
)

OPTIONAL: dict[str, Any] = {"required": False, "allow_null": True, "default": None}
"""Arguments of a field whose value may be missing or null."""

ID_SCHEMA = {"type": "string", "pattern": "^[0-9]{1,19}$"}


def request_inputs(request: Request) -> dict[str, Any]:
    """Return query and body in one dictionary, nested by brackets. The body overrides the query.

    An empty value in the query is a value that was not sent. In a body it empties a field.
    """
    query = {
        name: [value for value in values if value]
        for name, values in request.query_params.lists()
        if any(values)
    }
    inputs, body = nest_brackets(query.items()), request.data
    if isinstance(body, QueryDict):
        return inputs | nest_brackets(body.lists())
    if not isinstance(body, dict):
        raise serializers.ValidationError("This must be an object.")
    return inputs | {str(name).removesuffix("[]"): value for name, value in body.items()}


class FormValues(list[Any]):
    """All values of one form field. A list field uses all values, any other field only the last value."""


def nest_brackets(lists: Iterable[tuple[str, list[Any]]]) -> dict[str, Any]:
    """Convert names with brackets, such as ``a[b]=1``, to nested dictionaries: ``{"a": {"b": "1"}}``."""
    inputs: dict[str, Any] = {}
    for name, values in lists:
        match = FIELD_NAME.fullmatch(name)
        parts = BRACKETS.findall(match[2]) if match else []
        if match is None or len(parts) > MAX_DEPTH:
            continue  # no endpoint has an input with such a name
        _put_values(inputs, [match[1], *parts], list(values))
    return inputs


def _put_values(inputs: dict[str, Any], path: list[str], values: list[Any]) -> None:
    name, *rest = path
    if not rest:
        inputs[name] = FormValues(values)
    elif not any(rest):  # some clients send ``id[][]=1`` for a list of ids
        inputs[name] = values
    elif rest[0] == "":
        # A form with objects repeats each name, such as ``rules[][name]=..``. The n-th value of a name
        # belongs to the n-th object.
        objects = inputs.setdefault(name, [])
        for index, value in enumerate(values) if isinstance(objects, list) else ():
            if index == len(objects):
                objects.append({})
            _put_values(objects[index], rest[1:], [value])
    else:
        nested = inputs.setdefault(name, {})
        if isinstance(nested, dict):
            _put_values(nested, rest, values)


# Base class for the inputs of an endpoint. If this comment were a docstring, the API description would show
# it for every subclass without a docstring.
class Inputs(serializers.Serializer[Any]):
    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            data = {
                name: _unwrap(self.fields.get(name), value)
                for name, value in data.items()
                # ``null`` has a meaning only for some fields. Others are then treated as missing.
                if value is not None or getattr(self.fields.get(name), "allow_null", False)
            }
        return super().to_internal_value(data)


class NoInputs(Inputs):
    """For endpoints without inputs."""


def validated_inputs(inputs: type[Inputs], data: dict[str, Any]) -> dict[str, Any]:
    """Return the validated data. Raises ValidationError."""
    if not data:
        return deepcopy(_default_inputs(inputs))
    serializer = inputs(data=data)
    serializer.is_valid(raise_exception=True)
    validated_data: dict[str, Any] = serializer.validated_data
    return validated_data


@cache
def _default_inputs(inputs: type[Inputs]) -> dict[str, Any]:
    """Return the inputs of a request without any. Most requests for a timeline have none."""
    serializer = inputs(data={})
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _unwrap(field: Any, value: Any) -> Any:
    """Return the value in the shape that the field expects, such as a list."""
    if isinstance(field, serializers.DictField) and isinstance(value, dict):
        return {name: _unwrap(field.child, child_value) for name, child_value in value.items()}
    if not isinstance(field, serializers.ListField | serializers.ListSerializer):
        return value[-1] if isinstance(value, FormValues) else value
    # Some clients number objects, as in ``rules[0][name]=..``. Ignore the numbers, as Rails does.
    is_numbered = isinstance(value, dict) and value and all(name.isdigit() for name in value)
    return list(value.values()) if is_numbered and isinstance(field.child, Inputs) else value


class OnlyAllowed:
    """Validator for features that this site does not have. Refuses every value except ``allowed``.

    Ignoring a value silently would mislead the user. But some clients send certain values with every
    request, so ``allowed`` contains the values that have no effect.
    """

    def __init__(self, message: Any, *allowed: Any) -> None:
        self.message, self.allowed = message, allowed

    def __call__(self, value: Any) -> None:
        if value not in self.allowed:
            raise serializers.ValidationError(str(self.message), code="unsupported")


ID_NUMBER_SCHEMA = {"type": "integer", "minimum": 0}


class IdField(serializers.CharField):
    """An id as a string, or as a number, which some clients send. An empty value becomes ``None``."""

    def __init__(self, **kwargs: Any) -> None:
        schema: dict[str, Any] = dict(ID_SCHEMA)
        if not kwargs.get("required"):
            kwargs.setdefault("allow_blank", True)
            kwargs.setdefault("default", None)
            schema["pattern"] = "^([0-9]{1,19})?$"
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)
        set_override(self, "field", {"anyOf": [schema, ID_NUMBER_SCHEMA]})

    def run_validation(self, data: Any = serializers.empty) -> Any:
        value = super().run_validation(data)
        return None if value == "" else value

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        if not (text.isascii() and text.isdigit() and len(text) <= 19):
            raise serializers.ValidationError("This is not a valid ID.", code="invalid")
        return min(int(text), MAX_ID)


class IdListField(serializers.ListField):
    child = IdField(required=True)

    def __init__(self, **kwargs: Any) -> None:
        if not kwargs.get("required"):
            kwargs.setdefault("default", list)
        super().__init__(**kwargs)


class StringField(serializers.CharField):
    """A string that is not trimmed. Refuses JSON numbers, because a client sends them by mistake."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class TextField(StringField):
    """Text that ``plain_text`` cleans before it is stored.

    Args:
        max_length: maximum number of characters after cleaning. JSON Schema cannot express this limit, so
            ``help_text`` states it.
        one_line: remove line ends and direction controls, because they would affect the text around this
            text.
    """

    def __init__(self, *, max_length: int, one_line: bool = False, **kwargs: Any) -> None:
        self.max_cleaned_length, self.is_single_line = max_length, one_line
        kwargs.setdefault("help_text", f"At most {max_length} characters after cleaning.")
        if not kwargs.get("required"):
            kwargs.setdefault("default", "")
            kwargs.setdefault("allow_blank", True)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        text = clean_text(super().to_internal_value(data)[:MAX_TEXT_READ])
        if self.is_single_line:
            text = " ".join(DIRECTION_CONTROLS.sub("", text).split())
        if len(text) > self.max_cleaned_length:
            self.fail("max_length", max_length=self.max_cleaned_length)
        if not text and not self.allow_blank:
            self.fail("blank")
        return text


class CursorField(IdField):
    """An id, or a moment in the form of an id of Mastodon: milliseconds since 1970, shifted by 16 bits.

    Apps calculate such ids to load the posts before a day. All ids of this site are larger, except those
    of imported posts from the winter of 2010.
    """

    def to_internal_value(self, data: Any) -> Any:
        value = super().to_internal_value(data)
        if not _MASTODON_IDS[0] <= value < _MASTODON_IDS[1]:
            return value
        moment = datetime.fromtimestamp((value >> MASTODON_ID_BITS) / 1000, UTC)
        return first_id_at(moment=moment)


class LimitField(serializers.IntegerField):
    """Maximum number of rows on a page. Larger values are reduced to ``maximum``.

    With 0, the page is empty (``endpoints.route``).
    """

    def __init__(
        self, default: int | None = None, *, maximum: int = MAX_LIMIT, min_value: int = 0
    ) -> None:
        self.maximum = maximum
        super().__init__(default=default, min_value=min_value)

    def get_default(self) -> Any:
        return super().get_default() or DEFAULT_LIMIT

    def to_internal_value(self, data: Any) -> int:
        return min(super().to_internal_value(data), self.maximum)


class PageInputs(Inputs):
    """Bounds of a page: rows below ``max_id``, above ``since_id``, or directly above ``min_id``."""

    limit = LimitField()
    max_id = CursorField()
    since_id = CursorField()
    min_id = CursorField()
