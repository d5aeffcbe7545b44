"""Filters: matching phrases, hidden or collapsed posts, expiry and cost."""

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from accounts import user_cards
from accounts.infra.cursors import PageBounds
from accounts.infra.refusals import Refused
from feed import tasks
from feed.selectors.filters import filters_of_viewer
from feed.selectors.post_pages import profile_page, public_page
from feed.selectors.visible_posts import visible_post
from feed.services.filters import add_phrase_filter, delete_filter, filter_post_alone
from feed.services.posts import delete_post
from feed.store import collections, filters, home_states
from feed.text import phrases
from feed.timeline.home import advance_home_position, home_page
from tests.actions import add_comment, like_post, publish_post, share_post
from tests.at_once import at_once
from tests.factories import follow, publish, publish_many
from tests.texts import texts

from .reading_html import send, words


def add_filter(reader, phrase, *, should_collapse=False, hours=None):
    return add_phrase_filter(
        owner=reader.pk, phrase=phrase, has_warning=should_collapse, hours=hours
    )


def home(reader):
    return list(home_page(viewer=reader.pk, bounds=PageBounds(limit=20)).posts)


def test_comments_and_likes_of_a_collapsed_post_are_collapsed(alice, bob, client):
    follow(alice, bob)
    post = publish(bob, "About dogs")
    add_comment(post_id=post, actor=bob, text="Woof, said the comment")
    like_post(post_id=post, actor=bob)
    add_filter(alice, "dogs", should_collapse=True)
    client.force_login(alice)
    page = client.get("/").content.decode()
    start, end = page.index('<details class="filtered-post">'), page.index("post-actions")
    folded, after = page[start:end].rsplit("</details>", 1)
    for text in ("Woof", "likes this"):
        assert text in folded
        assert text not in after


UNSPACED_LETTERS = (
    "\u314b\u3160\u110f\u11a8\ua960\uac00\ud7b0\uffa1"  # Korean, also letters alone
    "\u3005\u3007\u3042\u30ab\uff76\u31f0\u30fc\u6f22\ufa19\U00020000"  # Japanese, Chinese
    "\u3105\u31a0\ua000\U00017000"  # Bopomofo, Yi, Tangut
    "\u0e01\u0e81\u1000\uaa60\u0f40\u1780\u1950\u1980\u1a20"  # Thai, Lao, Burmese, Tibetan, Khmer
)


@pytest.mark.parametrize(
    ("phrase", "text", "is_match"),
    [
        ("cat", "My CAT sleeps", True),
        ("cat", "a catalogue", False),
        ("cat", "#cat", True),
        ("cat", "cat's", True),
        ("BTS", "BTS가 좋다", True),
        ("iPhone", "新しいiPhoneが", True),
        ("BTS", "BTSé", False),
        *[("BTS", f"{char}BTS{char}", True) for char in UNSPACED_LETTERS],
        ("don't", "I don\u2019t know", True),
        ("O\u2019Brien", "o'brien", True),
        ("well-known", "well\u2011known", True),
        ("the  cat", "the\n cat", True),
        ("\u2764", "I \u2764\ufe0f you", True),
        ("\u2764\ufe0f", "I \u2764 you", True),
        ("izmir", "İZMİR", True),
        ("İzmir", "#izmir", True),
        ("\ufe0f", "anything", False),
        ("the cat", "It was the cat.", True),
        ("c++", "I like c++ most", True),
        ("(", "a (b", True),
        ("straße", "STRASSE", True),
        ("\uff43\uff41\uff54", "cat", True),
        ("é", "e\u0301", True),
        ("猫", "黒猫です", True),
        ("наш", "наша", False),
        (".*", "anything", False),
    ],
)
def test_a_phrase_matches_whole_words(phrase, text, is_match):
    pattern = phrases.phrase_pattern(whole=[phrase])
    assert (pattern.search(phrases.normalize_text(text)) is not None) is is_match


@hypothesis_settings(max_examples=30)
@given(texts, texts)
def test_any_phrase_can_be_searched_in_any_text(phrase, text):
    phrases.phrase_pattern(whole=[phrase], parts=[phrase]).search(phrases.normalize_text(text))
    assert phrases.phrase_pattern(whole=[]).search(phrases.normalize_text(text)) is None


def test_a_phrase_may_match_inside_words(alice, bob):
    follow(alice, bob)
    add_phrase_filter(owner=alice.pk, phrase="cat", has_warning=False, hours=None, is_part=True)
    add_filter(alice, "log")
    publish(bob, "a Catalogue")
    shown = publish(bob, "a dialog")
    assert [post.id for post in home(alice)] == [shown]


def test_matching_posts_are_hidden_or_collapsed_until_the_filter_is_deleted(alice, bob, client):
    follow(alice, bob)
    about_cats, plain, about_dogs = (publish(bob, text) for text in ("cats!", "hello", "dogs!"))
    hidden = add_filter(alice, "cats")
    add_filter(alice, "dogs", should_collapse=True)
    assert [(post.id, post.has_filter_warning) for post in home(alice)] == [
        (about_dogs, True),
        (plain, False),
    ]
    public = public_page(viewer=alice.pk, bounds=PageBounds(limit=20)).posts
    assert [post.id for post in public] == [about_dogs, plain]
    client.force_login(alice)
    assert "Hidden by one of your filters" in client.get("/").content.decode()
    # Filters do not hide posts on profiles, because visitors of a profile want to read its posts.
    profile = profile_page(author=bob.pk, viewer=alice.pk, bounds=PageBounds(limit=20)).posts
    assert [(post.id, post.has_filter_warning) for post in profile][-1] == (about_cats, False)
    delete_filter(owner=alice.pk, filter_id=hidden)
    assert [post.id for post in home(alice)] == [about_dogs, plain, about_cats]


def test_shares_of_filtered_posts_are_hidden_but_own_posts_are_not(alice, bob, carol):
    follow(alice, bob)
    share_post(post_id=publish(carol, "more cats"), actor=bob)
    mine = publish(alice, "my cats")
    add_filter(alice, "cats")
    assert [post.id for post in home(alice)] == [mine]
    assert home_page(viewer=bob.pk, bounds=PageBounds(limit=20)).posts


def test_a_filter_expires(alice, bob):
    follow(alice, bob)
    post = publish(bob, "cats")
    add_filter(alice, "cats", hours=1)
    assert home(alice) == []
    passed = timezone.now() - timedelta(minutes=1)
    collections.home_states().update_one(
        {"_id": alice.pk}, {"$set": {"filters.0.expires_at": passed}}
    )
    assert [post.id for post in home(alice)] == [post]
    (ended,) = filters_of_viewer(viewer=alice.pk)
    assert ended.phrases_text == "cats"


def test_filtered_posts_are_not_counted_as_unread(alice, bob):
    follow(alice, bob)
    publish(bob)
    home_page(viewer=alice.pk, bounds=PageBounds(limit=20))
    add_filter(alice, "cats")
    for text in ("cats", "hello"):
        publish(bob, text)
    assert home_page(viewer=alice.pk, bounds=PageBounds(limit=20)).unread_count == 1


def test_a_filter_made_before_the_first_visit_leaves_the_position_alone(alice, bob):
    add_filter(alice, "cats")
    before = home_states.home_state(viewer=alice.pk)
    assert (before.position, before.large_authors, len(before.filters)) == (None, [], 1)
    advance_home_position(viewer=alice.pk, position=publish(bob))
    assert home_states.home_state(viewer=alice.pk).position is not None
    assert len(filters.filters_of(viewer=alice.pk)) == 1


def test_the_number_of_filters_is_limited(alice, monkeypatch):
    monkeypatch.setattr(filters, "MAX_FILTERS", 2)
    for phrase in ("one", "two"):
        add_filter(alice, phrase)
    with pytest.raises(Refused, match="You can have up to 2 filters"):
        add_filter(alice, "three")
    assert [row.phrases_text for row in filters.filters_of(viewer=alice.pk)] == ["one", "two"]


def test_forms_add_and_delete_filters(alice, bob, client):
    assert client.get("/settings/filters/").status_code == 302
    client.force_login(alice)
    assert "You have no filters" in words(client.get("/settings/filters/").content.decode())
    answer = client.post(
        "/settings/filters/", {"phrase": " Cats ", "has_warning": "1", "hours": "24"}
    )
    assert answer["Location"] == "/settings/filters/"
    (result,) = filters.filters_of(viewer=alice.pk)
    assert (result.phrases_text, result.should_collapse) == ("Cats", True)
    assert result.expires_at - timezone.now() < timedelta(hours=24)
    page = words(client.get("/settings/filters/").content.decode())
    assert "Cats shown behind a warning · expires on" in page
    client.force_login(bob)
    client.post(f"/settings/filters/{result.id}/remove/")
    assert filters.filters_of(viewer=alice.pk)
    client.force_login(alice)
    client.post(f"/settings/filters/{result.id}/remove/")
    assert filters.filters_of(viewer=alice.pk) == []


INVALID_FILTERS = (
    {},
    {"phrase": "\u200b"},
    {"phrase": "x" * 101},
    {"phrase": "x", "hours": "-5"},
    {"phrase": "x", "hours": "nonsense"},
    {"phrase": "x", "has_warning": "maybe"},
)


def test_an_invalid_filter_is_refused(alice, client):
    client.force_login(alice)
    for fields in INVALID_FILTERS:
        assert client.post("/settings/filters/", fields).status_code == 422, fields
    assert filters.filters_of(viewer=alice.pk) == []


def test_filters_cost_no_extra_command(alice, bob, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)
    publish_many(bob, 5)
    costs = []
    for phrase_list in ([], [f"word{n}" for n in range(50)]):
        for phrase in phrase_list:
            add_filter(alice, phrase)
        client.get("/")
        user_cards.clear_cards()
        with record_commands() as commands:
            client.get("/")
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


def test_review_titles_and_link_urls_are_filtered_too(alice, bob):
    follow(alice, bob)
    review = {"title": "Spoilers of Dune", "item": "book", "stars": 4}
    link = {"url": "https://example.org/dune", "host": "example.org"}
    for kind, details in (("review", review), ("link", link)):
        publish_post(author=bob.pk, text="", kind=kind, details=details)
    assert len(home(alice)) == 2
    add_filter(alice, "dune")
    assert home(alice) == []


def test_a_post_is_filtered_on_pages_and_removed_from_the_filter(alice, bob, client):
    follow(alice, bob)
    post = publish(bob, "Nothing special")
    client.force_login(alice)
    path = f"/posts/{post}/filter/"
    assert path in client.get(f"/posts/{post}/options/").content.decode()
    assert "New filter that hides posts" in client.get(path).content.decode()
    page = client.post(path, {"filter": "warn"}, follow=True)
    (user_filter,) = filters_of_viewer(viewer=alice.pk)
    assert page.redirect_chain[-1][0] == f"/settings/filters/{user_filter.id}/"
    assert "Nothing special" in words(page.content.decode())
    assert [view.has_filter_warning for view in home(alice)] == [True]
    assert "1 single post" in words(client.get("/settings/filters/").content.decode())
    client.post(path, {"filter": str(user_filter.id)})
    (row,) = filters_of_viewer(viewer=alice.pk)[0].posts
    delete_post(post_id=post, actor=bob)
    page = client.get(f"/settings/filters/{user_filter.id}/").content.decode()
    assert "no longer available" in words(page)
    send(client, page, f"/settings/filters/{user_filter.id}/posts/{row.id}/remove/")
    assert filters_of_viewer(viewer=alice.pk)[0].posts == ()


def test_a_hidden_single_post_leaves_home_but_not_its_page(alice, bob, client):
    follow(alice, bob)
    post = publish(bob, "Nothing special")
    client.force_login(alice)
    client.post(f"/posts/{post}/filter/", {"filter": "hide"})
    assert home(alice) == []
    assert client.get(f"/@bob/{post}/").status_code == 200


@pytest.mark.parametrize("choice", ["hide", "warn"])
def test_a_double_click_on_filter_post_creates_one_filter(alice, bob, client, choice):
    post = publish(bob)
    client.force_login(alice)
    locations = {
        client.post(f"/posts/{post}/filter/", {"filter": choice})["Location"] for _ in range(2)
    }
    (user_filter,) = filters_of_viewer(viewer=alice.pk)
    assert locations == {f"/settings/filters/{user_filter.id}/"}
    assert [row.post for row in user_filter.posts] == [post]


def test_simultaneous_clicks_on_filter_post_create_one_filter(alice, bob):
    post = visible_post(post_id=publish(bob), viewer=alice.pk)
    ids = []

    def click():
        ids.append(filter_post_alone(owner=alice.pk, post=post, has_warning=False))

    at_once(*[click] * 4)
    (user_filter,) = filters_of_viewer(viewer=alice.pk)
    assert ids == [user_filter.id] * 4


@pytest.mark.parametrize("limit", ["MAX_FILTERED_POSTS", "MAX_FILTERS"])
def test_a_refused_post_leaves_no_empty_filter(alice, bob, client, monkeypatch, limit):
    first, second = publish_many(bob, 2)
    monkeypatch.setattr(filters, limit, 1)
    client.force_login(alice)
    client.post(f"/posts/{first}/filter/", {"filter": "hide"})
    before = filters_of_viewer(viewer=alice.pk)
    response = client.post(f"/posts/{second}/filter/", {"filter": "hide"})
    assert response.status_code == 422
    assert "You can" in response.content.decode()
    assert filters_of_viewer(viewer=alice.pk) == before
    assert len(before) == 1


def test_deleted_posts_leave_filters_and_do_not_count(alice, bob, client, monkeypatch):
    monkeypatch.setattr(filters, "MAX_FILTERED_POSTS", 2)
    first, second, third = publish_many(bob, 3)
    client.force_login(alice)
    client.post(f"/posts/{first}/filter/", {"filter": "hide"})
    (user_filter,) = filters_of_viewer(viewer=alice.pk)
    client.post(f"/posts/{second}/filter/", {"filter": str(user_filter.id)})
    add_filter(alice, "cats")
    delete_post(post_id=first, actor=bob)
    tasks.clean_up_post(post_id=first)
    client.post(f"/posts/{third}/filter/", {"filter": str(user_filter.id)})
    filtered, by_phrase = filters_of_viewer(viewer=alice.pk)
    assert [row.post for row in filtered.posts] == [second, third]
    assert by_phrase.phrases_text == "cats"


def test_filters_of_a_deleted_post_are_found_by_an_index(alice, bob):
    post = visible_post(post_id=publish(bob), viewer=alice.pk)
    filter_post_alone(owner=alice.pk, post=post, has_warning=True)
    plan = str(collections.home_states().find({"filters.posts.post": post.id}).explain())
    assert "IXSCAN" in plan
    assert "COLLSCAN" not in plan


def test_an_invalid_filter_for_a_post_is_refused(alice, bob, client):
    post = publish(bob)
    client.force_login(alice)
    for choice in ("", "1", "-1", "all", "9" * 30):
        response = client.post(f"/posts/{post}/filter/", {"filter": choice})
        assert response.status_code == 422, choice
    assert filters_of_viewer(viewer=alice.pk) == []


def test_own_and_secret_posts_have_no_page_for_filters(alice, bob, client):
    client.force_login(alice)
    for post in (publish(alice), publish(bob, visibility="followers"), 1):
        assert client.post(f"/posts/{post}/filter/", {"filter": "hide"}).status_code == 404
    assert filters_of_viewer(viewer=alice.pk) == []
