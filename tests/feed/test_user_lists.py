"""User lists: private to their owner, with a timeline of posts that the owner may read."""

import pytest
from django.http import Http404
from django.urls import reverse

from accounts import user_cards
from accounts.infra.cursors import PageBounds
from accounts.infra.refusals import Refused
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import set_private
from feed.selectors.new_posts import new_posts_on_list
from feed.selectors.user_lists import list_timeline_page, owned_list, owned_lists
from feed.services.user_lists import add_to_list, choose_lists, create_list
from feed.store import user_lists
from tests.actions import share_post
from tests.at_once import at_once
from tests.factories import follow, follow_in_bulk, people, publish, publish_many

from .post_helpers import write_posts
from .reading_html import send, words


@pytest.fixture
def bakers(alice):
    return create_list(owner=alice, title="Bakers")


def choose(owner, user, *list_ids):
    choose_lists(owner=owner, username=user.username, list_ids=set(list_ids))


def timeline(owner, list_id, **window):
    user_list = owned_list(owner=owner.pk, list_id=list_id)
    page = list_timeline_page(
        user_list=user_list, owner=owner.pk, bounds=PageBounds(limit=4, **window)
    )
    return [post.id for post in page.posts], page


def test_the_timeline_pages_through_all_posts_of_its_members(alice, bob, carol, bakers):
    for user in (bob, carol):
        choose(alice, user, bakers)
    posts = [post for _ in range(5) for author in (bob, carol) for post in publish_many(author, 1)]
    publish(alice)
    shown_ids, (ids, page) = [], timeline(alice, bakers)
    while True:
        shown_ids += ids
        if page.older_cursor is None:
            break
        newest = ids
        ids, page = timeline(alice, bakers, max_id=int(page.older_cursor))
        assert timeline(alice, bakers, min_id=int(page.newer_cursor))[0] == newest
    assert shown_ids == posts[::-1]
    choose(alice, bob)
    assert timeline(alice, bakers)[0] == posts[1::2][::-1][:4]


def test_the_timeline_shows_only_posts_visible_to_the_owner(alice, bob, carol, bakers):
    follow(alice, bob)
    for user in (bob, carol):
        choose(alice, user, bakers)
    visible_post = publish(bob, "for followers", "followers")
    publish(carol, "for followers", "followers")
    publish(carol, "@bob psst", "direct")
    publish(carol)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    assert timeline(alice, bakers)[0] == [visible_post]
    block_user(owner=bob.pk, other=alice.pk)
    assert timeline(alice, bakers)[0] == []


def test_other_users_cannot_see_or_change_a_list(alice, bob, carol, bakers, client):
    choose(alice, carol, bakers)
    with pytest.raises(Http404):
        owned_list(owner=bob.pk, list_id=bakers)
    client.force_login(bob)
    for name in ("list", "edit_list"):
        assert client.get(reverse(name, args=[bakers])).status_code == 404
    client.post(reverse("edit_list", args=[bakers]), {"title": "Bob's"})
    client.post(reverse("delete_list", args=[bakers]))
    client.post(reverse("remove_from_list", args=[bakers, carol.pk]))
    choose(bob, carol, bakers)
    (user_list,) = owned_lists(owner=alice.pk)
    assert (user_list.title, user_list.uids) == ("Bakers", [carol.pk])
    assert owned_lists(owner=bob.pk) == []


def test_concurrent_additions_list_a_user_once(alice, bob, bakers):
    at_once(*[lambda: choose(alice, bob, bakers)] * 6)
    assert owned_list(owner=alice.pk, list_id=bakers).uids == [bob.pk]


def test_the_number_of_lists_and_members_is_limited(alice, monkeypatch):
    monkeypatch.setattr(user_lists, "MAX_LISTS", 3)
    monkeypatch.setattr(user_lists, "MAX_USERS", 2)
    first, *_ = [create_list(owner=alice, title=str(n)) for n in range(3)]
    with pytest.raises(Refused, match="You can have up to 3 lists"):
        create_list(owner=alice, title="4")
    user, other_user, third_user = people(3)
    for listed_user in (user, other_user, user):
        choose(alice, listed_user, first)
    with pytest.raises(Refused, match="is full"):
        choose(alice, third_user, first)
    assert owned_list(owner=alice.pk, list_id=first).uids == [user.pk, other_user.pk]


def test_no_list_changes_if_one_of_them_is_full(alice, monkeypatch):
    monkeypatch.setattr(user_lists, "MAX_USERS", 1)
    user, other_user = people(2)
    current, empty, full = [create_list(owner=alice, title=str(n)) for n in range(3)]
    choose(alice, user, full)
    choose(alice, other_user, current)
    with pytest.raises(Refused, match="is full"):
        choose(alice, other_user, empty, full)
    uids_by_list = {user_list.id: user_list.uids for user_list in owned_lists(owner=alice.pk)}
    assert uids_by_list == {current: [other_user.pk], empty: [], full: [user.pk]}


def test_lists_can_be_created_concurrently(alice):
    at_once(*[lambda: create_list(owner=alice, title="x")] * 5)
    assert len(owned_lists(owner=alice.pk)) == 5


def test_blocked_users_cannot_be_listed(alice, bob):
    block_user(owner=bob.pk, other=alice.pk)
    with pytest.raises(Http404):
        choose(alice, bob)


def test_forms_create_fill_rename_and_delete_a_list(alice, bob, client):
    client.force_login(alice)
    publish(bob, "fresh bread")
    page = client.get("/lists/").content.decode()
    assert "No lists yet" in words(page)
    assert "You have no lists yet" in client.get("/@bob/lists/").content.decode()
    response = client.post("/lists/", {"title": "  Bakers \u202e "})
    (user_list,) = owned_lists(owner=alice.pk)
    assert response["Location"] == f"/lists/{user_list.id}/edit/"
    assert user_list.title == "Bakers"
    assert "/@bob/lists/" in client.get("/@bob/").content.decode()
    client.post("/@bob/lists/", {"list": [str(user_list.id), "nonsense", "404"]})
    assert "checked" in client.get("/@bob/lists/").content.decode()
    assert "fresh bread" in client.get(f"/lists/{user_list.id}/").content.decode()
    client.post(f"/lists/{user_list.id}/edit/", {"title": "Cooks"})
    edit = client.get(f"/lists/{user_list.id}/edit/").content.decode()
    assert "Cooks" in edit
    send(client, edit, reverse("remove_from_list", args=[user_list.id, bob.pk]))
    assert "Nobody is on this list yet" in client.get(f"/lists/{user_list.id}/").content.decode()
    client.post(f"/lists/{user_list.id}/delete/")
    assert client.get(f"/lists/{user_list.id}/").status_code == 404


def test_invalid_input_is_refused(alice, client):
    assert client.get("/lists/").status_code == 302
    client.force_login(alice)
    for title in ("", "\u200b", "x" * 61):
        response = client.post("/lists/", {"title": title})
        assert response.status_code == 422
    assert owned_lists(owner=alice.pk) == []
    for path in ("/lists/404/", "/lists/404/edit/", "/@nobody/lists/"):
        assert client.get(path).status_code == 404
    assert client.post("/lists/404/delete/").status_code == 302
    list_id = create_list(owner=alice, title="x")
    assert client.get(f"/lists/{list_id}/edit/?after=x").status_code == 200
    assert client.get(f"/lists/{list_id}/?max_id=x").status_code == 200


def test_a_list_costs_the_same_for_any_number_of_members(
    alice, bob, client, bakers, record_commands
):
    choose(alice, bob, bakers)
    publish_many(bob, 1)
    client.force_login(alice)
    costs = []
    for others in ([], people(30)):
        user_list = owned_list(owner=alice.pk, list_id=bakers)
        if others:
            follow_in_bulk(alice, others)
        add_to_list(owner=alice, user_list=user_list, uids=[user.pk for user in others])
        write_posts((user, "hello") for user in others)
        client.get(f"/lists/{bakers}/")
        user_cards.clear_cards()
        with record_commands() as commands:
            client.get(f"/lists/{bakers}/")
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


def test_cursors_do_not_reveal_unreadable_posts(alice, bob, bakers):
    choose(alice, bob, bakers)
    posts = publish_many(bob, 12)
    assert timeline(alice, bakers)[1].older_cursor is not None
    for change in (
        lambda: set_private(uid=bob.pk, is_private=True),
        lambda: block_user(owner=bob.pk, other=alice.pk),
    ):
        change()
        ids, page = timeline(alice, bakers)
        assert (ids, page.older_cursor) == ([], None)
        assert timeline(alice, bakers, min_id=posts[0])[1].newer_cursor is None


def test_a_stream_of_a_list_applies_the_rules_of_its_page(alice, bob, carol, bakers):
    follow(alice, bob)
    follow(alice, carol)
    for user in (bob, carol):
        choose(alice, user, bakers)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    (stranger,) = people(1)
    entries = [
        share_post(post_id=publish(stranger), actor=bob),
        share_post(post_id=publish(stranger), actor=carol),
        share_post(post_id=publish(bob), actor=carol),
        publish(bob),
        publish(carol, "@alice psst", "direct"),
        publish(carol, "@bob psst", "direct"),
        publish(carol, "for followers", "followers"),
    ]
    user_list = owned_list(owner=alice.pk, list_id=bakers)
    page = list_timeline_page(user_list=user_list, owner=alice.pk, bounds=PageBounds(limit=20))
    streamed = new_posts_on_list(owner=alice.pk, user_list=user_list, post_ids=entries)
    assert [post.entry_id for post in streamed] == [entries[n] for n in (1, 4, 6)]
    assert [post.entry_id for post in page.posts[::-1]] == [post.entry_id for post in streamed]
