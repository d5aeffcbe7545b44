"""The form field for plain text."""

from time import thread_time

import pytest
from django.core.exceptions import ValidationError

from accounts.forms import MAX_LENGTH_FACTOR, PlainTextField


def test_the_length_limit_applies_to_the_cleaned_text():
    field = PlainTextField(max_length=5)
    assert field.clean("\u200b" * 30 + "hello\r\n\r\n") == "hello"
    with pytest.raises(ValidationError):
        field.clean("hello!")


@pytest.mark.parametrize("unit", ["a", "\u0301\u0323", "\u202e", "\r"])
def test_far_too_long_text_is_rejected_quickly(unit):
    started_at = thread_time()
    with pytest.raises(ValidationError, match="at most 500"):
        PlainTextField(max_length=500).clean("x" + unit * (MAX_LENGTH_FACTOR * 500) + "x")
    assert thread_time() - started_at < 1
