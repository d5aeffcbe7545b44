"""Suggested users: followees of followees, with the reason."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from accounts import user_cards
from accounts.blocklists.models import InvitedUser
from accounts.infra.ids import new_id
from accounts.models import User
from accounts.selectors import suggestions
from accounts.selectors.suggestions import Reason
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import unfollow_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private
from accounts.store import edges
from feed.models import Post
from feed.selectors.people import suggested_people
from feed.services.tags import follow_tag
from feed.store.home_states import hide_suggestions
from tests.factories import follow, follow_in_bulk, follow_many, people, publish

from .query_plans import plan_of, stages
from .reading_html import words

pytestmark = pytest.mark.usefixtures("every_cache")


def suggested(viewer, limit=10):
    """Return each suggestion with its reason.

    The keys are suggested usernames. The values are ``(username of one followee who follows the suggested
    user, number of other such followees)``.
    """
    return {
        suggestion.card.username: (suggestion.followed_by.username, suggestion.other_count)
        for suggestion in suggested_people(viewer=viewer.pk, limit=limit)
        if suggestion.reason is Reason.FOLLOWED
    }


def test_users_followed_by_most_followees_come_first(alice, bob, carol):
    often, once, never = people(3, "stranger")
    follow(alice, bob, carol)
    follow(bob, often, once)
    follow(carol, often)
    follow(never, alice)
    by_name = suggested(alice)
    assert list(by_name) == ["stranger0", "stranger1"]
    assert by_name == {"stranger0": ("carol", 1), "stranger1": ("bob", 0)}


def test_pages_show_the_reason(client, alice, bob, carol):
    stranger, *friends = people(4, "stranger")
    follow(alice, bob, *friends)
    for friend in (*friends, bob):
        follow(friend, stranger)
    follow(bob, carol)
    client.force_login(alice)
    page = words(client.get("/explore/people/").content.decode())
    assert "Who to follow" in page
    assert "Followed by Bob Brown and 3 others" in page
    assert "Followed by Bob Brown" in page
    assert "Who to follow" not in client.get("/explore/people/?max_id=9").content.decode()
    column = client.get("/beside/", headers={"HX-Request": "true"}).content.decode()
    assert "Followed by Bob Brown and 3 others" in words(column)


def test_a_browser_keeps_the_sidebar_for_a_minute(client, alice):
    client.force_login(alice)
    for header in ({"HX-Request": "true"}, {}):
        answer = client.get("/beside/?after=x", headers=header)
        assert set(answer["Cache-Control"].split(", ")) == {"private", "max-age=60"}
        assert {"HX-Request", "Cookie"} <= set(answer["Vary"].split(", "))


@pytest.mark.parametrize("is_cached", [False, True], ids=["counted", "cached"])
def test_followed_requested_blocked_muted_and_inactive_users_are_left_out(alice, bob, is_cached):
    followed, requested, blocked, blocking, muted, inactive, fine = people(7, "s")
    follow(alice, bob)
    follow_many([bob], alice, followed, requested, blocked, blocking, muted, inactive, fine)
    if is_cached:
        assert len(suggested(alice)) == 7
    follow(alice, followed)
    set_private(uid=requested.pk, is_private=True)
    follow(alice, requested)
    block_user(owner=alice.pk, other=blocked.pk)
    block_user(owner=blocking.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    inactive.is_active = False
    inactive.save()
    assert suggested(alice) == {"s6": ("bob", 0)}


def reasons(viewer):
    """Return the reason of each suggestion by username."""
    cache.clear()
    suggestions = suggested_people(viewer=viewer.pk if viewer else None, limit=20)
    return {suggestion.card.username: suggestion.reason for suggestion in suggestions}


def test_the_inviter_and_the_invited_user_are_suggested_to_each_other(alice, bob, carol):
    InvitedUser.objects.create(user_id=alice.pk, inviter_id=bob.pk)
    InvitedUser.objects.create(user_id=carol.pk, inviter_id=bob.pk)
    assert reasons(alice) == {"bob": Reason.INVITED_VIEWER}
    by_viewer = Reason.INVITED_BY_VIEWER
    assert reasons(bob) == {"carol": by_viewer, "alice": by_viewer}
    assert reasons(None) == {}
    follow(alice, bob)
    assert reasons(alice) == {}


def test_new_popular_and_recommended_users_are_suggested_to_everybody(alice, bob, carol):
    dora, *_silent = people(2)
    long_ago = timezone.now() - timedelta(days=400)
    User.objects.filter(pk=carol.pk).update(date_joined=long_ago)
    User.objects.filter(pk=dora.pk).update(is_recommended=True)
    publish(bob, "Hello")
    publish(carol, "Hello")
    everybody = {"bob": Reason.NEW, "carol": Reason.ACTIVE, "p0": Reason.RECOMMENDED}
    assert reasons(None) == everybody
    assert reasons(alice) == everybody
    assert "bob" not in reasons(bob)


def test_the_first_reason_is_the_most_personal_one(alice, bob):
    follow_tag(uid=alice.pk, tag="tea")
    publish(bob, "#tea")
    User.objects.filter(pk=bob.pk).update(is_recommended=True)
    (suggestion,) = suggested_people(viewer=alice.pk, limit=20)
    assert (suggestion.reason, suggestion.tag) == (Reason.TOPIC, "tea")


@pytest.mark.parametrize("is_cached", [False, True], ids=["counted", "cached"])
def test_no_reason_suggests_a_hidden_user(alice, is_cached):
    private, limited, inactive, blocked, blocking, muted, fine = people(7, "s")
    everybody = (private, limited, inactive, blocked, blocking, muted, fine)
    User.objects.filter(pk__in=[user.pk for user in everybody[:4]]).update(is_recommended=True)
    posts = [Post(author=user, text="x", visibility="public") for user in everybody]
    Post.objects.bulk_create(posts)
    if is_cached:
        assert len(suggested_people(viewer=alice.pk, limit=20)) == 7
    set_private(uid=private.pk, is_private=True)
    set_limited(uid=limited.pk, is_limited=True)
    suspend_user(uid=inactive.pk)
    block_user(owner=alice.pk, other=blocked.pk)
    block_user(owner=blocking.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    suggestions = suggested_people(viewer=alice.pk, limit=20)
    assert [suggestion.card.username for suggestion in suggestions] == ["s6"]


def test_muted_and_unfollowed_users_are_no_reason(alice, bob, carol):
    stranger, *_ = people(1, "s")
    follow(alice, bob, carol)
    follow(bob, stranger)
    follow(carol, stranger)
    assert suggested(alice) == {"s0": ("carol", 1)}
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    assert suggested(alice) == {"s0": ("bob", 0)}
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert suggested(alice) == {}


def test_the_first_follow_brings_suggestions_at_once(alice, bob, carol):
    follow(bob, carol)
    assert suggested(alice) == {}
    follow(alice, bob)
    assert suggested(alice) == {"carol": ("bob", 0)}


def test_the_number_of_followees_does_not_change_the_cost(alice, record_commands, monkeypatch):
    monkeypatch.setattr(suggestions, "MAX_FOLLOWEES_EXAMINED", 20)
    monkeypatch.setattr(suggestions, "MAX_FOLLOWS_COUNTED", 50)

    def commands():
        cache.clear()
        user_cards.clear_cards()
        with record_commands() as recorded:
            assert suggested(alice)
        return recorded

    friends, strangers = people(30, "f"), people(30, "s")
    follow(alice, friends[0])
    follow(friends[0], strangers[0])
    few = commands()
    follow_in_bulk(alice, friends[1:])
    connection.database["follow_edges"].insert_many(
        {"_id": new_id(), "follower": friend.pk, "followee": stranger.pk, "bucket": 0}
        for friend in friends[10:]
        for stranger in strangers
    )
    many = commands()
    targets = [(name, command[name]) for name, command in many]
    assert targets == [(name, command[name]) for name, command in few]
    assert len([target for _, target in targets if target != "cache"]) <= 12
    (command,) = (
        command
        for name, command in many
        if name == "find" and "$in" in str(command.get("filter")) and "sort" in command
    )
    plan = plan_of(command)
    used_stages = {stage["stage"] for stage in stages(plan)}
    assert "SORT_MERGE" in used_stages
    assert not {"SORT", "COLLSCAN"} & used_stages
    assert plan["executionStats"]["totalDocsExamined"] <= 50
    assert len(edges.newest_edges(followers=[friend.pk for friend in friends], limit=50)) == 50


def test_the_home_page_loads_its_column_later(client, alice, bob, carol, record_commands):
    follow(alice, bob)
    follow(bob, carol)
    hide_suggestions(viewer=alice.pk)
    client.force_login(alice)
    with record_commands() as commands:
        page = client.get("/").content.decode()
    assert 'hx-get="/beside/"' in page
    assert not [name for name, command in commands if command.get(name) == "cache"]


def test_the_column_costs_the_same_for_one_suggestion_and_for_three(
    client, alice, bob, record_commands
):
    def commands():
        client.get("/beside/", headers={"HX-Request": "true"})
        cache.clear()
        user_cards.clear_cards()
        with record_commands() as recorded:
            client.get("/beside/", headers={"HX-Request": "true"})
        return [(name, command[name]) for name, command in recorded]

    strangers = people(5, "s")
    follow(alice, bob)
    follow(bob, strangers[0])
    client.force_login(alice)
    few = commands()
    follow(bob, *strangers[1:])
    assert commands() == few
