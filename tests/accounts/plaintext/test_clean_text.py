"""``clean_text`` keeps some characters of a text and removes others."""

import re
from unicodedata import category, is_normalized

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings

from accounts.infra.plain_text import MAX_ACCENTS, clean_text
from tests.texts import texts

LRE, RLE, PDF, RLO = "\u202a", "\u202b", "\u202c", "\u202e"
LRI, FSI, PDI = "\u2066", "\u2068", "\u2069"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello, world!",
        "two\n\nthree\n\n\nfour",
        "  indented".strip() + "\n  indented",
        "👨‍👩‍👧‍👦 👩🏽‍💻 ❤️ 🏳️‍🌈 1️⃣ 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می‌خواهم",
        "ශ්‍රීලංකා",
        "עַל־יְדֵי",
        "ด้วยความเคารพ",
        "ཧྐྵྨླྺྼྻྃ",
        "Việt Nam",
        f"see {LRI}this{PDI} and {RLE}that{PDF}",
        f"{LRI}{RLE}nested{PDF}{PDI}",
        "a\u200fb\u200ec",
        "\ufa19\u6238 \u795e \U0002f800",
        "\u0600",
    ],
)
def test_harmless_text_is_unchanged(text):
    assert clean_text(text) == text


@pytest.mark.parametrize(
    ("text", "remaining"),
    [
        ("e\u0301", "é"),
        ("a\r\nb\rc\u2028d\u2029e\x85f", "a\nb\nc\nd\ne\nf"),
        ("\ta\tb\vc\fd ", "a b c d"),
        ("a\x00b\x07c\x1bd\x7fe\x9ff", "abcdef"),
        ("a\ud83db\udc00c", "abc"),
        (" \n\u3000a\ufeff\u200b\n", "a"),
        ("a\n\n\n\n\nb", "a\n\n\nb"),
        ("a\n \n\t\n  \n \nb", "a\n\n\nb"),
        ("a" + "\u200b" * 50 + "b", "a\u200b\u200bb"),
        ("a" + "\u200d\u200c" * 50 + "b", "a\u200d\u200cb"),
        ("a" + "\u0301" * 50 + "b", "á" + "\u0301" * MAX_ACCENTS + "b"),
        ("\u200b\u200d \ufe0f\u3164\u2800", ""),
        ("\u17b4\u17b5 \U000e0100\U000e0041 \u180b\u2065\ufff9\U0001d173", ""),
        ("\ufa19e\u0301", "\ufa19é"),
        (f"{LRE}{PDF}", ""),
        (f"a{RLO}b", "ab"),
        (f"a{PDF}b{PDI}c", "abc"),
        (f"{LRI}a{PDF}b{PDI}", f"{LRI}ab{PDI}"),
        (f"{LRI}{RLO}a{PDI}{PDF}b", f"{LRI}a{PDI}b"),
        (f"{RLO}{FSI}a{PDF}b", "ab"),
        (f"{RLO}a\nb{PDF}", "a\nb"),
    ],
)
def test_harmful_characters_are_removed(text, remaining):
    assert clean_text(text) == remaining


@hypothesis_settings(max_examples=200)
@given(texts)
@example("ǖ\u200b\u200b\u200b\u0323")
@example("a\x00\u0301" + "\u0323\u0301" * 12)
@example("\u200b \u2060\n\ufeff\u202a")
def test_clean_text_is_idempotent_and_normalized(text):
    remaining = clean_text(text)
    assert clean_text(remaining) == remaining
    assert is_normalized("NFC", re.sub("[\uf900-\ufaff\U0002f800-\U0002fa1f]", "", remaining))
    assert remaining == remaining.strip()
    assert "\n\n\n\n" not in remaining
    assert all(
        character == "\n" or category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        for character in remaining
    )
    remaining.encode()
