"""The API encodes values as REST framework does."""

import json
from collections import namedtuple
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy
from rest_framework import renderers

from socialsite.api.plumbing.formats import JSONRenderer

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"error": gettext_lazy("Record not found")},
        {"at": datetime(2026, 11, 27, 1, 2, 3, 456000, UTC)},
        [(1, 2.5), Point(3, 4), {"a": 1}.keys()],
        {"text": mark_safe('<p>\u2028 \U0001f600 \\ " \0</p>')},
        {"id": 2**64},
        {7: "seven"},
    ],
)
def test_every_value_is_encoded_as_rest_framework_does(value: Any) -> None:
    ours = JSONRenderer().render(value)
    theirs = renderers.JSONRenderer().render(value)
    if value is None:
        assert ours == theirs == b""
    else:
        assert json.loads(ours) == json.loads(theirs)


def test_unknown_objects_are_errors() -> None:
    with pytest.raises(TypeError, match="not JSON serializable"):
        JSONRenderer().render({"value": object()})


def test_apps_may_ask_for_indentation() -> None:
    media_type = "application/json; indent=4"
    assert (
        JSONRenderer().render({"a": [1]}, media_type, {}) == b'{\n    "a": [\n        1\n    ]\n}'
    )
