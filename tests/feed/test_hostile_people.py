"""What people could do to others, or a process that dies to a post, and does not work."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.selectors.follow_graph import has_follow_request, is_following
from accounts.services.blocks_and_mutes import block_user
from accounts.services.follows import follow_user
from accounts.services.profiles import set_private
from accounts.store import relationship_kinds
from feed import tasks
from feed.store.collections import posts
from feed.timeline import strategies
from feed.timeline.home import home_page
from feed.timeline.store import deliveries
from tests.factories import follow, publish, publish_many
from tests.feed.audiences import document, make_audience, state
from tests.feed.workers import work

LONG_AGO = timezone.now() - timedelta(days=1)


def test_direct_posts_of_somebody_not_followed_crowd_nothing_out(alice, bob, carol, monkeypatch):
    monkeypatch.setattr("feed.timeline.candidates.MAX_EXAMINED", 10)
    follow(bob, alice)
    home_page(viewer=bob.pk, limit=5)
    wanted = publish(alice)
    for n in range(12):
        publish(carol, f"@bob {n}", "direct")
    block_user(owner=bob.pk, other=carol.pk)
    page = home_page(viewer=bob.pk, limit=5)
    assert [post.entry_id for post in page.posts] == [wanted]
    assert page.inbox_size == 1


def test_who_follows_later_has_the_direct_posts_for_them_at_home(alice, bob):
    home_page(viewer=bob.pk, limit=5)
    post = publish(alice, "@bob psst", "direct")
    follow(bob, alice)
    assert [post.entry_id for post in home_page(viewer=bob.pk, limit=5).posts] == [post]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_no_cursor_tells_when_a_private_account_has_posted(client, alice, bob, settings, headers):
    settings.FEED_PAGE_SIZE = 3
    ids = publish_many(alice, 10)
    set_private(uid=alice.pk, is_private=True)
    for viewer in (None, bob):
        if viewer:
            client.force_login(viewer)
        for query in (f"max_id={2**62}", "min_id=1", "since_id=1"):
            text = client.get(f"/@alice/?{query}", headers=headers).content.decode()
            assert not [id_ for id_ in ids if str(id_) in text]


def test_no_cursor_tells_when_posts_for_followers_were_written(client, alice, bob, settings):
    settings.FEED_PAGE_SIZE = 3
    ids = [publish(alice, visibility="followers") for _ in range(10)]
    client.force_login(bob)
    text = client.get(f"/@alice/?max_id={2**62}", headers={"HX-Request": "true"}).content.decode()
    assert not [id_ for id_ in ids if str(id_) in text]


def test_who_is_mentioned_by_an_edit_gets_a_direct_post_whatever_happens(
    client, alice, bob, carol, monkeypatch, asked
):
    follow(bob, alice)
    follow(carol, alice)
    home_page(viewer=carol.pk, limit=5)
    post = publish(alice, "psst @bob", "direct")

    def fail(**_):
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr(strategies, "deliver", fail)
        client.force_login(alice)
        edited = client.post(f"/posts/{post}/edit/", {"text": "psst @bob @carol"})
    assert edited.status_code == 302
    assert document(post)["delivery_state"] == "pending"
    posts().update_one({"_id": post}, {"$set": {"delivery_due_at": LONG_AGO}})
    tasks.sweep()
    work(asked)
    assert [post.entry_id for post in home_page(viewer=carol.pk, limit=5).posts] == [post]
    assert document(post)["delivery_state"] == "done"


def test_a_worker_killed_before_it_notes_the_end_does_not_leave_a_delivery_open(
    alice, settings, asked, monkeypatch
):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 0
    settings.FEED_DELIVERY_PARTS = 2
    make_audience(alice, 20, per_bucket=10)
    post = publish(alice)
    with monkeypatch.context() as killed:
        killed.setattr(deliveries, "finish_if_complete", lambda **_: False)
        work(asked)
    assert state(post)[0] == "pending"
    posts().update_one({"_id": post}, {"$set": {"delivery_due_at": LONG_AGO}})
    tasks.sweep()
    assert state(post)[0] == "done"


def test_who_follows_in_the_moment_the_account_goes_private_has_to_ask(alice, bob, monkeypatch):
    real = relationship_kinds.find_before_follow

    def slowly(**pair):
        result = real(**pair)
        set_private(uid=alice.pk, is_private=True)
        return result

    monkeypatch.setattr(relationship_kinds, "find_before_follow", slowly)
    assert not follow_user(follower=bob.pk, followee=alice.pk)
    assert not is_following(follower=bob.pk, followee=alice.pk)
    assert has_follow_request(follower=bob.pk, followee=alice.pk)


def test_a_post_shows_that_one_has_asked_to_follow_its_author(client, alice, bob):
    set_private(uid=alice.pk, is_private=True)
    follow_user(follower=bob.pk, followee=alice.pk)
    post = publish(alice, "hi @bob", "direct")
    client.force_login(bob)
    assert "/@alice/unfollow/" in client.get(f"/@alice/{post}/").content.decode()


@pytest.mark.parametrize("term", ["9" * 19, "9" * 4400, "a\x00b", "(", "@" + "x" * 100, "²"])
def test_the_admin_searches_calmly_for_anything(client, admin_user, term):
    client.force_login(admin_user)
    for model in ("feed/post", "feed/delivery", "accounts/user"):
        assert client.get(f"/admin/{model}/", {"q": term}).status_code in (200, 302)
