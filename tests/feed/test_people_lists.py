"""Lists of people: one's own alone, with a timeline that shows what the home timeline might."""

import pytest
from django.http import Http404
from django.urls import reverse

from accounts import user_cards
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import set_private
from feed.selectors.user_lists import list_timeline_page, owned_list, owned_lists
from feed.services.user_lists import CannotChangeList, add_to_list, choose_lists, create_list
from feed.store import user_lists
from tests.at_once import at_once
from tests.factories import follow, follow_in_bulk, people, publish, publish_many

from .reading_html import send, words
from .writing import write_posts


@pytest.fixture
def mine(alice):
    return create_list(owner=alice, title="Bakers")


def choose(owner, person, *lists):
    choose_lists(owner=owner, username=person.username, list_ids=set(lists))


def timeline(owner, list_id, **window):
    found = owned_list(owner=owner.pk, list_id=list_id)
    page = list_timeline_page(user_list=found, owner=owner.pk, limit=4, **window)
    return [one.id for one in page.posts], page


def test_a_list_shows_the_posts_of_who_is_on_it_for_ever(alice, bob, carol, mine):
    for person in (bob, carol):
        choose(alice, person, mine)
    posts = [post for _ in range(5) for one in (bob, carol) for post in publish_many(one, 1)]
    publish(alice)
    seen, (ids, page) = [], timeline(alice, mine)
    while True:
        seen += ids
        if page.older_cursor is None:
            break
        newest = ids
        ids, page = timeline(alice, mine, max_id=int(page.older_cursor))
        assert timeline(alice, mine, min_id=int(page.newer_cursor))[0] == newest
    assert seen == posts[::-1]
    choose(alice, bob)
    assert timeline(alice, mine)[0] == posts[1::2][::-1][:4]


def test_it_shows_nothing_that_its_owner_may_not_read(alice, bob, carol, mine):
    follow(alice, bob)
    for person in (bob, carol):
        choose(alice, person, mine)
    seen = publish(bob, "for followers", "followers")
    publish(carol, "for followers", "followers")
    publish(carol, "@bob psst", "direct")
    publish(carol)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    assert timeline(alice, mine)[0] == [seen]
    block_user(owner=bob.pk, other=alice.pk)
    assert timeline(alice, mine)[0] == []


def test_of_lists_of_others_nobody_learns(alice, bob, carol, mine, client):
    choose(alice, carol, mine)
    with pytest.raises(Http404):
        owned_list(owner=bob.pk, list_id=mine)
    client.force_login(bob)
    for name in ("list", "edit_list"):
        assert client.get(reverse(name, args=[mine])).status_code == 404
    client.post(reverse("edit_list", args=[mine]), {"title": "Bob's"})
    client.post(reverse("delete_list", args=[mine]))
    client.post(reverse("remove_from_list", args=[mine, carol.pk]))
    choose(bob, carol, mine)
    (found,) = owned_lists(owner=alice.pk)
    assert (found.title, found.uids) == ("Bakers", [carol.pk])
    assert owned_lists(owner=bob.pk) == []


def test_choosing_twice_or_at_once_puts_a_person_on_a_list_once(alice, bob, mine):
    at_once(*[lambda: choose(alice, bob, mine)] * 6)
    assert owned_list(owner=alice.pk, list_id=mine).uids == [bob.pk]


def test_lists_and_what_is_on_them_are_bounded(alice, monkeypatch):
    monkeypatch.setattr(user_lists, "MAX_LISTS", 3)
    monkeypatch.setattr(user_lists, "MAX_USERS", 2)
    first, *_ = [create_list(owner=alice, title=str(n)) for n in range(3)]
    with pytest.raises(CannotChangeList):
        create_list(owner=alice, title="4")
    one, two, three = people(3)
    for person in (one, two, one):
        choose(alice, person, first)
    with pytest.raises(CannotChangeList):
        choose(alice, three, first)
    assert owned_list(owner=alice.pk, list_id=first).uids == [one.pk, two.pk]


def test_where_one_of_the_lists_is_full_none_is_changed(alice, monkeypatch):
    monkeypatch.setattr(user_lists, "MAX_USERS", 1)
    one, two = people(2)
    left, roomy, full = [create_list(owner=alice, title=str(n)) for n in range(3)]
    choose(alice, one, full)
    choose(alice, two, left)
    with pytest.raises(CannotChangeList):
        choose(alice, two, roomy, full)
    kept = {found.id: found.uids for found in owned_lists(owner=alice.pk)}
    assert kept == {left: [two.pk], roomy: [], full: [one.pk]}


def test_lists_made_at_once_are_all_there(alice):
    at_once(*[lambda: create_list(owner=alice, title="x")] * 5)
    assert len(owned_lists(owner=alice.pk)) == 5


def test_who_is_apart_cannot_be_listed(alice, bob):
    block_user(owner=bob.pk, other=alice.pk)
    with pytest.raises(Http404):
        choose(alice, bob)


def test_one_makes_fills_renames_and_deletes_a_list_by_forms(alice, bob, client):
    client.force_login(alice)
    publish(bob, "fresh bread")
    page = client.get("/lists/").content.decode()
    assert "No lists yet" in words(page)
    assert "You have no lists yet" in client.get("/@bob/lists/").content.decode()
    answer = client.post("/lists/", {"title": "  Bakers \u202e "})
    (made,) = owned_lists(owner=alice.pk)
    assert answer["Location"] == f"/lists/{made.id}/edit/"
    assert made.title == "Bakers"
    assert "/@bob/lists/" in client.get("/@bob/").content.decode()
    client.post("/@bob/lists/", {"list": [str(made.id), "nonsense", "404"]})
    assert "checked" in client.get("/@bob/lists/").content.decode()
    assert "fresh bread" in client.get(f"/lists/{made.id}/").content.decode()
    client.post(f"/lists/{made.id}/edit/", {"title": "Cooks"})
    edit = client.get(f"/lists/{made.id}/edit/").content.decode()
    assert "Cooks" in edit
    send(client, edit, reverse("remove_from_list", args=[made.id, bob.pk]))
    assert "Nobody is on this list yet" in client.get(f"/lists/{made.id}/").content.decode()
    client.post(f"/lists/{made.id}/delete/")
    assert client.get(f"/lists/{made.id}/").status_code == 404


def test_nonsense_is_answered_calmly(alice, client):
    assert client.get("/lists/").status_code == 302
    client.force_login(alice)
    for title in ("", "\u200b", "x" * 61):
        answer = client.post("/lists/", {"title": title})
        assert answer.status_code == 422
    assert owned_lists(owner=alice.pk) == []
    for path in ("/lists/404/", "/lists/404/edit/", "/@nobody/lists/"):
        assert client.get(path).status_code == 404
    assert client.post("/lists/404/delete/").status_code == 302
    made = create_list(owner=alice, title="x")
    assert client.get(f"/lists/{made}/edit/?after=x").status_code == 200
    assert client.get(f"/lists/{made}/?max_id=x").status_code == 200


def test_a_list_costs_the_same_for_one_person_and_for_many(
    alice, bob, client, mine, record_commands
):
    choose(alice, bob, mine)
    publish_many(bob, 1)
    client.force_login(alice)
    costs = []
    for others in ([], people(30)):
        found = owned_list(owner=alice.pk, list_id=mine)
        if others:
            follow_in_bulk(alice, others)
        add_to_list(owner=alice, user_list=found, uids=[person.pk for person in others])
        write_posts((person, "hello") for person in others)
        client.get(f"/lists/{mine}/")
        user_cards.clear_cards()
        with record_commands() as commands:
            client.get(f"/lists/{mine}/")
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


def test_a_list_does_not_tell_when_somebody_wrote_of_whom_one_may_read_nothing(alice, bob, mine):
    choose(alice, bob, mine)
    posts = publish_many(bob, 12)
    assert timeline(alice, mine)[1].older_cursor is not None
    for change in (
        lambda: set_private(uid=bob.pk, is_private=True),
        lambda: block_user(owner=bob.pk, other=alice.pk),
    ):
        change()
        ids, page = timeline(alice, mine)
        assert (ids, page.older_cursor) == ([], None)
        assert timeline(alice, mine, min_id=posts[0])[1].newer_cursor is None
