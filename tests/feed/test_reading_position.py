"""Where the reader has stopped: remembered, counted from, gone on from."""

import pytest
from django.utils import timezone

from accounts.infra.ids import MAX_ID, first_id_at
from accounts.services.blocks_and_mutes import mute_user
from feed.services.posts import delete_post
from feed.store import home_states
from feed.store.collections import inbox_buckets
from feed.timeline import strategies
from feed.timeline.home import home_page, home_page_oldest_first
from feed.timeline.positions import advance_home_position
from feed.timeline.store import seal
from feed.timeline.strategies import STRATEGIES
from tests.factories import follow, publish, publish_many

from .post_helpers import write_posts


def bring(reader, author, count):
    """Posts that the reader has at home: a handful of commands for all of them."""
    posts = write_posts((author, f"{author.username} writes {n}") for n in range(count))
    strategies.add_older(owner=reader.pk, activities=posts[::-1], floor=0)


def first_page(reader, limit=20):
    return home_page(viewer=reader.pk, limit=limit)


@pytest.fixture(params=["buckets", "fan_out_on_read"])
def strategy(request, settings):
    settings.FEED_STRATEGY = request.param


@pytest.fixture
def readers_bob(alice, bob, strategy):
    """Alice follows Bob and has seen everything up to now."""
    follow(alice, bob)
    publish_many(bob, 3)
    first_page(alice)
    return bob


def test_the_first_visit_takes_what_is_there_for_seen(alice, readers_bob):
    page = first_page(alice)
    assert page.unread_count == 0
    assert [run.follows_new_posts for run in page.runs()] == [True]


def test_what_came_since_is_counted(alice, readers_bob):
    publish_many(readers_bob, 5)
    page = first_page(alice)
    assert (page.unread_count, page.is_unread_exact) == (5, True)


@pytest.mark.parametrize(
    ("arrived", "shown", "exact"), [(98, 98, True), (99, 99, True), (100, 99, False)]
)
def test_the_count_is_exact_up_to_99(alice, readers_bob, arrived, shown, exact):
    bring(alice, readers_bob, arrived)
    page = first_page(alice)
    assert (page.unread_count, page.is_unread_exact) == (shown, exact)


def test_only_what_the_reader_sees_is_counted(alice, readers_bob, carol):
    follow(alice, carol)
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    bring(alice, carol, 130)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    deleted = publish(readers_bob)
    publish(readers_bob)
    publish(readers_bob, "@carol psst", "direct")
    publish(alice, "my own")
    delete_post(post_id=deleted, actor=readers_bob)
    page = first_page(alice)
    assert (page.unread_count, page.is_unread_exact) == (1, True)


def test_posts_of_closed_accounts_are_not_counted(alice, readers_bob, carol):
    follow(alice, carol)
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    publish_many(carol, 3)
    carol.is_active = False
    carol.save()
    assert first_page(alice).unread_count == 0


def test_nothing_since_an_id_is_no_reason_to_call_the_timeline_empty(alice, readers_bob):
    newest = first_page(alice).posts[0].entry_id
    page = home_page(viewer=alice.pk, limit=5, since_id=newest)
    assert (page.posts, page.empty_reason) == ((), "")


def test_a_delivery_that_arrives_below_the_position_is_not_counted(alice, bob, monkeypatch):
    follow(alice, bob)
    first_page(alice)
    with monkeypatch.context() as patch:
        patch.setattr("feed.tasks.deliver_post", lambda **_: None)
        late = publish(bob, "late")
    seen = publish(bob, "in time")
    advance_home_position(viewer=alice.pk, position=seen)
    from feed import tasks

    tasks.deliver_post(post_id=late)
    page = first_page(alice)
    assert [post.entry_id for post in page.posts] == [seen, late]
    assert page.unread_count == 0


def test_the_position_goes_forward_only(alice, readers_bob):
    posts = publish_many(readers_bob, 4)
    advance_home_position(viewer=alice.pk, position=posts[2])
    advance_home_position(viewer=alice.pk, position=posts[0])
    assert first_page(alice).unread_count == 1


def test_a_position_in_the_future_is_now(alice, readers_bob):
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    position = home_states.home_state(viewer=alice.pk).position
    assert position <= first_id_at(moment=timezone.now())
    publish(readers_bob)
    assert first_page(alice).unread_count == 1


def test_reading_goes_on_where_it_stopped_the_oldest_first(alice, readers_bob):
    posts = publish_many(readers_bob, 7)
    pages, page = [], home_page_oldest_first(viewer=alice.pk, limit=3)
    while page.posts:
        pages.append([post.entry_id for post in page.posts])
        advance_home_position(viewer=alice.pk, position=page.newest_seen_id)
        page = home_page_oldest_first(viewer=alice.pk, limit=3)
    assert pages == [posts[:3], posts[3:6], posts[6:]]
    assert page.newer_cursor is None
    assert first_page(alice).unread_count == 0


def test_the_line_stands_between_what_is_new_and_what_is_seen(alice, readers_bob, bob, carol):
    follow(alice, carol)
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    new = publish(carol)
    page = first_page(alice)
    runs = [(run.posts[0].entry_id == new, run.follows_new_posts) for run in page.runs()]
    assert runs == [(True, False), (False, True)]


def test_on_a_deeper_page_the_line_stands_only_where_everything_newer_was_passed(
    alice, readers_bob
):
    publish_many(readers_bob, 6)
    first = first_page(alice, limit=4)
    assert not any(run.follows_new_posts for run in first.runs())
    second = home_page(
        viewer=alice.pk, limit=4, max_id=int(first.older_cursor), top_id=first.newest_seen_id
    )
    assert any(run.follows_new_posts for run in second.runs())
    # Reached without having come down from the top, or with something newer by now: not true.
    alone = home_page(viewer=alice.pk, limit=4, max_id=int(first.older_cursor))
    assert not any(run.follows_new_posts for run in alone.runs())
    publish(readers_bob)
    late = home_page(
        viewer=alice.pk, limit=4, max_id=int(first.older_cursor), top_id=first.newest_seen_id
    )
    assert not any(run.follows_new_posts for run in late.runs())


def test_the_line_stands_at_the_head_of_a_page_too(alice, readers_bob):
    publish_many(readers_bob, 4)
    first = first_page(alice, limit=4)
    assert not any(run.follows_new_posts for run in first.runs())
    second = home_page(
        viewer=alice.pk, limit=4, max_id=int(first.older_cursor), top_id=first.newest_seen_id
    )
    assert [run.follows_new_posts for run in second.runs()] == [True]


def test_a_large_authors_newer_post_takes_the_line_away(alice, readers_bob, settings):
    publish_many(readers_bob, 6)
    first = first_page(alice, limit=4)
    settings.FEED_PUSH_LIMIT = 0
    publish(readers_bob)
    late = home_page(
        viewer=alice.pk, limit=4, max_id=int(first.older_cursor), top_id=first.newest_seen_id
    )
    assert not any(run.follows_new_posts for run in late.runs())


def test_the_position_is_the_same_on_another_device_and_after_a_long_absence(
    alice, readers_bob, client, settings
):
    publish_many(readers_bob, 2)
    client.force_login(alice)
    page = client.get("/").context["page"]
    assert page.unread_count == 2
    client.post("/read/", {"position": page.newest_seen_id})
    STRATEGIES[settings.FEED_STRATEGY].lifecycle.drop_dormant(
        before=timezone.now() + timezone.timedelta(days=1), limit=10
    )
    client.logout()
    client.force_login(alice)
    assert client.get("/").context["page"].unread_count == 0


@pytest.mark.parametrize("position", ["", "x", "-1", "9" * 30, "1e5", "٣"])
def test_a_position_that_is_none_is_refused_calmly(alice, client, position):
    client.force_login(alice)
    response = client.post("/read/", {"position": position}, follow=True)
    assert response.status_code == 200
    assert "Please try again" in response.content.decode()
    assert home_states.home_state(viewer=alice.pk).position is None


def test_a_visitor_is_asked_to_log_in(client, alice):
    assert client.post("/read/", {"position": "5"}).status_code == 302
    for path in ("/unread/", "/quiet/"):
        assert client.get(path).status_code == 302


def test_the_home_page_tells_how_many_entries_are_kept_ready(alice, bob, monkeypatch):
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)
    follow(alice, bob)
    first_page(alice)
    publish_many(bob, 13)
    assert inbox_buckets().count_documents({}) == 1
    assert first_page(alice).inbox_size == 13
