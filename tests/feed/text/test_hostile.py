# ruff: noqa: RUF001 - the tests need look-alike letters
"""Hostile texts are parsed in linear time."""

from time import thread_time

import pytest

from accounts.infra.plain_text import clean_text
from feed.text.renderer import to_html
from feed.text.spans import spans_in

SIZE = 50_000
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
    *[
        "://",
        "a://a)",
        "http://a.com/[{",
        "http://a.com/日",
        "a.com/日",
        "http://t.co/a한",
        "a://...",
    ],
    *["@a@testserver", "@a@tests"],
    *[
        "http://a.com/日（",
        "a.com/日（日）",
        "http://a.com/日！",
        "日（）",
        "日！",
        "（日）",
        "！",
        "a.b/",
        "a.b/)",
        "a:1",
        "a:1/(",
        "a://！",
        "//",
        "。/",
        "@a a://日！",
    ],
    *["é", "é.", "б/", "<", "&", "a\u0301", "\u0301\u0323", "\u0f73", "각"],
]
PREFIXES = ["http://", "http://a.com/", "http://a.com/(", "a.com/", "@", "#", "http://日.com"]
AFTER_PREFIXES = [
    "a.",
    "日.",
    "(",
    "(a(a)",
    "?",
    "a_",
    "a.com日",
    "!",
    "日（",
    "（日）",
    "日！",
    "！",
]
ENDS = ["", "é"]


def takes_linear_time(work, text_of, size):
    """Return whether ten times the text takes less than thirty times the processor time.

    In quadratic time it would take 100 times as much. A busy machine gets three tries.
    """
    return any(
        measure_seconds(work, text_of(size))
        < 30 * measure_seconds(work, text_of(size // 10)) + 0.02
        for _ in range(3)
    )


def measure_seconds(work, text):
    started = thread_time()
    work(text)
    return thread_time() - started


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("work", [lambda text: to_html(text=text), clean_text])
def test_repetitions_take_linear_time(work, size):
    for unit in UNITS:
        assert takes_linear_time(work, lambda size, unit=unit: unit * (size // len(unit)), size), (
            unit
        )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_repetitions_after_a_prefix_take_linear_time(prefix, size):
    for unit in AFTER_PREFIXES:
        for end in ENDS:

            def text_of(size, unit=unit, end=end):
                return prefix + unit * (size // len(unit)) + end

            assert takes_linear_time(spans_in, text_of, size), unit + end


def test_quadratic_time_is_noticed():
    def read_each_start(text):
        for end in range(0, len(text), 4):
            assert "b" not in text[:end].lower()

    assert not takes_linear_time(read_each_start, lambda size: "a" * size, SIZE)
