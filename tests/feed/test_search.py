"""Search: people and hashtags by prefix, posts by their words."""

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
    def ask(q, kind="", **more):
        return client.get("/search/", {"q": q, "type": kind, **more})

    return ask


def found_people(response):
    return [row.card.username for row in response.context["people"]]


def found_posts(response):
    return [post.text for post in response.context["page"].posts]


# --- People ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "q", ["jos", "JOS", "@jose", "josé pé", "JOSE PEREZ", "  jose  ", "\uff4a\uff4f\uff53", "josé_"]
)
def test_people_are_found_by_the_beginning_of_their_names(search, bob, q):
    UserFactory(username="jose_1", display_name="José Pérez")
    assert found_people(search(q)) == ["jose_1"]


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
    assert found_people(search(q)) == ["somebody"]


@pytest.mark.parametrize(
    "q",
    ["pérez", "PEREZ", "gar", "garcia jose", "luc", "jean-luc", "pere jos", "@perez", "mueller"],
)
def test_people_are_found_by_every_word_of_their_names(search, bob, q):
    UserFactory(username="j.mueller", display_name="José Jean-Luc García Pérez")
    assert found_people(search(q)) == ["j.mueller"]


@pytest.mark.parametrize("q", ["perez nobody", "erez", "jose perez x", "...", "_"])
def test_all_words_have_to_be_in_a_name(search, bob, q):
    UserFactory(username="jp", display_name="José Pérez")
    assert found_people(search(q, "people")) == []


def test_the_words_of_a_name_follow_its_changes(search, bob):
    update_profile(uid=bob.pk, display_name="Robert Brown", bio="")
    assert found_people(search("brown")) == ["bob"]
    update_profile(uid=bob.pk, display_name="Robert Green", bio="")
    change_username(uid=bob.pk, username="bobby_tables")
    assert found_people(search("brown", "people")) == []
    assert found_people(search("green")) == found_people(search("tables")) == ["bobby_tables"]


def test_a_search_opens_on_what_has_results(search, alice, bob):
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
    assert "There are no people, posts or hashtags like this." in page


def test_what_was_asked_for_is_shown_also_where_there_is_none(search, alice, bob):
    publish(alice, "the kettle boils")
    assert search("kettle", "people").context["kind"] == "people"
    assert "No matching people." in words(search("kettle", "people").content.decode())


def test_user_names_come_before_names_and_nobody_comes_twice(search):
    UserFactory(username="zoe", display_name="Max Frisch")
    UserFactory(username="maxine", display_name="Maxine")
    UserFactory(username="max", display_name="Nobody")
    assert found_people(search("max")) == ["max", "maxine", "zoe"]


def test_who_is_apart_from_the_viewer_or_gone_is_not_found(client, search, alice):
    blocked, blocking, deleted, muted, private = people(5, "same")
    block_user(owner=alice.pk, other=blocked.pk)
    block_user(owner=blocking.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    set_private(uid=private.pk, is_private=True)
    deleted.is_active = False
    deleted.save()
    client.force_login(alice)
    assert found_people(search("same")) == [muted.username, private.username]


def test_a_renamed_person_is_found_by_the_new_name_only(search, bob):
    change_username(uid=bob.pk, username="robert")
    update_profile(uid=bob.pk, display_name="Robert Brown", bio="")
    assert found_people(search("bob", "people")) == []
    assert found_people(search("rob")) == ["robert"]


def test_finding_people_reads_no_more_than_it_shows(search, record_commands):
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
    assert found_posts(search("apples", "posts")) == ["APPLES and pears", "Green apples, please"]
    assert found_posts(search("pears apples", "posts")) == ["APPLES and pears"]
    assert found_posts(search('"green apples"', "posts")) == ["Green apples, please"]
    assert "Nothing found for" in words(search('"apples green"', "posts").content.decode())


@pytest.mark.parametrize("q", ["café", "CAFE", "Café!"])
def test_neither_capitals_nor_accents_matter(search, bob, q):
    publish(bob, "In the café again")
    assert found_posts(search(q, "posts")) == ["In the café again"]


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
def test_where_words_are_not_apart_posts_are_read_instead(search, bob, text, q):
    publish(bob, text)
    publish(bob, "something else")
    assert found_posts(search(q, "posts")) == [text]


def test_posts_that_are_read_are_read_some_at_a_time(search, bob, monkeypatch):
    monkeypatch.setattr(word_store, "MAX_EXAMINED", 3)
    publish(bob, "最初の投稿")
    for n in range(4):
        publish(bob, f"other {n}")
    first = search("投稿", "posts")
    assert "Not among the newest posts" in words(first.content.decode())
    older = first.context["page"].older_cursor
    assert found_posts(search("投稿", "posts", max_id=older)) == ["最初の投稿"]
    assert search("投稿", "posts", max_id=older).context["page"].older_cursor is None


@pytest.mark.parametrize("q", ["needle", "針"])
def test_what_the_viewer_may_not_read_is_not_found(client, search, alice, bob, carol, q):
    follow(alice, bob)
    private, new_deleted, stranger, muted = people(4)
    for visibility in Post.Visibility.values:
        publish(bob, f"@alice {q} {visibility}", visibility)
    for author in (carol, private, new_deleted, muted):
        publish(author, f"{q} not this")
    deleted = publish(stranger, f"{q} deleted")
    delete_post(post_id=deleted, actor=stranger)
    share_post(post_id=publish(stranger, f"{q} shown"), actor=bob)
    block_user(owner=carol.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    set_private(uid=private.pk, is_private=True)
    new_deleted.is_active = False
    new_deleted.save()
    client.force_login(alice)
    assert found_posts(search(q, "posts")) == [f"{q} shown", f"@alice {q} public"]


@pytest.mark.parametrize("word", ["needle", "針"])
def test_found_posts_page_for_ever(client, search, bob, settings, word):
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


def test_words_of_too_many_posts_are_looked_for_in_the_newest(search, bob, monkeypatch):
    def give_up(**_):
        raise word_store.TooManyMatches

    monkeypatch.setattr(word_store, "posts_with_words", give_up)
    for text in ("Straße und Kunst", "Kunststoff, Straßen", "STRASSE (Kunst)", "kunst: straße"):
        publish(bob, text)
    assert found_posts(search("kunst straße", "posts")) == ["kunst: straße", "Straße und Kunst"]


def test_a_look_up_that_takes_too_long_is_given_up(bob, monkeypatch):
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


def test_words_are_looked_up_in_an_index_of_public_posts(search, bob, record_commands):
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


def test_hashtags_are_found_by_how_they_begin(search, bob):
    for tag in ("Book", "Bookshop", "books", "notebook", "bo"):
        publish(bob, f"#{tag}")
    assert found_tags(search("#book")) == ["book", "books", "bookshop"]
    assert found_tags(search("BOOKS", "tags")) == ["books", "bookshop"]
    assert found_tags(search("\uff03\uff42\uff4f")) == ["bo", "books", "bookshop", "book"]
    assert "No matching hashtags" in words(search("#zzz").content.decode())


def test_a_hashtag_that_is_not_used_any_more_is_not_found(search, alice, bob):
    first, second = publish(bob, "#cats"), publish(alice, "#cats")
    delete_post(post_id=second, actor=alice)
    assert found_tags(search("#cat")) == ["cats"]
    delete_post(post_id=first, actor=bob)
    assert found_tags(search("#cat")) == []


def test_a_hashtag_of_somebody_who_went_private_is_not_found_by_strangers(
    search, client, alice, bob
):
    publish(bob, "#mystreet")
    follow(alice, bob)
    set_private(uid=bob.pk, is_private=True)
    assert found_tags(search("#my")) == []
    client.force_login(alice)
    assert found_tags(search("#my")) == ["mystreet"]
    set_private(uid=bob.pk, is_private=False)
    client.logout()
    assert found_tags(search("#my")) == ["mystreet"]


# --- Nonsense, and what it costs ---------------------------------------------------------------
NONSENSE = [
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
def test_nonsense_is_answered_calmly(search, bob, kind):
    publish(bob, "Something quite normal #normal")
    for q in NONSENSE:
        response = search(q, kind, max_id="x")
        assert response.status_code == 200, q
        page = response.content.decode()
        assert "<script>alert" not in page
        assert "quite normal" not in page, q


def test_what_is_too_long_is_said_to_be(search):
    page = words(search("x" * 10_000).content.decode())
    assert "Search for at most 100 characters." in page


def test_a_minus_is_no_operator(search, bob):
    publish(bob, "well-known things")
    assert found_posts(search("well-known", "posts")) == ["well-known things"]
    assert found_posts(search("things -known", "posts")) == ["well-known things"]


@pytest.mark.parametrize(
    ("kind", "q"), [("people", "p"), ("posts", "same"), ("posts", "同じ"), ("tags", "tag")]
)
def test_a_search_costs_the_same_for_one_result_as_for_twenty(
    client, alice, search, record_commands, kind, q
):
    client.force_login(alice)

    def commands():
        assert search(q, kind).status_code == 200
        user_cards.clear_cards()
        with record_commands() as result:
            search(q, kind)
        assert not any(name == "getMore" for name, _ in result)
        return [(name, asked[name]) for name, asked in result]

    (first,) = people(1, "pq")
    publish(first, "same 同じ #tag")
    few = commands()
    write_posts((author, "same 同じ") for author in people(19))
    publish(first, " ".join(f"#tag{n}" for n in range(19)))
    assert commands() == few
    assert len(few) <= 10


def test_search_is_in_reach_of_every_page(client, alice):
    for viewer in (None, alice):
        if viewer:
            client.force_login(viewer)
        page = client.get("/public/").content.decode()
        assert 'role="search"' in page
        assert '<a href="/search/"' in page
