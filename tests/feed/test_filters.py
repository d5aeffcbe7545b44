"""Filters by words: what they find, what becomes of it, until when, and that they cost nothing more."""

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given

from accounts import user_cards
from feed import selectors, services
from feed.services import CannotFilter
from feed.store import filters, reading
from feed.store.collections import reading_positions
from feed.text import matching
from tests.factories import follow, publish, publish_many
from tests.texts import texts

from .reading_html import words


def hide(reader, phrase, *, folds=False, hours=None):
    return services.add_filter(reader=reader.pk, phrase=phrase, folds=folds, hours=hours)


def home(reader):
    return list(selectors.home_page(reader=reader.pk, limit=20).posts)


def test_what_others_say_of_a_folded_post_is_folded_with_it(alice, bob, client):
    follow(alice, bob)
    post = publish(bob, "About dogs")
    services.comment_on_post(post_id=post, actor=bob, text="Woof, said the comment")
    services.like_post(post_id=post, actor=bob)
    hide(alice, "dogs", folds=True)
    client.force_login(alice)
    page = client.get("/").content.decode()
    start, end = page.index('<details class="filtered">'), page.index("post-actions")
    folded, after = page[start:end].rsplit("</details>", 1)
    for said in ("Woof", "likes this"):
        assert said in folded
        assert said not in after


@pytest.mark.parametrize(
    ("phrase", "text", "finds"),
    [
        ("cat", "My CAT sleeps", True),
        ("cat", "a catalogue", False),
        ("cat", "#cat", True),
        ("cat", "cat's", True),
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
def test_what_a_phrase_finds(phrase, text, finds):
    pattern = matching.pattern_of([phrase])
    assert (pattern.search(matching.key(text)) is not None) is finds


@given(texts, texts)
def test_a_phrase_in_any_text_is_searched_without_an_error(phrase, text):
    if phrase:
        matching.pattern_of([phrase]).search(matching.key(text))
    assert matching.pattern_of([]).search(matching.key(text)) is None


def test_posts_with_the_phrase_are_left_out_or_folded_and_come_back(alice, bob, client):
    follow(alice, bob)
    about_cats, plain, about_dogs = (publish(bob, text) for text in ("cats!", "hello", "dogs!"))
    hidden = hide(alice, "cats")
    hide(alice, "dogs", folds=True)
    assert [(one.id, one.is_folded) for one in home(alice)] == [(about_dogs, True), (plain, False)]
    public = selectors.public_page(viewer=alice.pk, limit=20).posts
    assert [one.id for one in public] == [about_dogs, plain]
    client.force_login(alice)
    assert "One of your filters folds this" in client.get("/").content.decode()
    # Who goes there, wants to read it.
    profile = selectors.profile_page(author=bob.pk, viewer=alice.pk, limit=20).posts
    assert [(one.id, one.is_folded) for one in profile][-1] == (about_cats, False)
    services.remove_filter(reader=alice.pk, filter_id=hidden)
    assert [one.id for one in home(alice)] == [about_dogs, plain, about_cats]


def test_a_share_of_what_is_filtered_is_left_out_and_ones_own_words_never_are(alice, bob, carol):
    follow(alice, bob)
    services.share_post(post_id=publish(carol, "more cats"), actor=bob)
    mine = publish(alice, "my cats")
    hide(alice, "cats")
    assert [one.id for one in home(alice)] == [mine]
    assert selectors.home_page(reader=bob.pk, limit=20).posts


def test_a_filter_ends(alice, bob):
    follow(alice, bob)
    post = publish(bob, "cats")
    hide(alice, "cats", hours=1)
    assert home(alice) == []
    passed = timezone.now() - timedelta(minutes=1)
    reading_positions().update_one({"_id": alice.pk}, {"$set": {"filters.0.until": passed}})
    assert [one.id for one in home(alice)] == [post]
    (ended,) = selectors.filters_of(reader=alice.pk)
    assert ended.phrase == "cats"


def test_filtered_posts_are_not_counted_as_unread(alice, bob):
    follow(alice, bob)
    publish(bob)
    selectors.home_page(reader=alice.pk, limit=20)
    hide(alice, "cats")
    for text in ("cats", "hello"):
        publish(bob, text)
    assert selectors.home_page(reader=alice.pk, limit=20).unread == 1


def test_a_filter_made_before_the_first_visit_leaves_the_position_alone(alice, bob):
    hide(alice, "cats")
    before = reading.before_home(reader=alice.pk)
    assert (before.position, before.large_authors, len(before.filters)) == (None, [], 1)
    services.remember_position(reader=alice.pk, position=publish(bob))
    assert reading.before_home(reader=alice.pk).position is not None
    assert len(filters.of(reader=alice.pk)) == 1


def test_there_is_room_for_so_many(alice, monkeypatch):
    monkeypatch.setattr(filters, "MOST", 2)
    for phrase in ("one", "two"):
        hide(alice, phrase)
    with pytest.raises(CannotFilter):
        hide(alice, "three")
    assert [one.phrase for one in filters.of(reader=alice.pk)] == ["one", "two"]


def test_filters_are_made_and_removed_by_forms(alice, bob, client):
    assert client.get("/settings/filters/").status_code == 302
    client.force_login(alice)
    assert "You have no filters" in words(client.get("/settings/filters/").content.decode())
    answer = client.post("/settings/filters/", {"phrase": " Cats ", "folds": "1", "hours": "24"})
    assert answer["Location"] == "/settings/filters/"
    (made,) = filters.of(reader=alice.pk)
    assert (made.phrase, made.folds) == ("Cats", True)
    assert made.until - timezone.now() < timedelta(hours=24)
    page = words(client.get("/settings/filters/").content.decode())
    assert "Cats folded, until" in page
    client.force_login(bob)
    client.post(f"/settings/filters/{made.id}/remove/")
    assert filters.of(reader=alice.pk)
    client.force_login(alice)
    client.post(f"/settings/filters/{made.id}/remove/")
    assert filters.of(reader=alice.pk) == []


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"phrase": "\u200b"},
        {"phrase": "x" * 101},
        {"phrase": "x", "hours": "-5"},
        {"phrase": "x", "hours": "nonsense"},
        {"phrase": "x", "folds": "maybe"},
    ],
)
def test_nonsense_is_refused_with_an_error(alice, client, fields):
    client.force_login(alice)
    assert client.post("/settings/filters/", fields).status_code == 422
    assert filters.of(reader=alice.pk) == []


def test_filters_cost_a_home_page_no_further_command(alice, bob, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)
    publish_many(bob, 5)
    costs = []
    for phrases in ([], [f"word{n}" for n in range(50)]):
        for phrase in phrases:
            hide(alice, phrase)
        client.get("/")
        user_cards.forget_all()
        with record_commands() as commands:
            client.get("/")
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


def test_what_a_review_is_of_and_where_a_link_leads_are_filtered_too(alice, bob):
    follow(alice, bob)
    review = {"title": "Spoilers of Dune", "item": "book", "stars": 4}
    link = {"url": "https://example.org/dune", "host": "example.org"}
    for kind, details in (("review", review), ("link", link)):
        services.publish_post(author=bob.pk, text="", kind=kind, details=details)
    assert len(home(alice)) == 2
    hide(alice, "dune")
    assert home(alice) == []
