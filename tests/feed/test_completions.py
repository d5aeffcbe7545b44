"""Suggestions that complete "@" and "#" while a user writes."""

import re

import pytest

from accounts import user_cards
from accounts.services.blocks_and_mutes import block_user
from accounts.services.profiles import set_private, update_profile
from tests.factories import UserFactory, follow, people, publish


@pytest.fixture
def complete(client, alice):
    client.force_login(alice)

    def suggested(q):
        response = client.get("/search/completions/", {"q": q})
        assert response.status_code == 200
        return re.findall(r'data-value="([^"]*)"', response.content.decode())

    return suggested


def test_people_are_suggested_by_name_and_closeness(complete, alice, bob):
    carla, carl = UserFactory(username="carla"), UserFactory(username="xavier", display_name="Carl")
    assert complete("@car") == ["@carla", "@xavier"]
    follow(alice, carl)
    assert complete("@car") == ["@xavier", "@carla"]
    assert complete("\uff20\uff23\uff21\uff32") == ["@xavier", "@carla"]
    assert complete("@carla") == ["@carla"]
    assert complete("@calra") == ["@carla"]
    update_profile(uid=bob.pk, display_name="Bob", bio="Drives a car")
    assert complete("@car") == ["@xavier", "@carla"]
    block_user(owner=carla.pk, other=alice.pk)
    assert complete("@car") == ["@xavier"]


def test_hashtags_are_suggested_by_their_beginning(complete, client, alice, bob):
    publish(bob, "#Book #books #bookshop #tea")
    assert complete("#BOOK")[0] == "#book"
    assert sorted(complete("#book")) == ["#book", "#books", "#bookshop"]
    set_private(uid=bob.pk, is_private=True)
    assert complete("#book") == []


def test_other_texts_get_no_suggestions(complete, bob):
    for q in ("", "@", "#", "bob", "@@", "@\x00", "@(.*", "#" + "x" * 5000, "@" * 999):
        assert complete(q) == [], q


def test_at_most_eight_are_suggested_and_names_are_escaped(complete, client):
    people(20, "many")
    assert len(complete("@many")) == 8
    user = UserFactory(username="eve")
    update_profile(uid=user.pk, display_name="<b onload=x>", bio="")
    html = client.get("/search/completions/", {"q": "@eve"}).content.decode()
    assert "<b onload" not in html
    assert "&lt;b onload=x&gt;" in html


def test_visitors_get_no_suggestions(client, bob):
    response = client.get("/search/completions/", {"q": "@bob"})
    assert response.status_code == 403
    assert b"bob" not in response.content


def test_suggestions_are_limited(client, alice, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "completion": "2/m"}
    client.force_login(alice)
    statuses = [client.get("/search/completions/", {"q": "@a"}).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


def test_suggestions_cost_few_commands(complete, client, alice, bob, record_commands):
    people(60, "many")
    publish(bob, " ".join(f"#tag{n}" for n in range(20)))
    for q, most in (("@many", 9), ("#tag", 6)):
        complete(q)
        user_cards.clear_cards()
        with record_commands() as commands:
            assert len(complete(q)) == 8
        assert len(commands) <= most, commands
