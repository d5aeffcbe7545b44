"""Exclusive lists, whose members the home timeline leaves out, and the replies policy of lists."""

import pytest
from django.test import Client

from accounts.infra.cursors import PageBounds
from accounts.services.blocks_and_mutes import mute_user, unmute_user
from accounts.services.follows import unfollow_user
from accounts.store.collections import blocks_and_mutes
from feed.selectors.user_lists import owned_list
from feed.services.tags import follow_tag
from feed.services.user_lists import (
    add_to_list,
    choose_lists,
    create_list,
    delete_list,
    remove_from_list,
    update_list,
)
from feed.timeline.home import count_new_posts, home_page, new_posts_at_home
from tests.actions import add_comment, share_post
from tests.api.api_client import Api
from tests.at_once import at_once
from tests.factories import follow, follow_in_bulk, people, publish, publish_many

from .reading_html import send, words


def home(viewer, **window):
    page = home_page(viewer=viewer.pk, bounds=PageBounds(limit=20, **window))
    return [post.entry_id for post in page.posts]


def hidden_uids(owner):
    rows = blocks_and_mutes().find({"owner": owner.pk, "kind": "hide_from_home"})
    return sorted(row["other"] for row in rows)


def exclusive_list(owner, *members, title="Quiet"):
    list_id = create_list(owner=owner, title=title, is_exclusive=True)
    user_list = owned_list(owner=owner.pk, list_id=list_id)
    add_to_list(owner=owner, user_list=user_list, uids=[user.pk for user in members])
    return list_id


def test_unfollowing_ends_the_membership_in_lists(alice, bob, carol):
    follow(alice, bob, carol)
    lists = [exclusive_list(alice, bob, carol), create_list(owner=alice, title="Others")]
    choose_lists(owner=alice, username=bob.username, list_ids=set(lists))
    unfollow_user(follower=alice.pk, followee=bob.pk)
    members = [owned_list(owner=alice.pk, list_id=list_id).uids for list_id in lists]
    assert members == [[carol.pk], []]
    assert hidden_uids(alice) == [carol.pk]
    unfollow_user(follower=bob.pk, followee=alice.pk)
    follow(alice, bob)
    assert hidden_uids(alice) == [carol.pk]


@pytest.fixture
def posts(alice, bob, carol):
    """The ids of a post by bob and a post by carol, whom alice follows."""
    follow(alice, bob, carol)
    return publish(bob), publish(carol)


# --- Home ----------------------------------------------------------------------------------------
def test_home_leaves_out_members_of_exclusive_lists(alice, bob, carol, posts):
    bobs, carols = posts
    list_id = exclusive_list(alice, bob)
    assert home(alice) == [carols]
    assert home(alice, min_id=1) == [carols]
    assert new_posts_at_home(viewer=alice.pk, post_ids=posts)[0].id == carols
    assert count_new_posts(viewer=alice.pk, since_id=bobs - 1, limit=9) == 1
    assert Api(alice).get("timelines/home").json()[0]["id"] == str(carols)
    assert [row["id"] for row in Api(alice).get(f"timelines/list/{list_id}").json()] == [str(bobs)]
    assert home(carol) == [carols]


def test_every_change_of_a_list_takes_effect_at_once(alice, bob, carol, posts):
    bobs, carols = posts
    list_id = create_list(owner=alice, title="Bakers")
    user_list = owned_list(owner=alice.pk, list_id=list_id)
    add_to_list(owner=alice, user_list=user_list, uids=[bob.pk])
    assert home(alice) == [carols, bobs]
    update_list(owner=alice, list_id=list_id, is_exclusive=True)
    assert home(alice) == [carols]
    choose_lists(owner=alice, username="carol", list_ids={list_id})
    assert home(alice) == []
    update_list(owner=alice, list_id=list_id, title="Cooks")
    assert home(alice) == []
    remove_from_list(owner=alice, list_id=list_id, uids=[bob.pk])
    assert home(alice) == [bobs]
    choose_lists(owner=alice, username="bob", list_ids={list_id})
    update_list(owner=alice, list_id=list_id, is_exclusive=False)
    assert home(alice) == [carols, bobs]
    update_list(owner=alice, list_id=list_id, is_exclusive=True)
    assert home(alice) == []
    delete_list(owner=alice, list_id=list_id)
    assert home(alice) == [carols, bobs]
    assert hidden_uids(alice) == []


def test_a_member_of_two_exclusive_lists_stays_hidden_until_both_let_go(alice, bob, posts):
    bobs, carols = posts
    first, second = exclusive_list(alice, bob), exclusive_list(alice, bob, title="Other")
    delete_list(owner=alice, list_id=first)
    assert home(alice) == [carols]
    remove_from_list(owner=alice, list_id=second, uids=[bob.pk])
    assert home(alice) == [carols, bobs]


def test_mutes_do_not_change_who_is_hidden(alice, bob, posts):
    _bobs, carols = posts
    list_id = exclusive_list(alice, bob)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    unmute_user(owner=alice.pk, other=bob.pk)
    assert home(alice) == [carols]
    delete_list(owner=alice, list_id=list_id)
    assert len(home(alice)) == 2


def test_shares_by_others_and_own_posts_stay_in_home(alice, bob, carol, posts):
    bobs, carols = posts
    exclusive_list(alice, bob, alice)
    share = share_post(post_id=bobs, actor=carol)
    own = publish(alice)
    assert home(alice) == [own, share, carols]


def test_followed_hashtags_bring_no_members_back(alice, bob, posts):
    exclusive_list(alice, bob)
    follow_tag(uid=alice.pk, tag="tea")
    publish(bob, "#tea")
    assert home(alice) == [posts[1]]


def test_pages_below_the_inbox_leave_out_members(alice, bob, carol, settings):
    settings.FEED_STRATEGY = "fan_out_on_read"
    follow(alice, bob, carol)
    (carols,) = publish_many(carol, 1)
    publish_many(bob, 30)
    exclusive_list(alice, bob)
    assert home(alice) == [carols]


def test_home_costs_the_same_with_exclusive_lists(alice, bob, posts, client, record_commands):
    users = people(20)
    follow_in_bulk(alice, users)
    client.force_login(alice)
    costs = []
    for members in ((), (bob, *users)):
        if members:
            exclusive_list(alice, *members)
        client.get("/")
        with record_commands() as commands:
            assert client.get("/").status_code == 200
        costs.append([name for name, _command in commands])
    assert costs[0] == costs[1]


def test_concurrent_changes_leave_home_equal_to_the_lists(alice, bob, posts):
    list_id = exclusive_list(alice, title="One")
    user_list = owned_list(owner=alice.pk, list_id=list_id)
    at_once(
        *(lambda: add_to_list(owner=alice, user_list=user_list, uids=[bob.pk]) for _n in range(3)),
        lambda: remove_from_list(owner=alice, list_id=list_id, uids=[bob.pk]),
        lambda: update_list(owner=alice, list_id=list_id, is_exclusive=False),
        lambda: update_list(owner=alice, list_id=list_id, is_exclusive=True),
    )
    now = owned_list(owner=alice.pk, list_id=list_id)
    assert hidden_uids(alice) == (now.uids if now.is_exclusive else [])


# --- Replies policy ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("policy", "shown"),
    [
        ("followed", {"alice", "bob", "carol"}),
        ("list", {"alice", "bob"}),
        ("none", set()),
    ],
)
def test_a_list_shows_comments_by_members_as_its_policy_says(
    alice, bob, carol, settings, policy, shown
):
    """bob is on the list, alice follows carol, and nobody follows dave."""
    settings.FEED_HOME_KINDS = ["note", "comment"]
    (dave,) = people(1, prefix="dave")
    follow(alice, bob, carol)
    list_id = create_list(owner=alice, title="Bakers", replies_policy=policy)
    choose_lists(owner=alice, username="bob", list_ids={list_id})
    authors = {publish(user): user.username for user in (alice, bob, carol, dave)}
    for post in authors:
        add_comment(post_id=post, actor=bob, text="Nice")
    client = Client()
    client.force_login(alice)
    page = client.get(f"/lists/{list_id}/").context["page"]
    commented = [post for post in page.posts if post.entry_id != post.id]
    assert {authors[post.id] for post in commented} == shown
    assert "bob" in {post.author.username for post in page.posts if post not in commented}
    edit = client.get(f"/lists/{list_id}/edit/").content.decode()
    assert "Comments by members" in edit
    assert f'value="{policy}" selected' in edit


def test_sites_without_such_posts_do_not_offer_the_policy(alice, client, settings):
    settings.FEED_HOME_KINDS = ["note"]
    client.force_login(alice)
    list_id = create_list(owner=alice, title="Bakers", replies_policy="none")
    path = f"/lists/{list_id}/edit/"
    assert "commented on" not in client.get(path).content.decode()
    client.post(path, {"title": "Bakers", "is_exclusive": "on"})
    user_list = owned_list(owner=alice.pk, list_id=list_id)
    assert (user_list.is_exclusive, user_list.replies_policy) == (True, "none")


# --- The page of a list --------------------------------------------------------------------------
def test_people_are_found_added_and_removed_on_the_page_of_a_list(alice, bob, carol, client):
    follow(alice, bob)
    list_id = create_list(owner=alice, title="Bakers")
    client.force_login(alice)
    path = f"/lists/{list_id}/edit/"
    assert "Nobody you follow matches “carol”." in words(
        client.get(path, {"q": "carol"}).content.decode()
    )
    page = client.get(path, {"q": "bro"}).content.decode()
    add, remove = f"/lists/{list_id}/add/{bob.pk}/", f"/lists/{list_id}/remove/{bob.pk}/"
    assert "Add Bob Brown" in words(page)
    for _click in range(2):
        assert send(client, page, add)["Location"] == f"{path}?q=bro"
    assert owned_list(owner=alice.pk, list_id=list_id).uids == [bob.pk]
    page = client.get(path, {"q": "bro"}).content.decode()
    assert add not in page
    assert page.count(remove) == 2
    assert send(client, page, remove)["Location"] == f"{path}?q=bro"
    assert owned_list(owner=alice.pk, list_id=list_id).uids == []


def test_only_followed_people_are_added(alice, bob, carol, client):
    list_id = create_list(owner=alice, title="Bakers")
    client.force_login(alice)
    response = client.post(f"/lists/{list_id}/add/{bob.pk}/", follow=True)
    assert "You can add only people you follow." in response.content.decode()
    assert client.post(f"/lists/{list_id}/add/404/").status_code == 404
    client.force_login(bob)
    assert client.post(f"/lists/{list_id}/add/{carol.pk}/").status_code == 404
    assert owned_list(owner=alice.pk, list_id=list_id).uids == []
    client.force_login(alice)
    assert client.get(f"/lists/{list_id}/edit/", {"q": "x" * 101}).status_code == 200


def test_apps_change_the_properties_of_a_list(alice, bob, posts):
    api = Api(alice)
    new_list = api.post("lists", title="Bakers").json()
    assert (new_list["exclusive"], new_list["replies_policy"]) == (False, "list")
    path = f"lists/{new_list['id']}"
    api.post(f"{path}/accounts", account_ids=[str(bob.pk)])
    changed = api.put(path, exclusive=True, replies_policy="followed").json()
    assert changed == new_list | {"exclusive": True, "replies_policy": "followed"}
    assert api.put(path, title="Cooks").json() == changed | {"title": "Cooks"}
    assert home(alice) == [posts[1]]
    assert api.put(path, replies_policy="some").status_code == 422
    api.delete(f"{path}/accounts", account_ids=[str(bob.pk)])
    assert len(home(alice)) == 2
    quiet = api.post("lists", title="Quiet", exclusive=True, replies_policy="none").json()
    assert (quiet["exclusive"], quiet["replies_policy"]) == (True, "none")
