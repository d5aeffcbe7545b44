# ruff: noqa: RUF001 - the tests need look-alike letters
"""Texts rendered as HTML show what was typed, and no text can inject a tag."""

from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feed.text.renderer import (
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
    """A strict parser of rendered texts.

    In ``text``, the title of a link replaces the shortened label.
    """

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.text, self.links, self.open_link = "", [], None
        self.feed(html)
        self.close()
        assert self.open_link is None

    def handle_starttag(self, tag, attributes):
        if tag == "br":
            assert not attributes
            self.handle_data("\n")
            return
        assert tag == "a"
        assert self.open_link is None
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), "duplicate attribute"
        self.open_link, self.label = dict(attributes), ""

    def handle_endtag(self, tag):
        assert tag == "a"
        link, self.open_link = self.open_link, None
        self.links.append((link, self.label))
        self.text += link.get("title", self.label)

    def handle_data(self, data):
        if self.open_link is None:
            self.text += data
        else:
            assert "\n" not in data
            self.label += data

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def hrefs(text, **options):
    return [link["href"] for link, _ in Page(to_html(text=text, **options)).links]


@hypothesis_settings(max_examples=100)
@given(texts, st.none() | st.sets(st.sampled_from(["alice", "bob", "a.b", "onclick"])))
@example("https://x.org/\"onclick='alert(1)'", None)
@example("https://x.org/?<script>&amp;#a", None)
def test_any_text_is_shown_as_typed_without_injected_tags(text, known_usernames):
    page = Page(to_html(text=text, known_usernames=known_usernames))
    assert page.text == text
    for link, label in page.links:
        href = link["href"]
        assert label
        if href.startswith("/"):
            assert set(link) == OWN_LINK
            assert href.startswith(("/@", "/tags/"))
            assert known_usernames is None or href[1] != "@" or href[2:-1] in known_usernames
        else:
            assert set(link) == OTHER_LINK
            assert href.lower().startswith(("http://", "https://"))
            assert href.endswith(link["title"])
            assert link["rel"] == LINK_REL
            assert len(label) <= MAX_URL_LENGTH
            assert all(part in href for part in label.split("…"))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("a < b & 'c'\n\"d\"", "a &lt; b &amp; &#x27;c&#x27;<br>&quot;d&quot;"),
        ("@Alice", '<a href="/@alice/">@Alice</a>'),
        ("＠alice", '<a href="/@alice/">＠alice</a>'),
        ("@a.B@testserver.", '<a href="/@a.b/">@a.B@testserver</a>.'),
        ("#Tag!", '<a href="/tags/tag/">#Tag</a>!'),
        (
            "a.org/?b&c",
            f'<a href="https://a.org/?b&amp;c" rel="{LINK_REL}" title="a.org/?b&amp;c">a.org/?b&amp;c</a>',
        ),
    ],
)
def test_html(text, html):
    assert to_html(text=text) == html


def test_mentions_of_unknown_users_are_not_linked():
    text = "@Alice, @bob and @carol"
    assert hrefs(text, known_usernames={"alice", "carol"}) == ["/@alice/", "/@carol/"]
    assert hrefs(text, known_usernames=[]) == []
    assert hrefs(text) == ["/@alice/", "/@bob/", "/@carol/"]
    assert Page(to_html(text=text, known_usernames=())).text == text
    with_host = "@a.b@testserver"
    assert hrefs(with_host, known_usernames={"a"}) == []
    assert hrefs(with_host, known_usernames={"a", "a.b"}) == ["/@a.b/"]


def test_page_paths():
    assert profile_path("Alice.B") == "/@alice.b/"
    assert tag_path("Tag") == "/tags/tag/"
    assert tag_path("漢字") == "/tags/%E6%BC%A2%E5%AD%97/"


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("https://www.example.org/", "example.org/"),
        ("HTTP://WWW.example.org", "example.org"),
        ("www.example.org/a", "example.org/a"),
        ("https://www.org/a", "www.org/a"),
        ("https://example.org/" + "a" * 20, "example.org/" + "a" * 20),
        ("https://example.org/" + "a" * 21, "example.org/" + "a" * 19 + "…"),
        ("https://example.org?" + "a" * 21, "example.org?" + "a" * 19 + "…"),
        ("https://evil.org#paypal.com/" + "a" * 21, "evil.org#paypal.com/" + "a" * 11 + "…"),
        ("https://paypal.com.login." + "a" * 30 + ".evil.org#x", "…" + "a" * 21 + ".evil.org…"),
        ("https://paypal.com.login." + "a" * 30 + ".evil.org", "…" + "a" * 22 + ".evil.org"),
        ("https://paypal.com.login." + "a" * 30 + ".evil.org/x", "…" + "a" * 21 + ".evil.org…"),
    ],
)
def test_shortened_urls_keep_the_owner_of_the_host(url, label):
    assert shorten_url(url) == label
