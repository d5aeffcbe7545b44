"""The search page: all kinds of results, hashtags, invalid queries, and cost."""

import pytest

from accounts import user_cards
from accounts.services.profiles import set_private
from feed.services.posts import delete_post
from tests.factories import follow, people, publish

from .post_helpers import write_posts
from .reading_html import words
from .search_results import found_texts, found_usernames


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
    users = people(6, "apple")
    for n in range(11):
        publish(users[0], f"an apple a day #apple{n}")
    response = search("apple")
    html = response.content.decode()
    assert len(found_usernames(response)) == len(response.context["tags"]) == 5
    assert len(found_texts(response)) == 10
    for kind in ("people", "tags", "posts"):
        assert f'href="?q=apple&amp;type={kind}" rel="next"' in html


def test_a_chosen_tab_is_shown_without_results(search, alice, bob):
    publish(alice, "the kettle boils")
    assert search("kettle", "people").context["kind"] == "people"
    assert "No matching people." in words(search("kettle", "people").content.decode())


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
