# ruff: noqa: RUF001 - these letters are what is tested
"""Text as HTML: it shows what was typed, and no text can write a tag of its own."""

from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feed.text.rendering import (
    LINK_REL,
    MAX_URL_LENGTH,
    profile_path,
    shorten_url,
    tag_path,
    to_html,
)
from tests.texts import texts

OWN_LINK = {"href"}
OTHER_LINK = {"href", "rel", "title"}


class Page(HTMLParser):
    """Reads a page strictly; ``text`` has the titles of links in the place of their shorter words."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.text, self.links, self.inside = "", [], None
        self.feed(html)
        self.close()
        assert self.inside is None

    def handle_starttag(self, tag, attributes):
        if tag == "br":
            assert not attributes
            self.handle_data("\n")
            return
        assert tag == "a"
        assert self.inside is None
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), "no attribute twice"
        self.inside, self.words = dict(attributes), ""

    def handle_endtag(self, tag):
        assert tag == "a"
        link, self.inside = self.inside, None
        self.links.append((link, self.words))
        self.text += link.get("title", self.words)

    def handle_data(self, data):
        if self.inside is None:
            self.text += data
        else:
            assert "\n" not in data
            self.words += data

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def hrefs(text, **more):
    return [link["href"] for link, _ in Page(to_html(text=text, **more)).links]


@hypothesis_settings(max_examples=300, deadline=None)
@given(texts, st.none() | st.sets(st.sampled_from(["alice", "bob", "a.b", "onclick"])))
@example("https://x.org/\"onclick='alert(1)'", None)
@example("https://x.org/?<script>&amp;#a", None)
def test_any_text_shows_as_typed_and_does_nothing(text, known):
    page = Page(to_html(text=text, known_usernames=known))
    assert page.text == text
    for link, words in page.links:
        href = link["href"]
        assert words
        if href.startswith("/"):
            assert set(link) == OWN_LINK
            assert href.startswith(("/@", "/tags/"))
            assert known is None or href[1] != "@" or href[2:-1] in known
        else:
            assert set(link) == OTHER_LINK
            assert href.lower().startswith(("http://", "https://"))
            assert href.endswith(link["title"])
            assert link["rel"] == LINK_REL
            assert len(words) <= MAX_URL_LENGTH
            assert all(part in href for part in words.split("…"))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("a < b & 'c'\n\"d\"", "a &lt; b &amp; &#x27;c&#x27;<br>&quot;d&quot;"),
        ("@Alice", '<a href="/@alice/">@Alice</a>'),
        ("＠alice", '<a href="/@alice/">＠alice</a>'),
        ("#Tag!", '<a href="/tags/tag/">#Tag</a>!'),
        (
            "a.org/?b&c",
            f'<a href="https://a.org/?b&amp;c" rel="{LINK_REL}" title="a.org/?b&amp;c">a.org/?b&amp;c</a>',
        ),
    ],
)
def test_what_is_written(text, html):
    assert to_html(text=text) == html


def test_unknown_people_stay_words():
    text = "@Alice, @bob and @carol"
    assert hrefs(text, known={"alice", "carol"}) == ["/@alice/", "/@carol/"]
    assert hrefs(text, known=[]) == []
    assert hrefs(text) == ["/@alice/", "/@bob/", "/@carol/"]
    assert Page(to_html(text=text, known_usernames=())).text == text


def test_addresses_of_pages():
    assert profile_path("Alice.B") == "/@alice.b/"
    assert tag_path("Tag") == "/tags/tag/"
    assert tag_path("漢字") == "/tags/%E6%BC%A2%E5%AD%97/"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://www.example.org/", "example.org/"),
        ("HTTP://WWW.example.org", "example.org"),
        ("www.example.org/a", "example.org/a"),
        ("https://www.org/a", "www.org/a"),
        ("https://example.org/" + "a" * 20, "example.org/" + "a" * 20),
        ("https://example.org/" + "a" * 21, "example.org/" + "a" * 19 + "…"),
        ("https://example.org?" + "a" * 21, "example.org?" + "a" * 19 + "…"),
        ("https://paypal.com.login." + "a" * 30 + ".evil.org", "…" + "a" * 22 + ".evil.org"),
        ("https://paypal.com.login." + "a" * 30 + ".evil.org/x", "…" + "a" * 21 + ".evil.org…"),
    ],
)
def test_addresses_are_shortened_and_tell_whose_they_are(url, words):
    assert shorten_url(url) == words
