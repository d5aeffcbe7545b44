"""Search: people and hashtags by prefix, posts by words."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from accounts import user_cards
from accounts.infra.cursors import PageBounds
from accounts.infra.ids import first_id_at
from accounts.selectors import user_search
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import change_username, set_private, update_profile
from feed.models import Post
from feed.selectors import search_query
from feed.selectors.search import search_posts
from feed.services.posts import delete_post, edit_post, publish_post
from feed.store import text_search as word_store
from tests.actions import share_post
from tests.factories import UserFactory, follow, follow_many, people, publish

from .post_helpers import write_posts
from .query_plans import examined, plan_of, stages
from .reading_html import words


@pytest.fixture
def search(client):
    def run_search(q, kind="", **more):
        return client.get("/search/", {"q": q, "type": kind, **more})

    return run_search


def found_usernames(response):
    return [row.card.username for row in response.context["people"]]


def found_texts(response):
    return [post.text for post in response.context["page"].posts]


# --- People ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "q", ["jos", "JOS", "@jose", "josé pé", "JOSE PEREZ", "  jose  ", "\uff4a\uff4f\uff53", "josé_"]
)
def test_people_are_found_by_prefixes_of_their_names(search, bob, q):
    UserFactory(username="jose_1", display_name="José Pérez")
    assert found_usernames(search(q)) == ["jose_1"]


@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("田中 花子", "田中"),
        ("Ольга Иванова", "ольга"),
        ("🦊 Fox", "🦊"),
        ("ﬁona", "FIO"),
        ("나연", "나"),
    ],
)
def test_people_are_found_in_every_script(search, bob, name, q):
    UserFactory(username="somebody", display_name=name)
    assert found_usernames(search(q)) == ["somebody"]


@pytest.mark.parametrize(
    "q",
    ["pérez", "PEREZ", "gar", "garcia jose", "luc", "jean-luc", "pere jos", "@perez", "mueller"],
)
def test_people_are_found_by_every_word_of_their_names(search, bob, q):
    UserFactory(username="j.mueller", display_name="José Jean-Luc García Pérez")
    assert found_usernames(search(q)) == ["j.mueller"]


@pytest.mark.parametrize("q", ["perez nobody", "ere", "jose perez x", "...", "_"])
def test_all_words_must_match_a_name(search, bob, q):
    UserFactory(username="jp", display_name="José Pérez")
    assert found_usernames(search(q, "people")) == []


def test_renamed_people_are_found_by_their_new_words(search, bob):
    update_profile(uid=bob.pk, display_name="Robert Brown", bio="")
    assert found_usernames(search("brown")) == ["bob"]
    update_profile(uid=bob.pk, display_name="Robert Green", bio="")
    change_username(uid=bob.pk, username="bobby_tables")
    assert found_usernames(search("brown", "people")) == []
    assert found_usernames(search("green")) == found_usernames(search("tables")) == ["bobby_tables"]


def test_all_kinds_are_on_one_page(search, alice, bob):
    publish(alice, "the kettle boils #teapot")
    page = search("alice")
    assert (page.context["kind"], found_usernames(page)) == ("", ["alice"])
    assert found_texts(search("kettle")) == ["the kettle boils #teapot"]
    page = search("teapot")
    assert (page.context["tags"], len(found_texts(page))) == (["teapot"], 1)
    assert found_usernames(search("#alice")) == []
    assert "page" not in search("@kettle").context
    page = words(search("xyzzy").content.decode())
    assert "Nothing found for “xyzzy”" in page
    assert "No people, posts or hashtags match your search." in page
    assert "Search tips" in page


def test_the_page_of_all_kinds_links_to_the_rest(search):
    users = people(4, "apple")
    for n in range(6):
        publish(users[0], f"an apple a day #apple{n}")
    response = search("apple")
    html = response.content.decode()
    assert len(found_usernames(response)) == 3
    assert len(found_texts(response)) == len(response.context["tags"]) == 5
    for kind in ("people", "tags", "posts"):
        assert f'href="?q=apple&amp;type={kind}" rel="next"' in html


def test_a_chosen_tab_is_shown_without_results(search, alice, bob):
    publish(alice, "the kettle boils")
    assert search("kettle", "people").context["kind"] == "people"
    assert "No matching people." in words(search("kettle", "people").content.decode())


def test_user_names_rank_first_and_people_appear_once(search):
    UserFactory(username="zoe", display_name="Max Frisch")
    UserFactory(username="maxine", display_name="Maxine")
    UserFactory(username="max", display_name="Nobody")
    assert found_usernames(search("max")) == ["max", "maxine", "zoe"]


def test_people_close_to_the_viewer_come_first(client, search, alice, bob):
    far, popular, near, followed, by_bio = people(5, "robin_")
    update_profile(uid=by_bio.pk, display_name="", bio="Robin likes robins")
    change_username(uid=by_bio.pk, username="aaron")
    follow(alice, bob, followed)
    follow(bob, near)
    follow_many(people(3, "fan"), popular)
    client.force_login(alice)
    usernames = [user.username for user in (followed, near, popular, far)]
    assert found_usernames(search("robin", "people")) == [*usernames, "aaron"]
    client.logout()
    assert found_usernames(search("robin", "people"))[0] == popular.username


def test_followers_of_private_people_stay_secret(client, search, alice, bob):
    """The order of results must not tell who follows a private user."""
    first, private = people(2, "robin")
    follow(alice, bob)
    follow(bob, private)
    set_private(uid=private.pk, is_private=True)
    client.force_login(alice)
    follow_many(people(2, "fan"), first)
    assert found_usernames(search("robin")) == [first.username, private.username]


def test_pages_of_people_have_no_holes(search, monkeypatch):
    users = people(45, "many")
    seen, offset = [], 0
    while offset is not None:
        response = search("many", "people", offset=offset)
        seen += found_usernames(response)
        offset = response.context["next_offset"]
    assert sorted(seen) == sorted(user.username for user in users)


@pytest.mark.parametrize(
    "q", ["jsoe", "jose perze", "peres", "prez", "pperez", "jos\u00e9 p\u00e9raz"]
)
def test_one_wrong_letter_is_tolerated_in_a_name(search, bob, q):
    UserFactory(username="jp", display_name="José Pérez")
    assert found_usernames(search(q)) == ["jp"]


@pytest.mark.parametrize("q", ["ptrex", "jp2", "jx", "gardenrr", "perezxx", "zerep"])
def test_two_wrong_letters_short_words_and_bios_must_match(search, bob, q):
    UserFactory(username="jp", display_name="José Pérez", bio="gardener")
    assert found_usernames(search(q)) == []


def test_similar_names_come_after_matching_names(search):
    UserFactory(username="john", display_name="John Smith")
    UserFactory(username="jhonatan", display_name="Jhonatan Silva")
    assert found_usernames(search("jhon")) == ["jhonatan", "john"]


def test_people_are_found_by_words_of_their_bios_while_they_are_in_the_bio(search, bob):
    update_profile(uid=bob.pk, display_name="Bob", bio="Beekeeper in Łódź")
    assert found_usernames(search("beekeep lodz")) == found_usernames(search("bob bee")) == ["bob"]
    update_profile(uid=bob.pk, display_name="Bob", bio="Retired")
    assert found_usernames(search("beekeeper")) == []


def test_of_very_many_matches_the_followed_people_are_ranked(client, search, alice, monkeypatch):
    monkeypatch.setattr(user_search, "MAX_CANDIDATES", 10)
    users = people(30, "many")
    last = max(users, key=lambda user: user.username)
    follow(alice, last)
    client.force_login(alice)
    assert found_usernames(search("many"))[0] == last.username


def test_blocked_and_inactive_people_are_not_found(client, search, alice):
    blocked, blocking, deleted, muted, private = people(5, "same")
    block_user(owner=alice.pk, other=blocked.pk)
    block_user(owner=blocking.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    set_private(uid=private.pk, is_private=True)
    deleted.is_active = False
    deleted.save()
    client.force_login(alice)
    assert found_usernames(search("same")) == [muted.username, private.username]


def test_a_renamed_user_is_found_only_by_the_new_name(search, bob):
    change_username(uid=bob.pk, username="robert")
    update_profile(uid=bob.pk, display_name="Robert Brown", bio="")
    assert found_usernames(search("bob", "people")) == []
    assert found_usernames(search("rob")) == ["robert"]


@pytest.mark.parametrize("q", ["many", "a many", "manz1", "many1 alice"])
def test_a_people_search_reads_ranges_of_one_index(client, search, alice, record_commands, q):
    people(60, "many")
    people(60, "other")
    client.force_login(alice)
    with record_commands() as commands:
        search(q, "people")
    searches = [command for _, command in commands if "search_keys" in str(command)]
    searches = [command for command in searches if command.get("aggregate") == "accounts_user"]
    assert searches
    for command in searches:
        plan = plan_of(command)
        assert "COLLSCAN" not in str(plan)
        assert examined(plan) <= 125
        assert max(_keys_examined(plan)) <= 400  # of 1,700


def _keys_examined(plan):
    """Yield the number of examined keys of each part of a plan."""
    parts = plan if isinstance(plan, list) else plan.values() if isinstance(plan, dict) else ()
    if isinstance(plan, dict) and "totalKeysExamined" in plan:
        yield plan["totalKeysExamined"]
    for part in parts:
        yield from _keys_examined(part)


# --- Posts -------------------------------------------------------------------------------------
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
            results = search_posts(query=query, viewer=None, bounds=PageBounds(limit=5))
        return [post.text.removeprefix("rain ") for post in results.page.posts]

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
        ("rain has:poll", "“has:poll” is not supported. Use has:picture, has:link or has:review."),
        ("rain before:yesterday", "“before:yesterday” is not a date."),
        ("rain after:2026-13-01", "Write the year, month and day: after:2026-11-01."),
        ("rain language:de", "“language:” is not supported."),
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


def test_ten_thousand_matches_cost_a_page(search, bob, record_commands):
    Post.objects.bulk_create(Post(author=bob, text="same old") for _ in range(10_000))
    for q, most in (("same", 42), ("same old", 45)):
        with record_commands() as commands:
            assert len(found_texts(search(q, "posts"))) == 20
        for _, command in commands:
            if "'words'" in str(command):
                assert examined(plan_of(command)) <= most


# --- Hashtags ----------------------------------------------------------------------------------
def found_tags(response):
    return response.context["tags"]


def test_hashtags_are_found_by_prefix(search, bob):
    for tag in ("Book", "Bookshop", "books", "notebook", "bo"):
        publish(bob, f"#{tag}")
    assert found_tags(search("#book")) == ["book", "books", "bookshop"]
    assert found_tags(search("BOOKS", "tags")) == ["books", "bookshop"]
    assert found_tags(search("\uff03\uff42\uff4f")) == ["bo", "books", "bookshop", "book"]
    assert "No matching hashtags" in words(search("#zzz", "tags").content.decode())


def test_an_unused_hashtag_is_not_found(search, alice, bob):
    first, second = publish(bob, "#cats"), publish(alice, "#cats")
    delete_post(post_id=second, actor=alice)
    assert found_tags(search("#cat")) == ["cats"]
    delete_post(post_id=first, actor=bob)
    assert found_tags(search("#cat")) == []


def test_strangers_do_not_find_hashtags_of_private_users(search, client, alice, bob):
    publish(bob, "#mystreet")
    follow(alice, bob)
    set_private(uid=bob.pk, is_private=True)
    assert found_tags(search("#my")) == []
    client.force_login(alice)
    assert found_tags(search("#my")) == ["mystreet"]
    set_private(uid=bob.pk, is_private=False)
    client.logout()
    assert found_tags(search("#my")) == ["mystreet"]


# --- Invalid queries, and cost -----------------------------------------------------------------
INVALID_QUERIES = [
    "",
    "   ",
    "x" * 10_000,
    "$where",
    '{"$gt": ""}',
    '"',
    '"""',
    "-",
    "--- -a -b",
    '-"a',
    "\\",
    "(((",
    ".*",
    "[",
    "\x00",
    "\u202e",
    "#",
    "@",
    "# @",
    "\ud7ff\uffff",
    "🦊",
    "' or 1=1",
    "<script>alert(1)</script>",
    "(針",
    "針" * 90,
    '"' * 100,
    "-" * 100,
    "from:" * 20,
    "a:" * 50,
    "from:\x00 has:$ before:0000-00-00 after:9999-99-99",
    " ".join("abcdefghijklmnopqrstuvwxyz"),
]


@pytest.mark.parametrize("kind", ["people", "posts", "tags", "$ne"])
def test_invalid_queries_cause_no_errors(search, bob, kind):
    publish(bob, "Something quite normal #normal")
    for q in INVALID_QUERIES:
        response = search(q, kind, max_id="x")
        assert response.status_code == 200, q
        page = response.content.decode()
        assert "<script>alert" not in page
        assert "quite normal" not in page, q


def test_a_too_long_query_shows_a_message(search):
    page = words(search("x" * 10_000).content.decode())
    assert "Enter at most 100 characters." in page


def test_a_minus_excludes_only_at_the_beginning_of_a_word(search, bob):
    publish(bob, "well-known things")
    assert found_texts(search("well-known", "posts")) == ["well-known things"]
    assert found_texts(search("things -known", "posts")) == []


@pytest.mark.parametrize(
    ("kind", "q", "most"),
    [
        ("people", "p", 11),
        ("posts", "same", 9),
        ("posts", "同じ", 9),
        ("posts", "same 同じ", 10),
        ("tags", "tag", 7),
        ("", "pq", 16),
    ],
)
def test_a_search_costs_the_same_for_one_result_and_for_twenty(
    client, alice, search, record_commands, kind, q, most
):
    client.force_login(alice)

    def commands():
        assert search(q, kind).status_code == 200
        user_cards.clear_cards()
        with record_commands() as recorded:
            search(q, kind)
        assert not any(name == "getMore" for name, _ in recorded)
        return [(name, command[name]) for name, command in recorded]

    (first,) = people(1, "pq")
    publish(first, "same 同じ #tag")
    few = commands()
    write_posts((author, "same 同じ") for author in people(19))
    publish(first, " ".join(f"#tag{n}" for n in range(19)))
    assert commands() == few
    assert len(few) <= most


def test_every_page_links_to_the_search(client, alice):
    for viewer in (None, alice):
        if viewer:
            client.force_login(viewer)
        page = client.get("/public/").content.decode()
        assert 'role="search"' in page
        assert 'href="/search/"' in page
