"""Reading tags of pages, also hostile ones."""

import time

import pytest

from accounts.infra.web_pages.fetcher import Download
from accounts.infra.web_pages.html_tags import decode_html, tags_in


def page(content, charset="", *, is_complete=True):
    return Download("https://example.org/", "text/html", charset, content, is_complete)


def test_tags_are_read_like_browsers_read_them():
    html = """<!DOCTYPE html><HTML Lang=de><!-- <a rel="me" href="/comment"> -->
    <title>Fish &amp; <b>chips</b></title><script>"<a href='/script'>"</script>
    <meta name='a' content="x > y" disabled/><a href=/bare?a=1&amp;b=2 HREF="/second" rel="Me nofollow">
    <textarea><a href="/typed"></textarea ><?php <x> ?></ b><br/><p a = "1"b='2'>5 < 6 <>"""
    tags = list(tags_in(html))
    assert [tag.name for tag in tags] == [
        *("html", "title", "script", "meta", "a", "textarea", "br", "p")
    ]
    by_name = {tag.name: tag for tag in tags}
    assert by_name["html"].get("lang") == "de"
    assert by_name["title"].text == "Fish & <b>chips</b>"
    assert by_name["meta"].attributes == {"name": "a", "content": "x > y", "disabled": ""}
    assert by_name["a"].get("href") == "/bare?a=1&b=2"
    assert by_name["a"].words("rel") == {"me", "nofollow"}
    assert by_name["p"].attributes == {"a": "1", "b": "2"}
    assert [tag.get("href") for tag in tags if tag.name == "a"] == ["/bare?a=1&b=2"]


@pytest.mark.parametrize(
    "html",
    [
        "<a rel=me href='/x",
        "<a rel=me href=/x",
        "<!-- <a rel=me>",
        "<script><a rel=me>",
        "<title><a rel=me>",
        "<a",
        "<",
        "<!",
        "</a rel=me>",
    ],
)
def test_unfinished_tags_do_not_count(html):
    assert not [tag for tag in tags_in(html) if tag.name == "a"]


@pytest.mark.parametrize(
    "part",
    [
        *("<", "<a ", "<a b=", "<a b='", "<!--", "<!", "</", "<script>", "<title>", "<a b=c "),
        *("a ", "<a/", "<!-->", "&#9", "<a href=&", " = ", "<a =", "/ ", "\0"),
    ],
)
def test_the_time_is_linear(part):
    html = "<p " + part * (200_000 // len(part))
    started = time.process_time()
    for text in (html, html[3:]):
        for _tag in tags_in(text):
            pass
    assert time.process_time() - started < 4  # quadratic time would be a minute


def test_numbers_that_are_too_long_are_no_error():
    (tag,) = tags_in(f"<a href='&#{'9' * 10_000};'>")
    assert tag.get("href")


@pytest.mark.parametrize(
    ("content", "charset", "text"),
    [
        ("Grüße".encode(), "", "Grüße"),
        ("Grüße".encode("latin-1"), "", "Grüße"),
        ("Grüße".encode("latin-1"), "iso-8859-1", "Grüße"),
        ("Grüße".encode(), "rot13", "Grüße"),
        ("Grüße".encode(), "punycode", "Grüße"),
        ("Grüße".encode(), "\udcff", "Grüße"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("<meta charset='euc-jp'>日本".encode("euc-jp"), "", "<meta charset='euc-jp'>日本"),
        (b"\xff\xfe\x00", "utf-8", "��\0"),
    ],
)
def test_pages_in_any_character_set_are_decoded(content, charset, text):
    assert decode_html(page=page(content, charset)) == text


def test_a_page_that_was_cut_inside_a_character_is_decoded():
    cut = page("Grüße".encode() + "ü".encode()[:1], is_complete=False)
    assert decode_html(page=cut) == "Grüße�"
