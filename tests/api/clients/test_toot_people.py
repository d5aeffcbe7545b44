"""Users, lists and hashtags with ``toot``."""

import pytest

from accounts.services.profiles import set_private
from tests.api.clients.command_line import Toot
from tests.factories import follow, people, publish


@pytest.fixture
def toot(site, alice, tmp_path):
    return Toot(home=tmp_path, site=site, user=alice)


def test_users_are_found_followed_muted_and_blocked(toot, alice, bob, carol):
    assert toot.refused("whois", "nobody") == "Account not found"
    assert "@bob Bob Brown" in toot("whois", f"bob@{toot.domain}")
    assert "now following @bob" in toot("follow", "@bob")
    assert toot("following") == "* @bob Bob Brown\n"
    assert toot("followers", "bob") == "* @alice Alice Adams\n"
    assert not toot.json("unfollow", "bob")["following"]
    assert toot.json("mute", "bob")["muting"]
    assert toot("muted") == "Muted accounts:\n* @bob Bob Brown\n"
    assert not toot.json("unmute", "bob")["muting"]
    assert toot.json("block", "bob")["blocking"]
    assert toot("blocked") == "Blocked accounts:\n* @bob Bob Brown\n"
    assert not toot.json("unblock", "bob")["blocking"]
    assert toot("blocked") == "No accounts blocked\n"
    assert "follow" in toot.refused("follow", "alice")


def test_all_pages_of_followers_are_listed(toot, alice):
    followers = people(45)
    for user in followers:
        follow(user, alice)
    listed = toot.json("followers")
    assert [status["username"] for status in listed] == [
        user.username for user in reversed(followers)
    ]


def test_follow_requests_are_accepted_and_rejected(toot, alice, bob, carol):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    follow(carol, alice)
    assert toot("follow-requests", "list") == "* @carol Carol Clark\n* @bob Bob Brown\n"
    assert toot.json("follow-requests", "accept", "bob")["followed_by"]
    assert not toot.json("follow-requests", "reject", "carol")["followed_by"]
    assert toot.json("follow-requests", "list") == []


def test_lists_are_created_filled_and_deleted(toot, alice, bob):
    follow(alice, bob)
    post = publish(bob, "Hello list")
    result = toot.json("lists", "create", "Friends", "--replies-policy", "list")
    toot("lists", "add", "Friends", "bob")
    assert f"{result['id']}  Friends" in toot("lists", "list")
    assert "* @bob Bob Brown" in toot("lists", "accounts", "Friends")
    assert f"ID {post}" in toot("timelines", "list", "Friends", "--no-clear")
    toot("lists", "remove", "Friends", "bob")
    assert toot.json("lists", "accounts", "--id", result["id"]) == []
    toot("lists", "delete", "Friends")
    assert toot("lists", "list") == "You have no lists defined.\n"


def test_hashtags_are_followed_and_searched(toot, bob):
    assert toot.json("tags", "follow", "#cats")["following"]
    assert toot("tags", "followed") == f"* #cats\t{toot.site}/tags/cats/\n"
    assert "Followed" in toot("tags", "info", "cats")
    post = publish(bob, "Look at my #cats")
    assert [status["id"] for status in toot.json("timelines", "home")] == [str(post)]
    result = toot("search", "cats")
    assert "#cats" in result
    assert f"{post} {toot.site}/@bob/{post}\n" in result
    assert "@bob" in toot("search", "bo", "--type", "accounts")
    assert not toot.json("tags", "unfollow", "cats")["following"]
    assert toot("tags", "featured") == "You don't have any featured hashtags\n"
    toot("tags", "feature", "cats")
    assert "cats" in toot("tags", "featured")
    toot("tags", "unfeature", "cats")
    assert toot("tags", "featured") == "You don't have any featured hashtags\n"
