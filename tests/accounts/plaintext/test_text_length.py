"""The browser must count the characters of a text like the form does.

Python cannot run the JavaScript, so these tests compare parts of its source code.
"""

import re
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounts.infra.plain_text import TRIMMED_CHARACTERS, clean_text, normalize_nfc
from tests.texts import texts

SCRIPT = Path(__file__).parents[3] / "socialsite/static_parts/js/character_counter.js"


def browser_length(text):
    return len(re.sub("\r\n?", "\n", normalize("NFC", text)).strip(TRIMMED_CHARACTERS))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("abc", 3),
        ("a\r\nb", 3),
        ("a\rb\nc", 5),
        (" \t\r\n a \u3000\ufeff", 1),
        ("e\u0301", 1),
        ("\u0958", 2),
        ("🦉" * 500, 500),
        ("👨‍👩‍👧", 5),
        ("🇩🇪", 2),
        ("한", 1),
        ("\u1112\u1161\u11ab", 1),
    ],
)
def test_browser_and_form_count_the_same_length(text, count):
    assert browser_length(text) == len(clean_text(text)) == count


def test_the_script_contains_the_same_rule():
    rule = r'Array.from(text.normalize("NFC").replace(/\r\n?/g, "\n").trim()).length'
    assert rule in SCRIPT.read_text(encoding="utf-8")
    # ``trim`` removes the white space and line terminators of ECMA-262, the standard of JavaScript. Zs is
    # the Unicode category of spaces.
    blanks = {"\t", "\v", "\f", "\ufeff", "\n", "\r", "\u2028", "\u2029"}
    zs = {" ", "\xa0", "\u1680", *map(chr, range(0x2000, 0x200B)), "\u202f", "\u205f", "\u3000"}
    assert set(TRIMMED_CHARACTERS) == blanks | zs


@given(
    texts
    | st.text(
        alphabet="aǖA\u0301\u0323\u0344\u0f73\u0f71\u0f72\u1100\u1161\u0958\u0338", max_size=12
    )
)
@example(text="\U0002f800 of a name")
def test_normalize_nfc_equals_unicode_nfc_but_for_compatibility_ideographs(text):
    text = re.sub("[\uf900-\ufaff\U0002f800-\U0002fa1f]", "", text)
    assert normalize_nfc(text) == normalize("NFC", text)


@given(texts)
def test_cleaned_text_has_the_counted_length(text):
    assert browser_length(clean_text(text)) == len(clean_text(text))
