# ruff: noqa: RUF001 - the tests need look-alike letters
"""Text spans: cases that twitter-text does not publish, and rules that hold for any text."""

import re

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings

from accounts.infra.search_words import fold_text
from accounts.usernames import MAX_LENGTH
from feed.text.hashtags import is_tag_key, tag_key
from feed.text.mentions import candidate_usernames, mentioned_name
from feed.text.phrases import normalize_text, phrase_pattern
from feed.text.spans import spans_in
from feed.text.urls import absolute_url
from tests.texts import texts


def kinds_and_values(text):
    return [(span.kind, span.value) for span in spans_in(text)]


def values_of(kind, text):
    return [span.value for span in spans_in(text) if span.kind == kind]


HOSTS = (
    "example.com",
    "日本.jp",
    "printer.local",
    "a_b.com",
    "192.168.1.5",
    "192.168.1.5:8000",
    "localhost",
    "LocalHost:3000",
    "nas:5000",
)
INSIDE_ADDRESSES = (
    "\u200b",
    "\u200e",
    "\u2060",
    "\ufeff",
    '"x"',
    '"',
    "`",
    "<x>",
    "「x」",
    "「",
    "（",
    "“x”",
    "(",
    "|",
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@alice", ["alice"]),
        ("＠alice and @Bob", ["alice", "Bob"]),
        ("@alice's, (@bob) and .@carol!", ["alice", "bob", "carol"]),
        ("@a.b.c @a..b @.a @a.", ["a.b.c", "a", "a"]),
        ("@" + "a" * MAX_LENGTH, ["a" * MAX_LENGTH]),
        ("@" + "a" * (MAX_LENGTH + 1), []),
        ("@twenty_one_characters", ["twenty_one_characters"]),
        ("me@example.org @me@example.org @me＠example.org", []),
        ("안녕@alice야 привет@bob", ["alice", "bob"]),
        ("@alicé @aliceé", []),
        ("@alice\u0301", []),
        ("RT@alice rt:@bob", ["alice", "bob"]),
        ("start@alice xrt@bob", []),
        ("https://example.org/@alice", []),
        ("user/@alice", ["alice"]),
        ("@alice://x", []),
        ("https://example.org/日/@alice https://example.org日@alice", []),
        ("http://localhost:3000/@alice http://192.168.1.5/@alice http://a.local/@alice", []),
        ("http://[::1]/@alice ftp://a/@alice gemini://a/@alice https://u:p@example.org/@alice", []),
        ("(http://localhost/@alice), @bob 「http://localhost/」@carol", ["bob", "carol"]),
        ("<http://localhost/@alice>@bob “http://a.org/日”@carol", ["bob", "carol"]),
        (
            "https://a.org/日。@alice https://a.org/日！@bob https://a.org/b、@carol",
            ["alice", "bob", "carol"],
        ),
        ("https://a.org/日。/@alice https://a.org/日！日/@bob https://a.org/b)/@carol", []),
        ("https://a.org/b)c/@alice https://a.org/日。c/@bob （https://a.org/）を@carol", ["carol"]),
        *[(f"https://a.org/{sign}/@alice", []) for sign in INSIDE_ADDRESSES],
        *[(f"https://a.org/日{sign}@alice", []) for sign in INSIDE_ADDRESSES],
        *[(f"{host}/@alice {host}/日/@bob {host}/日@carol", []) for host in HOSTS],
        *[(f"日：{host}/日/@alice （{host}/）@bob", ["bob"]) for host in HOSTS],
        ("@alice/@bob and/or/@carol 3000/@dave", ["alice", "bob", "carol", "dave"]),
        ("@a.b/@bob a./@carol a..b/@dave", ["a.b", "bob", "carol", "dave"]),
        ("😀@alice😀", ["alice"]),
        ("@é @ @@ @-", []),
    ],
)
def test_mentions(text, names):
    assert values_of("mention", text) == names


CLOSING_SIGNS = re.compile(r"[\s)\]}>»”›〉》」』】〕〗〙〛）］｝｣、。，．；｡､！：？]")


@hypothesis_settings(max_examples=100)
@given(texts)
def test_nothing_in_an_address_mentions_anybody(text):
    path = CLOSING_SIGNS.sub("", text)
    for host in ("https://a.org", "ftp://a", "a.org", "localhost:80"):
        assert {span.kind for span in spans_in(f"{host}/{path}/@alice/#tag")} <= {"url"}


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#Tag ＃tag", ["Tag", "tag"]),
        ("#1 #1a #_a #_", ["1a", "_a"]),
        ("#a#b", []),
        ("##a", ["a"]),
        ("a#b &#39; é#c 日#d", []),
        ("/#a (#b) \"#c\" '#d'", ["a", "b", "c", "d"]),
        ("#a-b #c.d #e's", ["a", "c", "e"]),
        ("#東京、#大阪。#한국어!#Москва", ["東京", "大阪", "한국어", "Москва"]),
        ("#می‌خواهم", ["می‌خواهم"]),
        ("#tag\u200d\u200c x", ["tag"]),
        ("#tag\u3164\u034f\U000e0100 #\u3164\u115f #\u3164", ["tag"]),
        ("#️⃣ #⃣ #1️⃣", []),
        ("#❤️ ❤️#love #love❤️", ["love", "love"]),
        ("#e\u0301a", ["e\u0301a"]),
        ("https://example.org/#a example.org/#b", []),
        ("http://localhost/#a ftp://a/#b https://example.org/日/#c", []),
        ("https://example.org #a", ["a"]),
        *[(f"{host}/#a {host}/日/#b {host}/日#c", []) for host in HOSTS],
        *[(f"https://a.org/{sign}/#a https://a.org/日{sign}#b", []) for sign in INSIDE_ADDRESSES],
        ("and/#a localhost #b", ["a", "b"]),
        ("#http://a.org", []),
    ],
)
def test_hashtags(text, tags):
    assert values_of("hashtag", text) == tags


@pytest.mark.parametrize(
    ("tag", "key"),
    [
        ("İzmir", "izmir"),
        ("I\u0307zmir", "izmir"),
        ("ＩＺＭＩＲ", "izmir"),
        ("Straße", "strasse"),
        ("STRAẞE", "strasse"),
        ("DİYARBAKIR", "diyarbakir"),
        ("diyarbakır", "diyarbakir"),
        ("ısparta", "isparta"),
        ("ΣΑΣ", "σας"),
        ("σασ_σασ", "σας_σας"),
        ("ı\u0307\u0301", "í"),
    ],
)
def test_tags_filters_and_search_compare_with_the_same_folding(tag, key):
    assert tag_key(tag) == key
    pattern = phrase_pattern(whole=[f"#{tag}"])
    assert all(pattern.search(normalize_text(f"#{word}")) for word in (tag, key))
    assert fold_text(tag) == fold_text(key)
    assert is_tag_key(key)
    assert not is_tag_key(key + "\u3164")
    assert not is_tag_key("\u1160")


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://example.org/a?b=c&d=e.", ["https://example.org/a?b=c&d=e"]),
        ("HTTPS://EXAMPLE.ORG Http://a.org", ["HTTPS://EXAMPLE.ORG", "Http://a.org"]),
        ("(https://a.org/b_(c)) and [b.org/c]", ["https://a.org/b_(c)", "b.org/c"]),
        (
            "https://a.org/(b(c)d)e https://a.org/(b(c(d)))",
            ["https://a.org/(b(c)d)e", "https://a.org/(b(c(d)))"],
        ),
        ("https://a.org:8000/b?c#d", ["https://a.org:8000/b?c#d"]),
        ("https://a.org?b=c https://a.org?", ["https://a.org?b=c", "https://a.org"]),
        ("is it example.com? yes.maybe.", ["example.com"]),
        ("example.com:80/a?b example.com:80", ["example.com:80/a?b", "example.com"]),
        ("ftp://x.org //x.org x@y.org mailto:x@y.org", []),
        ("https://google.com@evil.com https://u:p@evil.com", []),
        ("http://localhost/ http://127.0.0.1/ http://[::1]/", []),
        ("http://bücher.de/ü http://пример.рф/б", ["http://bücher.de/ü", "http://пример.рф/б"]),
        (
            "http://xn--bcher-kva.de http://a.xn--p1ai/b",
            ["http://xn--bcher-kva.de", "http://a.xn--p1ai/b"],
        ),
        ("http://xn--ü.de", []),
        ("http://例え.jp、次", ["http://例え.jp"]),
        ("見てexample.jpを、http://a.jpへ", ["example.jp", "http://a.jp"]),
        ("한국example.co.kr에서", ["example.co.kr"]),
        ("http://google.com／evil.com", ["http://google.com", "evil.com"]),
        ("http://" + "a" * 63 + ".com", ["http://" + "a" * 63 + ".com"]),
        ("http://" + "a" * 64 + ".com", []),
        ("http://" + "ü" * 64 + ".com", []),
        ("http://" + "a." * 130 + "com", []),
        ("http://a..com a..com .a.com -a.com _a.com", []),
        ("a_b.com http://a_b.com http://a_b.c.com", ["http://a_b.c.com"]),
        ("http://a-.com http://-a.com", []),
        ("http://a.org\nhttp://b.org", ["http://a.org", "http://b.org"]),
        ("\u202ahttp://a.org\u202c", ["http://a.org"]),
        ("$a.com @a.com #a.com \ufeffa.com", []),
        ("https://a.org/–b– https://a.org/b'", ["https://a.org/–b", "https://a.org/b"]),
        (
            "https://t.co/abc.def https://t.co/abc?x=1.",
            ["https://t.co/abc", "https://t.co/abc?x=1"],
        ),
        ("https://t.co/", ["https://t.co/"]),
        ("http://a.org/b.?c", ["http://a.org/b.?c"]),
        ("https://ja.wikipedia.org/wiki/東京 と", ["https://ja.wikipedia.org/wiki/東京"]),
        ("「https://a.org/東京」と https://a.org/b。", ["https://a.org/東京", "https://a.org/b"]),
        (
            "https://a.org/?q=münchen https://a.org?utf8=✓&x=1",
            ["https://a.org/?q=münchen", "https://a.org?utf8=✓&x=1"],
        ),
        ("https://a.org/x^2 https://a.org/{id}/b", ["https://a.org/x^2", "https://a.org/{id}/b"]),
        ("({https://a.org/[b]} https://a.org#b)", ["https://a.org/[b]", "https://a.org#b"]),
        (
            "https://a.org/L’Aquila… “https://a.org/b”",
            ["https://a.org/L’Aquila", "https://a.org/b"],
        ),
        ("a.org/путь a.org/pathを見て", ["a.org/путь", "a.org/path"]),
        (
            "a.org/日 a.org/wiki/日本（東京）を見て a.org/?q=日a日",
            ["a.org/日", "a.org/wiki/日本（東京）を見て", "a.org/?q=日a"],
        ),
        (
            "https://a.org/東京（日本） https://a.org/東京（日本）（仮）_b",
            ["https://a.org/東京（日本）", "https://a.org/東京（日本）（仮）_b"],
        ),
        (
            "（https://a.org/東京（日本））と https://a.org/物語「日『本』」",
            ["https://a.org/東京（日本）", "https://a.org/物語「日『本』」"],
        ),
        (
            "https://a.org/ラブライブ！サンシャイン!! https://a.org/新劇場版：序？！",
            ["https://a.org/ラブライブ！サンシャイン", "https://a.org/新劇場版：序"],
        ),
        (
            "https://a.org/b（公式） https://a.org/（公式） https://a.org/b！すごい https://a.org/日（と",
            ["https://a.org/b", "https://a.org/", "https://a.org/b", "https://a.org/日"],
        ),
        ("foo.http://a.org", ["http://a.org"]),
        ("javascript:alert(1) data:text/html,x vbscript:x", []),
    ],
)
def test_urls(text, urls):
    assert values_of("url", text) == urls


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@alice@site.org, ＠Bob＠SITE.org. (@a.b@site.org)", ["alice", "Bob", "a.b"]),
        ("@alice@site.orgさん RT@bob@site.org", ["alice", "bob"]),
        ("@alice@other.org @alice@site.org.uk @alice@site.organ @alice@site.org/x", []),
        (
            "@alice@site.org@x me@alice@site.org @alice@site-org https://site.org/@alice@site.org",
            [],
        ),
    ],
)
def test_mentions_may_name_the_host_of_this_site(settings, text, names):
    settings.SITE_URL = "https://site.org"
    assert [mentioned_name(value) for value in values_of("mention", text)] == names
    assert [candidate_usernames(value) for value in values_of("mention", text)] == [
        [name.lower()] for name in names
    ]


@hypothesis_settings(max_examples=100)
@given(texts)
def test_keys_of_tags_are_their_own_keys(text):
    assert tag_key(tag_key(text)) == tag_key(text)


def test_spans_follow_the_order_of_the_text():
    assert kinds_and_values("#a @b https://c.org/@d#e 日本f.jp") == [
        ("hashtag", "a"),
        ("mention", "b"),
        ("url", "https://c.org/@d#e"),
        ("url", "f.jp"),
    ]


def test_indices_are_code_points():
    mention, hashtag = spans_in("👨‍👩‍👧 @alice 𝒳 #tag")
    assert (mention.start, mention.end) == (6, 12)
    assert (hashtag.start, hashtag.end) == (15, 19)


def test_a_url_without_a_scheme_gets_https():
    assert absolute_url("example.org") == "https://example.org"
    assert absolute_url("HTTP://example.org") == "HTTP://example.org"


@hypothesis_settings(max_examples=100)
@given(texts)
@example("http://" + "xn--" * 20 + ".com")
@example("http://日.xn--")
def test_spans_match_the_text_and_do_not_overlap(text):
    previous_end = 0
    for span in spans_in(text):
        assert previous_end <= span.start < span.end <= len(text)
        previous_end = span.end
        typed = text[span.start : span.end]
        assert typed == span.value or (typed[0] in "@＠#＃" and typed[1:] == span.value)
        assert (span.kind == "url") == (typed == span.value)
