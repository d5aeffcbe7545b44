"""Timelines, notifications and the full-screen view with ``toot``."""

import pytest

from tests.actions import add_comment, like_post, share_post
from tests.api.clients.command_line import Toot
from tests.factories import follow, publish


@pytest.fixture
def toot(site, alice, tmp_path):
    return Toot(home=tmp_path, site=site, user=alice)


def ids(result):
    return [int(status["id"]) for status in result]


def in_order(shown, posts):
    places = [shown.index(f"ID {post} ") for post in posts]
    return places == sorted(places)


def test_timelines_are_paged_in_both_directions(toot, alice, bob):
    follow(alice, bob)
    posts = [publish(bob, f"#cats {number}") for number in range(5)][::-1]
    for arguments in (("home",), ("public",), ("tag", "cats"), ("account", "bob")):
        shown = toot("timelines", *arguments, "--limit", 2)
        assert in_order(shown, posts), arguments
    home_command = ("timelines", "home", "--limit", 2)
    assert ids(toot.json(*home_command, "--max-id", posts[1])) == posts[2:4]
    assert ids(toot.json(*home_command, "--max-id", posts[4])) == []
    assert ids(toot.json(*home_command, "--min-id", posts[4])) == posts[2:4]
    assert ids(toot.json(*home_command, "--since-id", posts[4])) == posts[:2]
    # Anonymous visitors can read the public timeline.
    assert in_order(toot("timelines", "public", "-i", toot.site), posts)


def test_a_timeline_in_a_terminal_continues_after_confirmation(toot, alice, bob):
    for number in range(3):
        publish(bob, f"Number {number}")
    shown = toot.at_terminal(
        *("timeline", "--public", "--count", "2"),
        keys=[("Number 2", ""), ("Continue?", "y\n"), ("Number 0", ""), ("Continue?", "y\n")],
    )
    assert "That's all folks." in shown


def test_notifications_are_listed_and_cleared(toot, alice, bob, carol):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=carol)
    add_comment(post_id=post, actor=bob, text="Nice")
    follow(bob, alice)
    shown = toot("notifications")
    for result in (
        "Bob Brown @bob now follows you",
        "Bob Brown @bob mentioned you",
        "Carol Clark @carol boosted your status",
        "Bob Brown @bob favourited your status",
    ):
        assert result in shown
    some = toot.json("notifications", "--type", "follow", "--type", "reblog", "-t", "admin.report")
    assert [status["type"] for status in some] == ["follow", "reblog"]
    rest = toot.json("notifications", "-e", "follow", "-e", "reblog")
    assert [status["type"] for status in rest] == ["mention", "favourite"]
    assert "cleared" in toot("notifications", "--clear")
    assert toot("notifications") == "You have no notifications\n"


def test_the_full_screen_view_shows_the_home_timeline(toot, alice, bob):
    follow(alice, bob)
    publish(bob, "Something to read")
    keys = [("press Enter to continue", "\n"), ("Something to read", "q")]
    assert f"alice@{toot.domain}" in toot.at_terminal("tui", keys=keys)
