"""Links, mentions and hashtags are found as in the published test cases of the parser twitter-text.

Cases of lists and cashtags are left out, because this site supports neither.
"""

import os
from pathlib import Path

import pytest
import yaml

from feed.text.spans import spans_in

FILE = Path(os.environ.get("SOCIALSITE_DATA", "")) / "twitter-text-extract.yml"

NO_LISTS = "this site has no such lists: @name/list is a mention and other text"

EXCLUDED = {
    "Extract a list": NO_LISTS,
    "Extract a mention and list": NO_LISTS,
    "Extract URLs with and without protocol surrounded by CJK characters": (
        "a URL with a scheme ends at a space or at punctuation, as addresses contain letters of any script"
    ),
    "Extract a list in the middle of a Japanese tweet": NO_LISTS,
}


def values(text, kind):
    return [span.value for span in spans_in(text) if span.kind == kind]


def with_indices(text, kind, key, **extra):
    spans = (span for span in spans_in(text) if span.kind == kind)
    return [{key: span.value, "indices": [span.start, span.end], **extra} for span in spans]


def reply(text):
    mentions = (span for span in spans_in(text) if span.kind == "mention")
    return next((span.value for span in mentions if not text[: span.start].strip()), None)


GROUPS = {
    "mentions": lambda text: values(text, "mention"),
    "mentions_with_indices": lambda text: with_indices(text, "mention", "screen_name"),
    "mentions_or_lists_with_indices": lambda text: with_indices(
        text, "mention", "screen_name", list_slug=""
    ),
    "replies": reply,
    "urls": lambda text: values(text, "url"),
    "urls_with_indices": lambda text: with_indices(text, "url", "url"),
    "urls_with_directional_markers": lambda text: with_indices(text, "url", "url"),
    "tco_urls_with_params": lambda text: values(text, "url"),
    "hashtags": lambda text: values(text, "hashtag"),
    "hashtags_from_astral": lambda text: values(text, "hashtag"),
    "hashtags_with_indices": lambda text: with_indices(text, "hashtag", "hashtag"),
}


def cases():
    groups = yaml.safe_load(FILE.read_text())["tests"] if FILE.exists() else {}
    for group in GROUPS:
        for case in groups.get(group, []):
            yield group, case["description"], case["text"], case["expected"]


CASES = list(cases())

pytestmark = pytest.mark.skipif(
    not CASES, reason="SOCIALSITE_DATA names no folder with twitter-text-extract.yml"
)


@pytest.mark.parametrize(
    ("group", "text", "expected"),
    [
        pytest.param(group, text, expected, id=f"{group}: {description}")
        for group, description, text, expected in CASES
        if description not in EXCLUDED
    ],
)
def test_published_cases_pass(group, text, expected):
    assert GROUPS[group](text) == expected


def test_excluded_cases_still_fail():
    excluded = {description: case for _, description, *case in CASES if description in EXCLUDED}
    assert set(excluded) == set(EXCLUDED)
    for group, description, text, expected in CASES:
        if description in EXCLUDED:
            assert GROUPS[group](text) != expected, description


def test_the_file_has_every_group():
    assert {group for group, *_ in CASES} == set(GROUPS)
