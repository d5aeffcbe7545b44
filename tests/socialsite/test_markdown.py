"""Markdown of administrators becomes HTML without scripts, pictures or links to other schemes."""

import pytest

from socialsite.markdown import markdown_to_html


@pytest.mark.parametrize("marks", ["#", "##", "####"])
def test_headings_begin_below_that_of_the_page(marks):
    html = markdown_to_html(
        text=f"{marks} First\n\n{marks}# Second\n\nText with **strong** words\n\n- a\n- b"
    )
    assert "<h2>First</h2>" in html
    assert "<h3>Second</h3>" in html
    assert "<strong>strong</strong>" in html
    assert html.count("<li>") == 2


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "Hello <img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java&#115;cript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:alert(1))",
        "[x](//evil.example/)",
        "<javascript:alert(1)>",
        "[x][1]\n\n[1]: javascript:alert(1)",
        "![x](https://evil.example/pixel.gif)",
        '[x](https://a.example/ "\\"onclick=alert(1) x=\\"")',
        "```<script>\nalert(1)\n```",
        "\x00<svg onload=alert(1)>",
    ],
)
def test_hostile_texts_are_harmless(text):
    html = markdown_to_html(text=text)
    for unwanted in ("<script", "<img", "<svg", 'href="j', 'href="d', 'href="v', 'href="//'):
        assert unwanted not in html.lower()
    assert "onclick" not in html or "&quot;onclick" in html


def test_links_to_other_sites_are_not_recommended_to_search_engines():
    html = markdown_to_html(text="[ours](/rules/) [theirs](https://a.example/) <a@b.example>")
    assert '<a href="/rules/">' in html
    assert '<a href="https://a.example/" rel="nofollow noopener">' in html
    assert '<a href="mailto:a@b.example" rel="nofollow noopener">' in html


def test_readers_outside_of_the_site_get_whole_urls():
    html = markdown_to_html(text="[ours](/rules/)", base_url="https://site.example")
    assert '<a href="https://site.example/rules/">' in html


@pytest.mark.parametrize(
    "piece", ["[", "*a ", "> ", "- ", "`", "![](", "<", "[a](", "_a*", "\n\n#"]
)
def test_long_hostile_texts_are_rendered(piece):
    assert markdown_to_html(text=piece * (20_000 // len(piece)))
