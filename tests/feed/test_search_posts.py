"""The search finds posts by words, phrases and operators."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import first_id_at
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import set_private
from feed.models import Post
from feed.selectors import search_query
from feed.selectors.search import search_posts
from feed.services.posts import delete_post
from feed.store import text_search as word_store
from tests.actions import edit_post, publish_post, share_post
from tests.factories import follow, people, publish

from .post_helpers import write_posts
from .query_plans import examined, plan_of, stages
from .reading_html import words
from .search_results import found_texts


def test_posts_are_found_by_whole_words_newest_first(search, bob, carol):
    publish(bob, "Green apples, please")
    publish(carol, "APPLES and pears")
    publish(bob, "One apple pie")
    assert found_texts(search("apples", "posts")) == ["APPLES and pears", "Green apples, please"]
    assert found_texts(search("pears apples", "posts")) == ["APPLES and pears"]
    assert found_texts(search('"green apples"', "posts")) == ["Green apples, please"]
    assert "Nothing found for" in words(search('"apples green"', "posts").content.decode())


@pytest.mark.parametrize(
    "q", ["café", "CAFE", "Café!", "obriens cafe", '"o\u2019brien\u2019s café"']
)
def test_search_ignores_case_and_accents(search, bob, q):
    publish(bob, "In O'Brien's café again")
    assert found_texts(search(q, "posts")) == ["In O'Brien's café again"]


@pytest.mark.parametrize(
    ("text", "q"),
    [
        ("今日は神田の古本屋を三軒まわりました。", "古本屋"),
        ("我今天在北京的胡同里散步。", "胡同"),
        ("我今天在北京的胡同里散步。", "同"),
        ("오늘 학교에서 친구를 만났어요", "학교"),
        ("วันนี้อากาศดีมาก", "อากาศ"),
        ("Tokyoの古本屋", "tokyo 古本"),
    ],
)
def test_texts_without_word_boundaries_are_found(search, bob, text, q):
    publish(bob, text)
    publish(bob, "something else 本古 屋")
    assert found_texts(search(q, "posts")) == [text]


def test_phrases_match_whole_words_in_order(search, bob):
    publish(bob, "An old-town street")
    publish(bob, "old townhouse")
    publish(bob, "town, old")
    for q in ('"old town"', "“Old Town”", "old-town", '"OLD TOWN'):
        assert found_texts(search(q, "posts")) == ["An old-town street"]


def test_all_texts_of_a_post_are_searched(search, bob):
    publish_post(
        author=bob.pk,
        text="Read it",
        content_warning="Spoiler",
        kind="review",
        details={"title": "Dune Messiah", "item": "book", "stars": 5},
    )
    for q in ("dune", "spoiler read", '"dune messiah"', "has:review dune"):
        assert found_texts(search(q, "posts")) == ["Read it"]
    assert found_texts(search('"it spoiler"', "posts")) == []


def test_an_edited_post_is_found_by_its_new_words(search, bob):
    post = publish(bob, "red #ball")
    edit_post(post_id=post, actor=bob, text="blue #kite")
    assert found_texts(search("red", "posts")) == found_texts(search("#ball", "posts")) == []
    assert found_texts(search("blue #kite", "posts")) == ["blue #kite"]


def test_posts_are_found_by_author_property_tag_and_missing_words(search, client, alice, bob):
    publish(alice, "rain and https://example.org")
    publish(bob, "rain and wind")
    publish(bob, "rain and sun #summer")
    for q, expected in {
        "rain from:alice": ["rain and https://example.org"],
        "rain FROM:@Alice": ["rain and https://example.org"],
        "from:bob -wind": ["rain and sun #summer"],
        "rain has:link": ["rain and https://example.org"],
        "has:links -from": ["rain and https://example.org"],
        "rain -#summer -example": ["rain and wind"],
        "#summer": ["rain and sun #summer"],
        "has:picture": [],
    }.items():
        assert found_texts(search(q, "posts")) == expected, q
    client.force_login(alice)
    assert found_texts(search("from:me", "posts")) == ["rain and https://example.org"]


def test_days_are_days_of_the_time_zone(search, bob):
    stamps = {
        "late on 31 October": datetime(2026, 10, 31, 22, 30, tzinfo=UTC),
        "on 1 November": datetime(2026, 11, 1, 12, tzinfo=UTC),
        "on 2 November": datetime(2026, 11, 2, 0, 30, tzinfo=UTC),
    }
    Post.objects.bulk_create(
        Post(pk=first_id_at(moment=at), author=bob, text=f"rain {text}")
        for text, at in stamps.items()
    )

    def days(q, zone):
        with timezone.override(zone):
            query = search_query.parse_query(q)
            page, _problems = search_posts(query=query, viewer=None, bounds=PageBounds(limit=5))
        return [post.text.removeprefix("rain ") for post in page.posts]

    assert days("rain after:2026-11-01", "UTC") == ["on 2 November", "on 1 November"]
    assert days("rain after:2026-11-01", "Europe/Madrid") == ["on 2 November", "on 1 November"]
    assert days("rain after:2026-11-01", "Asia/Tokyo") == [*reversed(stamps)]
    assert days("rain before:2026-11-01", "UTC") == ["late on 31 October"]
    assert days("rain before:2026-11-02", "America/New_York") == [*reversed(stamps)]
    assert days("rain after:2026-11-01 before:2026-11-02", "UTC") == ["on 1 November"]
    assert days("rain after:9999-12-31", "Asia/Tokyo") == []
    assert days("rain before:0001-01-01", "Asia/Tokyo") == []


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ("rain from:nobody_here", "There is no user @nobody_here on this site."),
        ("rain from:me", "Log in to search your own posts with “from:me”."),
        ("rain from:", "Write a username after “from:”, such as from:alice."),
        ("rain from:alice from:bob", "Use “from:” only once."),
        (
            "rain has:sound",
            "“has:sound” is not supported. Use has:picture, has:video, has:audio, has:link, "
            "has:review or has:poll.",
        ),
        ("rain before:yesterday", "“before:yesterday” is not a date."),
        ("rain after:2026-13-01", "Write the year, month and day: after:2026-11-01."),
        ("rain mentions:bob", "“mentions:” is not supported."),
        ("rain language:1", "Write the code of a language after “language:”"),
        ("rain -has:link", "Only single words can be excluded, not “has:link”."),
        ('rain -"old town"', "Only single words can be excluded"),
        ("before:2026-11-01", "Add a word, a hashtag, “from:” or “has:” to this search."),
        ("-rain", "Add a word, a hashtag, “from:” or “has:” to this search."),
        ("a b c d e f g h i j k", "Search for at most 10 words and phrases."),
    ],
)
@pytest.mark.parametrize("kind", ["", "posts"])
def test_a_query_that_is_not_understood_gets_a_message(search, alice, bob, q, message, kind):
    publish(bob, "rain a b c d e f g h i j k")
    page = words(search(q, kind).content.decode())
    assert message in page
    assert "Search tips" in page
    assert "rain a b" not in page.replace(q, "")


def test_a_colon_in_a_word_is_no_operator(search, bob):
    publish(bob, "note: see re:zero at https://example.org/old")
    for q in ("note:", "re:zero", "https://example.org/old", "note: zero"):
        assert len(found_texts(search(q, "posts"))) == 1, q


@pytest.mark.parametrize("q", ["needle", "針"])
def test_invisible_posts_are_not_found(client, search, alice, bob, carol, q):
    follow(alice, bob)
    private, deactivated, stranger, muted = people(4)
    for visibility in Post.Visibility.values:
        publish(bob, f"@alice {q} {visibility}", visibility)
    for author in (carol, private, deactivated, muted):
        publish(author, f"{q} not this")
    deleted = publish(stranger, f"{q} deleted")
    delete_post(post_id=deleted, actor=stranger)
    share_post(post_id=publish(stranger, f"{q} shown"), actor=bob)
    block_user(owner=carol.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    set_private(uid=private.pk, is_private=True)
    deactivated.is_active = False
    deactivated.save()
    client.force_login(alice)
    assert found_texts(search(q, "posts")) == [f"{q} shown", f"@alice {q} public"]


@pytest.mark.parametrize("word", ["needle", "針"])
def test_found_posts_have_pages(client, search, bob, settings, word):
    settings.FEED_PAGE_SIZE = 2
    posted = [publish(bob, f"{word} {n}") for n in range(5)]
    seen, more = [], {}
    for _ in range(3):
        response = search(word, "posts", **more)
        page = response.context["page"]
        seen += [post.id for post in page.posts]
        more = {"max_id": page.older_cursor}
        if page.older_cursor:
            html = response.content.decode()
            assert f'type=posts&amp;max_id={page.older_cursor}" rel="next"' in html
    assert seen == posted[::-1]
    assert page.older_cursor is None
    part = client.get(
        "/search/",
        {"q": word, "type": "posts", "max_id": posted[2]},
        headers={"HX-Request": "true"},
    ).content.decode()
    assert f"{word} 1" in words(part)
    assert "<html" not in part


@pytest.mark.parametrize("q", ["common needle", "common -other", '"common needle"'])
def test_frequent_words_are_examined_in_parts(search, bob, monkeypatch, q):
    monkeypatch.setattr(word_store, "MAX_EXAMINED", 3)
    publish(bob, "common needle")
    # Each part has three posts. The rarest word is examined, and both words are frequent.
    write_posts((bob, text) for text in ["common other", "other needle needle"] * 4)
    seen, older, pages = [], {}, 0
    while pages < 10:
        response = search(q, "posts", **older)
        seen += found_texts(response)
        pages += 1
        cursor = response.context["page"].older_cursor
        if cursor is None:
            break
        assert seen or "No matches in the newest posts" in words(response.content.decode())
        older = {"max_id": cursor}
    assert seen == ["common needle"]
    assert pages > 1


@pytest.mark.parametrize(
    "q",
    ["needle", "needle hay", '"a needle"', "needle -hay9", "from:bob needle", "has:link needle"],
)
def test_posts_are_found_by_an_index_of_public_posts(search, bob, record_commands, q):
    write_posts((bob, f"hay {n} https://example.org") for n in range(30))
    publish(bob, "a needle in the hay https://example.org")
    publish(bob, "a hidden needle", "followers")
    with record_commands() as commands:
        assert len(found_texts(search(q, "posts"))) == 1
    searches = [command for _, command in commands if "'words'" in str(command)]
    assert searches
    for command in searches:
        plan = plan_of(command)
        assert "COLLSCAN" not in str(plan)
        assert "IXSCAN" in [stage["stage"] for stage in stages(plan)]
        assert examined(plan) <= 1


def test_a_thousand_matches_cost_a_page(search, bob, record_commands):
    Post.objects.bulk_create(Post(author=bob, text="same old") for _ in range(1000))
    for q, most in (("same", 42), ("same old", 45)):
        with record_commands() as commands:
            assert len(found_texts(search(q, "posts"))) == 20
        for _, command in commands:
            if "'words'" in str(command):
                assert examined(plan_of(command)) <= most


def test_the_posts_of_one_author_are_not_folded(client, bob):
    for number in range(6):
        publish(bob, f"tea {number}")
    for q, kind, is_folded in (
        ("tea", "posts", True),
        ("from:bob tea", "posts", False),
        ("from:bob", "", False),
    ):
        page = client.get("/search/", {"q": q, "type": kind}).content.decode()
        assert page.count("data-post>") == 6
        assert ('class="fold"' in page) is is_folded


def test_a_minus_excludes_only_at_the_beginning_of_a_word(search, bob):
    publish(bob, "well-known things")
    assert found_texts(search("well-known", "posts")) == ["well-known things"]
    assert found_texts(search("things -known", "posts")) == []
