"""The form field for people's words."""

from time import perf_counter

import pytest
from django.core.exceptions import ValidationError

from accounts.forms import MAX_LENGTH_FACTOR, PlainTextField


def test_the_length_is_that_of_what_is_kept():
    field = PlainTextField(max_length=5)
    assert field.clean("\u200b" * 30 + "hello\r\n\r\n") == "hello"
    with pytest.raises(ValidationError):
        field.clean("hello!")


@pytest.mark.parametrize("unit", ["a", "\u0301\u0323", "\u202e", "\r"])
def test_what_is_far_too_long_is_refused_at_once(unit):
    begun = perf_counter()
    with pytest.raises(ValidationError, match="at most 500"):
        PlainTextField(max_length=500).clean("x" + unit * (MAX_LENGTH_FACTOR * 500) + "x")
    assert perf_counter() - begun < 1
