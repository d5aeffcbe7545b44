"""Search: people and hashtags by prefix, posts by words."""

import pytest
from django.db import connection
from pymongo.errors import OperationFailure

from accounts import user_cards
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import change_username, set_private, update_profile
from accounts.store import name_search
from feed.models import Post
from feed.services.posts import delete_post
from feed.store import text_search as word_store
from feed.store.post_rows import IdRange
from tests.actions import share_post
from tests.factories import UserFactory, follow, people, publish

from .post_helpers import write_posts
from .query_plans import plan_of, stages
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


@pytest.mark.parametrize("q", ["perez nobody", "erez", "jose perez x", "...", "_"])
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


def test_search_opens_the_tab_with_results(search, alice, bob):
    publish(alice, "the kettle boils #teapot")
    assert search("alice").context["kind"] == "people"
    assert search("kettle").context["kind"] == "posts"
    assert "the kettle boils" in search("kettle").content.decode()
    assert search("#teapot").context["kind"] == "tags"
    assert search("teap").context["kind"] == "tags"
    assert search("#alice").context["kind"] == "tags"
    assert search("@kettle").context["kind"] == "people"
    page = words(search("xyzzy").content.decode())
    assert "Nothing found for “xyzzy”" in page
    assert "No people, posts or hashtags match your search." in page


def test_a_chosen_tab_is_shown_without_results(search, alice, bob):
    publish(alice, "the kettle boils")
    assert search("kettle", "people").context["kind"] == "people"
    assert "No matching people." in words(search("kettle", "people").content.decode())


def test_user_names_rank_first_and_people_appear_once(search):
    UserFactory(username="zoe", display_name="Max Frisch")
    UserFactory(username="maxine", display_name="Maxine")
    UserFactory(username="max", display_name="Nobody")
    assert found_usernames(search("max")) == ["max", "maxine", "zoe"]


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


def test_a_people_search_reads_only_the_shown_users(search, record_commands):
    people(60, "many")
    with record_commands() as commands:
        response = search("many")
    assert len(response.context["people"]) == 20
    assert "Type more of the name" in words(response.content.decode())
    (command,) = (command for _, command in commands if "collation" in command)
    plan = plan_of({**command, "pipeline": command["pipeline"][:4]})
    used = [stage["stage"] for stage in stages(plan)]
    assert "IXSCAN" in used
    assert not {"COLLSCAN", "SORT"} & set(used)
    assert plan["executionStats"]["totalDocsExamined"] <= 20
    assert name_search.uids_by_prefix(text="many1", limit=3) != []


# --- Posts -------------------------------------------------------------------------------------
def test_posts_are_found_by_whole_words_newest_first(search, bob, carol):
    publish(bob, "Green apples, please")
    publish(carol, "APPLES and pears")
    publish(bob, "One apple pie")
    assert found_texts(search("apples", "posts")) == ["APPLES and pears", "Green apples, please"]
    assert found_texts(search("pears apples", "posts")) == ["APPLES and pears"]
    assert found_texts(search('"green apples"', "posts")) == ["Green apples, please"]
    assert "Nothing found for" in words(search('"apples green"', "posts").content.decode())


@pytest.mark.parametrize("q", ["café", "CAFE", "Café!"])
def test_search_ignores_case_and_accents(search, bob, q):
    publish(bob, "In the café again")
    assert found_texts(search(q, "posts")) == ["In the café again"]


@pytest.mark.parametrize(
    ("text", "q"),
    [
        ("今日は神田の古本屋を三軒まわりました。", "古本屋"),
        ("我今天在北京的胡同里散步。", "胡同"),
        ("오늘 학교에서 친구를 만났어요", "학교"),
        ("วันนี้อากาศดีมาก", "อากาศ"),
        ("Tokyoの古本屋", "tokyo 古本"),
    ],
)
def test_texts_without_word_boundaries_are_scanned(search, bob, text, q):
    publish(bob, text)
    publish(bob, "something else")
    assert found_texts(search(q, "posts")) == [text]


def test_scanned_posts_are_read_in_batches(search, bob, monkeypatch):
    monkeypatch.setattr(word_store, "MAX_EXAMINED", 3)
    publish(bob, "最初の投稿")
    for n in range(4):
        publish(bob, f"other {n}")
    first = search("投稿", "posts")
    assert "No matches in the newest posts" in words(first.content.decode())
    older = first.context["page"].older_cursor
    assert found_texts(search("投稿", "posts", max_id=older)) == ["最初の投稿"]
    assert search("投稿", "posts", max_id=older).context["page"].older_cursor is None


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


def test_frequent_words_are_searched_in_the_newest_posts(search, bob, monkeypatch):
    def give_up(**_):
        raise word_store.TooManyMatches

    monkeypatch.setattr(word_store, "posts_with_words", give_up)
    for text in ("Straße und Kunst", "Kunststoff, Straßen", "STRASSE (Kunst)", "kunst: straße"):
        publish(bob, text)
    assert found_texts(search("kunst straße", "posts")) == ["kunst: straße", "Straße und Kunst"]


def test_a_slow_search_is_cancelled(bob, monkeypatch):
    publish(bob, "needle")
    monkeypatch.setattr(word_store, "MAX_SEARCH_SECONDS", 0.5)
    on = {"configureFailPoint": "maxTimeAlwaysTimeOut", "mode": "alwaysOn"}
    try:
        connection.connection.admin.command(on)
    except OperationFailure:
        pytest.skip("this server has no fail points")
    try:
        with pytest.raises(word_store.TooManyMatches):
            word_store.posts_with_words(phrases=["needle"], id_range=IdRange(), limit=1)
    finally:
        connection.connection.admin.command({**on, "mode": "off"})


def test_words_are_found_by_an_index_of_public_posts(search, bob, record_commands):
    write_posts((bob, f"hay {n}") for n in range(30))
    publish(bob, "a needle")
    publish(bob, "a hidden needle", "followers")
    with record_commands() as commands:
        search("needle", "posts")
    (command,) = (command for _, command in commands if "$text" in str(command.get("filter", "")))
    plan = plan_of(command)
    assert "COLLSCAN" not in str(plan["queryPlanner"]["winningPlan"])
    assert plan["executionStats"]["totalKeysExamined"] == 1


# --- Hashtags ----------------------------------------------------------------------------------
def found_tags(response):
    return response.context["tags"]


def test_hashtags_are_found_by_prefix(search, bob):
    for tag in ("Book", "Bookshop", "books", "notebook", "bo"):
        publish(bob, f"#{tag}")
    assert found_tags(search("#book")) == ["book", "books", "bookshop"]
    assert found_tags(search("BOOKS", "tags")) == ["books", "bookshop"]
    assert found_tags(search("\uff03\uff42\uff4f")) == ["bo", "books", "bookshop", "book"]
    assert "No matching hashtags" in words(search("#zzz").content.decode())


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


def test_a_minus_is_not_an_operator(search, bob):
    publish(bob, "well-known things")
    assert found_texts(search("well-known", "posts")) == ["well-known things"]
    assert found_texts(search("things -known", "posts")) == ["well-known things"]


@pytest.mark.parametrize(
    ("kind", "q"), [("people", "p"), ("posts", "same"), ("posts", "同じ"), ("tags", "tag")]
)
def test_a_search_costs_the_same_for_one_result_and_for_twenty(
    client, alice, search, record_commands, kind, q
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
    assert len(few) <= 10


def test_every_page_links_to_the_search(client, alice):
    for viewer in (None, alice):
        if viewer:
            client.force_login(viewer)
        page = client.get("/public/").content.decode()
        assert 'role="search"' in page
        assert 'href="/search/"' in page
