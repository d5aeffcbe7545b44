"""What clients send: as form, JSON or in the query, in the bracket notation of Rails or without.

``media_ids[]=1&media_ids[]=2``, ``media_ids=1&media_ids=2`` and ``{"media_ids": ["1", "2"]}`` are the same
here; so are ``source[privacy]=public`` and ``{"source": {"privacy": "public"}}``.
Serializers check what comes out.
"""

import re
from typing import Any, ClassVar

from django.http import QueryDict
from drf_spectacular.drainage import set_override
from rest_framework import serializers
from rest_framework.request import Request

from accounts.infra.ids import MAX_ID
from accounts.infra.plain_text import DIRECTION_CONTROLS, clean_text

DEFAULT_LIMIT, MAX_LIMIT = 20, 40
MAX_DEPTH = 4
MAX_TEXT_READ = 100_000
"""Characters of a text that are looked at."""
FIELD_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
BRACKETS = re.compile(r"\[([^\[\]]*)\]")

ID_SCHEMA = {"type": "string", "pattern": "^[0-9]{1,19}$"}


def request_inputs(request: Request) -> dict[str, Any]:
    """Query and body in one, nested as the brackets say; of both, the body counts."""
    found = nest_brackets(request.query_params)
    body = request.data
    if isinstance(body, QueryDict):
        return found | nest_brackets(body)
    if not isinstance(body, dict):
        raise serializers.ValidationError("This has to be an object.")
    return found | {str(name).removesuffix("[]"): value for name, value in body.items()}


class FormValues(list[Any]):
    """What a form says under one name, once or more: all of it for a list, else the last."""


def nest_brackets(given: QueryDict) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, values in given.lists():
        match = FIELD_NAME.fullmatch(name)
        parts = BRACKETS.findall(match[2]) if match else []
        if match is None or len(parts) > MAX_DEPTH:
            continue  # nothing of ours is called so
        _put(found, [match[1], *parts], list(values))
    return found


def _put(into: dict[str, Any], path: list[str], values: list[Any]) -> None:
    name, *rest = path
    if not rest:
        into[name] = FormValues(values)
    elif not any(rest):  # one client sends ``id[][]=1``
        into[name] = values
    elif rest[0] == "":
        # ``rules[][name]=..``: one after the other belongs to one, until a name comes again.
        there = into.setdefault(name, [])
        for number, value in enumerate(values) if isinstance(there, list) else ():
            if number == len(there):
                there.append({})
            _put(there[number], rest[1:], [value])
    else:
        inner = into.setdefault(name, {})
        if isinstance(inner, dict):
            _put(inner, rest, values)


# What an endpoint takes. A comment: as a docstring, it would describe whatever has none of its own.
class Inputs(serializers.Serializer[Any]):
    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            data = {name: _as_meant(self.fields.get(name), value) for name, value in data.items()}
        return super().to_internal_value(data)


class NoInputs(Inputs):
    """Nothing."""


def _as_meant(field: Any, value: Any) -> Any:
    if isinstance(field, serializers.DictField) and isinstance(value, dict):
        return {name: _as_meant(field.child, one) for name, one in value.items()}
    if not isinstance(field, serializers.ListField | serializers.ListSerializer):
        return value[-1] if isinstance(value, FormValues) else value
    # Objects may come under numbers (``rules[0][name]=..``), whose order Rails takes as it comes.
    is_numbered = isinstance(value, dict) and value and all(name.isdigit() for name in value)
    return list(value.values()) if is_numbered and isinstance(field.child, Inputs) else value


class OnlyAllowed:
    """A validator for what this site does not have: anything but ``allowed`` is refused, in words.

    Saying yes and doing nothing would mislead the user. Clients send some values with every request; those
    that change nothing are allowed.
    """

    def __init__(self, words: Any, *allowed: Any) -> None:
        self.message, self.allowed = words, allowed

    def __call__(self, value: Any) -> None:
        if value not in self.allowed:
            raise serializers.ValidationError(str(self.message), code="unsupported")


ID_NUMBER_SCHEMA = {"type": "integer", "minimum": 0}


class IdField(serializers.CharField):
    """An id, which JSON carries as a string, and some clients send as a number; ``None`` where it is left
    empty."""

    def __init__(self, **kwargs: Any) -> None:
        text: dict[str, Any] = dict(ID_SCHEMA)
        if not kwargs.get("required"):
            kwargs.setdefault("allow_blank", True)
            kwargs.setdefault("default", None)
            text["pattern"] = "^([0-9]{1,19})?$"
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)
        set_override(self, "field", {"anyOf": [text, ID_NUMBER_SCHEMA]})

    def run_validation(self, data: Any = serializers.empty) -> Any:
        found = super().run_validation(data)
        return None if found == "" else found

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        if not (text.isascii() and text.isdigit() and len(text) <= 19):
            raise serializers.ValidationError("This is not an id.", code="invalid")
        return min(int(text), MAX_ID)


class IdListField(serializers.ListField):
    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("child", IdField(required=True))
        if not kwargs.get("required"):
            kwargs.setdefault("default", list)
        super().__init__(**kwargs)


class StringField(serializers.CharField):
    """Not of numbers, which are a mistake in JSON. Nothing is cut off: it is as long as it was sent."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class TextField(StringField):
    """Text as it is kept (``plaintext``). ``max_length`` counts the characters of that: the description
    can say so in words only. ``one_line``: it stands among other people's words."""

    def __init__(self, *, max_length: int, one_line: bool = False, **kwargs: Any) -> None:
        self.max_cleaned_length, self.is_single_line = max_length, one_line
        kwargs.setdefault("help_text", f"At most {max_length} characters of what is kept.")
        if not kwargs.get("required"):
            kwargs.setdefault("default", "")
            kwargs.setdefault("allow_blank", True)
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        text = clean_text(super().to_internal_value(data)[:MAX_TEXT_READ])
        if self.is_single_line:
            text = " ".join(DIRECTION_CONTROLS.sub("", text).split())
        if len(text) > self.max_cleaned_length:
            self.fail("max_length", max_length=self.max_cleaned_length)
        return text


class LimitInputs(Inputs):
    """``limit``: at most ``MOST``, whoever asks for more gets that."""

    max_limit: ClassVar[int] = MAX_LIMIT
    default_limit: ClassVar[int] = DEFAULT_LIMIT

    limit = serializers.IntegerField(default=None, min_value=1)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        given = super().validate(given)
        return {**given, "limit": min(given["limit"] or self.default_limit, self.max_limit)}


class PageInputs(LimitInputs):
    """Which part of a list: below ``max_id``, above ``since_id``, or just above ``min_id``."""

    max_id = IdField()
    since_id = IdField()
    min_id = IdField()
