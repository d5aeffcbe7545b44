# ruff: noqa: RUF001 - these letters are what is tested
"""Texts made to take long: 100,000 characters each, in time that grows with their length only."""

from time import perf_counter

import pytest

from accounts.infra.plain_text import clean_text
from feed.text.rendering import to_html
from feed.text.spans import spans_in

SIZE = 100_000
BOUND = 5.0  # seconds; in practice well below half of one
SIZES = [20_000, pytest.param(SIZE, marks=pytest.mark.slow)]

UNITS = [
    *[
        "@",
        "#",
        "a",
        "a.",
        "a-",
        "a_",
        "-",
        ".",
        "/",
        "(",
        ")",
        "http://",
        "http",
        "日",
        "日.",
        "日a.",
    ],
    *["@a", "@a.", "RT@", "rt", "#a", "a#", "##a", "#\u0301", "#1", "&#"],
    *[
        "a.com",
        "a.com.",
        "a.com/",
        "日a.com",
        "http://a.",
        "http://日.com",
        "http://a.com",
        "a.com?",
    ],
    *[
        "http://a.com/(",
        "a.com/(a",
        "(a(a)",
        "((a)",
        "(a",
        "(a)",
        "a.com/((a)",
        "http://a.com/.?",
        "a.com/.?",
    ],
    *["xn--", "xn--a.", "http://xn--日.", "com日.", "http://t.co/", "t.co/a?", "みんな.", "中国"],
    *["\n", " \n", "\n ", "\r", "\u200d", "\u0301", "\u202a", "\u2067\u202a", "\u202c\u2069", "❤️"],
    *["é", "é.", "б/", "<", "&", "a\u0301", "\u0301\u0323", "\u0f73", "각"],
]
FRONTS = ["http://", "http://a.com/", "http://a.com/(", "a.com/", "@", "#", "http://日.com"]
BEHIND_FRONTS = ["a.", "日.", "(", "(a(a)", "?", "a_", "a.com日", "!"]
ENDS = ["", "é"]


def bound(size):
    """The seconds that a text of this size may take."""
    return BOUND * size / SIZE


def seconds(work, text):
    started = perf_counter()
    work(text)
    return perf_counter() - started


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("work", [lambda text: to_html(text=text), clean_text])
def test_no_repetition_takes_long(work, size):
    for unit in UNITS:
        assert seconds(work, unit * (size // len(unit))) < bound(size), unit


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("front", FRONTS)
def test_no_beginning_makes_a_repetition_take_long(front, size):
    for unit in BEHIND_FRONTS:
        for end in ENDS:
            text = front + unit * (size // len(unit)) + end
            assert seconds(spans_in, text) < bound(size), unit
