"""The template filters for the text and the age of a post."""

from datetime import datetime, timedelta
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feed.text.age import ago
from socialsite.jinja import post_html

PIECES = [
    *[
        "<script>",
        "</script>",
        "<a href=",
        '"',
        "'",
        "&",
        "&amp;",
        "&#60;",
        "<!--",
        "]]>",
        "\n",
        " ",
    ],
    *["@alice", "@a.b", "@", "@Bob_1", "x@y.org", "@alice@", "\\", "`", "<br>", "%3Cscript%3E"],
    *["https://example.org/", "http://", "javascript:alert(1)", "data:text/html,<b>", "//x.org/a"],
    *[
        "https://u:p@x.org/?a=b&c='\"<>",
        "HTTPS://EXAMPLE.ORG",
        "https://ä.example/ü",
        "mailto:a@b.c",
    ],
    *["https://x.org/" + "a" * 60, "\u202e", "\x00", "https://[::1]/", "vbscript:x", "ftp://x.org"],
]


class LinkParser(HTMLParser):
    """Collect the text and the links of a rendered post.

    In ``text``, the full URL replaces the shortened label of a link.
    """

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.links, self.open_link = "", [], None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "br":
            assert attributes == {}
            self.text += "\n"
            return
        assert (tag, self.open_link) == ("a", None), f"unexpected tag: {tag}"
        self.open_link, self.label = attributes, ""
        self.links.append(attributes)

    def handle_endtag(self, tag):
        assert tag == "a"
        self.text += self.open_link.get("title", self.label)
        self.open_link = None

    def handle_data(self, data):
        if self.open_link is None:
            self.text += data
        else:
            self.label += data

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def read(text):
    reader = LinkParser()
    reader.feed(post_html(text))
    reader.close()
    assert reader.open_link is None
    return reader


@hypothesis_settings(max_examples=80)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES) | st.text(max_size=5)).map("".join)))
@example("https://example.org/" + "x" * 5000)
@example("@" * 500)
@example("@" + "a." * 250)
@example("(" * 250 + "https://x.org" + ")" * 250)
def test_any_text_is_shown_as_typed_and_has_only_safe_links(text):
    reader = read(text)
    assert reader.text == text
    for link in reader.links:
        assert set(link) <= {"href", "rel", "title"}
        href = link["href"]
        if href.startswith(("/@", "/tags/")):
            assert set(link) == {"href"}
        else:
            assert href.lower().startswith(("http://", "https://"))
            assert link["rel"] == "nofollow noopener noreferrer ugc"
            assert href in (link["title"], "https://" + link["title"])


@pytest.mark.parametrize(
    ("text", "hrefs"),
    [
        ("see https://example.org/a?b=c&d=e.", ["https://example.org/a?b=c&d=e"]),
        ("(https://example.org)", ["https://example.org"]),
        ("http://a.org, http://b.org", ["http://a.org", "http://b.org"]),
        ("example.org and //a.org and mailto:a@example.org", ["https://example.org"]),
        ("javascript:alert(1) data:text/html,x ftp://x.org", []),
        ("hi @Alice and @bob.b, you", ["/@alice/", "/@bob.b/"]),
        ("me@example.org @me@example.org user/@x .@y", ["/@x/", "/@y/"]),
        ("@alice's and (@bob)", ["/@alice/", "/@bob/"]),
        ("@aé @éa", []),
        ("https://example.org/@alice", ["https://example.org/@alice"]),
        ("@" + "a" * 30, ["/@" + "a" * 30 + "/"]),
        ("@" + "a" * 31, []),
        ("@alice.", ["/@alice/"]),
        ("#Tag and #Größe", ["/tags/tag/", "/tags/gr%C3%B6sse/"]),
    ],
)
def test_urls_mentions_and_hashtags_become_links(text, hrefs):
    assert [link["href"] for link in read(text).links] == hrefs


def test_mentions_link_to_profiles():
    (link,) = read("@Alice.B").links
    assert link["href"] == reverse("profile", args=["alice.b"])


def test_a_long_url_is_shortened_and_whole_in_the_title():
    url = "https://www.example.org/" + "a" * 100
    html = post_html(url)
    assert f'title="{url}"' in html
    assert "example.org/" + "a" * 19 + "…</a>" in html


def test_a_hostile_url_cannot_leave_its_attribute():
    for text in ('https://x.org/"onmouseover="alert(1)', "https://x.org/'><script>", "@a'onx='"):
        for link in read(text).links:
            assert not any(name.startswith("on") for name in link)


def test_hostile_texts_render_within_a_second():
    started = datetime.now()
    for text in (
        "@" * 500,
        "@a." * 166,
        "http://" * 71,
        "https://x.org/(" * 33,
        "a" * 500,
        "((" * 250,
    ):
        post_html(text)
    assert datetime.now() - started < timedelta(seconds=1)


@pytest.mark.parametrize(
    ("age", "label"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(seconds=60), "1m"),
        (timedelta(minutes=59, seconds=59), "59m"),
        (timedelta(hours=1), "1h"),
        (timedelta(hours=23, minutes=59), "23h"),
        (timedelta(days=6, hours=23), "6d"),
    ],
)
def test_age_is_short(age, label):
    assert ago(timezone.now() - age) == label


def test_posts_older_than_a_week_show_a_date():
    last_year = timezone.now().replace(year=timezone.now().year - 1, month=3, day=5)
    assert str(last_year.year) in ago(last_year)
    assert urlsplit(ago(last_year)).netloc == ""
