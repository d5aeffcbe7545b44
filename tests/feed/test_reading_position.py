"""The reading position of the home timeline: storage, unread counts and continued reading."""

import pytest
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID, first_id_at
from accounts.services.blocks_and_mutes import mute_user
from accounts.services.follow_settings import hide_shares, set_languages
from accounts.services.profiles import set_private
from feed.services.filters import add_phrase_filter, set_home_kinds
from feed.services.posts import delete_post
from feed.services.tags import follow_tag
from feed.store import home_states
from feed.timeline import strategies
from feed.timeline.home import advance_home_position, home_page, home_page_oldest_first
from feed.timeline.strategies import STRATEGIES
from tests.actions import publish_post, share_post
from tests.factories import UserFactory, follow, publish, publish_many

from .post_helpers import write_posts


def insert_posts(reader, author, count):
    """Insert posts into the viewer's inbox with a few commands."""
    posts = write_posts((author, f"{author.username} writes {n}") for n in range(count))
    strategies.add_older(owner=reader.pk, activities=posts[::-1], floor=0)


def first_page(reader, limit=20):
    return home_page(viewer=reader.pk, bounds=PageBounds(limit=limit))


@pytest.fixture(params=["buckets", "fan_out_on_read"])
def strategy(request, settings):
    settings.FEED_STRATEGY = request.param


@pytest.fixture
def followed_bob(alice, bob, strategy):
    """Let alice follow bob and read all his posts."""
    follow(alice, bob)
    publish_many(bob, 3)
    first_page(alice)
    return bob


def test_existing_posts_count_as_seen_on_the_first_visit(alice, followed_bob):
    page = first_page(alice)
    assert page.unread_count == 0
    assert [run.follows_new_posts for run in page.runs()] == [True]


def test_posts_since_the_last_visit_are_counted(alice, followed_bob):
    publish_many(followed_bob, 5)
    page = first_page(alice)
    assert (page.unread_count, page.is_unread_exact) == (5, True)


@pytest.mark.parametrize(
    ("arrived", "shown", "exact"), [(98, 98, True), (99, 99, True), (100, 99, False)]
)
def test_the_count_is_exact_up_to_99(alice, followed_bob, arrived, shown, exact):
    insert_posts(alice, followed_bob, arrived)
    page = first_page(alice)
    assert (page.unread_count, page.is_unread_exact) == (shown, exact)


def test_only_visible_posts_are_counted(alice, followed_bob, carol):
    follow(alice, carol)
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    insert_posts(alice, carol, 130)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    deleted = publish(followed_bob)
    publish(followed_bob)
    publish(followed_bob, "@carol psst", "direct")
    publish(alice, "my own")
    delete_post(post_id=deleted, actor=followed_bob)
    page = first_page(alice)
    assert (page.unread_count, page.is_unread_exact) == (1, True)


def test_posts_of_deactivated_users_are_not_counted(alice, followed_bob, carol):
    follow(alice, carol)
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    publish_many(carol, 3)
    carol.is_active = False
    carol.save()
    assert first_page(alice).unread_count == 0


def test_a_page_without_newer_posts_is_not_an_empty_timeline(alice, followed_bob):
    newest = first_page(alice).posts[0].entry_id
    page = home_page(viewer=alice.pk, bounds=PageBounds(limit=5, since_id=newest))
    assert (page.posts, page.empty_reason) == ((), "")


def test_a_late_delivery_below_the_position_is_not_counted(alice, bob, monkeypatch):
    follow(alice, bob)
    first_page(alice)
    with monkeypatch.context() as patch:
        patch.setattr("feed.timeline.delivery.deliver_post", lambda **_: None)
        late = publish(bob, "late")
    seen = publish(bob, "in time")
    advance_home_position(viewer=alice.pk, position=seen)
    from feed import tasks

    tasks.deliver_post(post_id=late)
    page = first_page(alice)
    assert [post.entry_id for post in page.posts] == [seen, late]
    assert page.unread_count == 0


def test_the_position_never_moves_back(alice, followed_bob):
    posts = publish_many(followed_bob, 4)
    advance_home_position(viewer=alice.pk, position=posts[2])
    advance_home_position(viewer=alice.pk, position=posts[0])
    assert first_page(alice).unread_count == 1


def test_a_position_in_the_future_is_limited_to_now(alice, followed_bob):
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    position = home_states.home_state(viewer=alice.pk).position
    assert position <= first_id_at(moment=timezone.now())
    publish(followed_bob)
    assert first_page(alice).unread_count == 1


def test_reading_oldest_first_continues_at_the_position(alice, followed_bob):
    posts = publish_many(followed_bob, 7)
    pages, page = [], home_page_oldest_first(viewer=alice.pk, limit=3)
    while page.posts:
        pages.append([post.entry_id for post in page.posts])
        advance_home_position(viewer=alice.pk, position=page.newest_seen_id)
        page = home_page_oldest_first(viewer=alice.pk, limit=3)
    assert pages == [posts[:3], posts[3:6], posts[6:]]
    assert page.newer_cursor is None
    assert first_page(alice).unread_count == 0


def test_the_line_separates_new_from_seen_posts(alice, followed_bob, bob, carol):
    follow(alice, carol)
    advance_home_position(viewer=alice.pk, position=MAX_ID)
    new = publish(carol)
    page = first_page(alice)
    runs = [(run.posts[0].entry_id == new, run.follows_new_posts) for run in page.runs()]
    assert runs == [(True, False), (False, True)]


def test_a_deeper_page_shows_the_line_only_after_all_newer_pages(alice, followed_bob):
    publish_many(followed_bob, 6)
    first = first_page(alice, limit=4)
    assert not any(run.follows_new_posts for run in first.runs())
    second = home_page(
        viewer=alice.pk,
        bounds=PageBounds(limit=4, max_id=int(first.older_cursor)),
        top_id=first.newest_seen_id,
    )
    assert any(run.follows_new_posts for run in second.runs())
    # The line below the new posts is missing if the viewer skipped pages or newer posts have arrived.
    alone = home_page(viewer=alice.pk, bounds=PageBounds(limit=4, max_id=int(first.older_cursor)))
    assert not any(run.follows_new_posts for run in alone.runs())
    publish(followed_bob)
    late = home_page(
        viewer=alice.pk,
        bounds=PageBounds(limit=4, max_id=int(first.older_cursor)),
        top_id=first.newest_seen_id,
    )
    assert not any(run.follows_new_posts for run in late.runs())


def test_the_line_can_be_at_the_top_of_a_page(alice, followed_bob):
    publish_many(followed_bob, 4)
    first = first_page(alice, limit=4)
    assert not any(run.follows_new_posts for run in first.runs())
    second = home_page(
        viewer=alice.pk,
        bounds=PageBounds(limit=4, max_id=int(first.older_cursor)),
        top_id=first.newest_seen_id,
    )
    assert [run.follows_new_posts for run in second.runs()] == [True]


def test_a_newer_post_of_a_large_author_removes_the_line(alice, followed_bob, settings):
    publish_many(followed_bob, 6)
    first = first_page(alice, limit=4)
    settings.FEED_PUSH_LIMIT = 0
    publish(followed_bob)
    late = home_page(
        viewer=alice.pk,
        bounds=PageBounds(limit=4, max_id=int(first.older_cursor)),
        top_id=first.newest_seen_id,
    )
    assert not any(run.follows_new_posts for run in late.runs())


@pytest.mark.parametrize("reason", ["filter", "kind", "shares", "language", "private"])
def test_newer_posts_that_home_hides_do_not_remove_the_line(alice, carol, followed_bob, reason):
    follow_tag(uid=alice.pk, tag="tea")
    if reason == "filter":
        add_phrase_filter(owner=alice.pk, phrase="coffee", has_warning=False, hours=None)
    elif reason == "kind":
        set_home_kinds(owner=alice.pk, shown_kinds={"note"})
    elif reason == "shares":
        hide_shares(owner=alice.pk, other=followed_bob.pk, is_hidden=True)
    elif reason == "language":
        set_languages(follower=alice.pk, followee=followed_bob.pk, languages=["de"])
    publish_many(followed_bob, 6)
    shared = publish(carol, "Hello")
    first = first_page(alice, limit=4)

    def has_line():
        deeper = home_page(
            viewer=alice.pk,
            bounds=PageBounds(limit=4, max_id=int(first.older_cursor)),
            top_id=first.newest_seen_id,
        )
        return any(run.follows_new_posts for run in deeper.runs())

    assert has_line()
    if reason in ("kind", "shares"):
        share_post(post_id=shared, actor=followed_bob)
    elif reason == "private":
        private = UserFactory()
        set_private(uid=private.pk, is_private=True)
        publish(private, "A secret #tea")
    else:
        publish_post(author=followed_bob.pk, text="Coffee, please", language="en")
    assert has_line()
    publish(carol, "A stranger's #tea")
    assert not has_line()


def test_the_position_survives_other_devices_and_dropped_inboxes(
    alice, followed_bob, client, settings
):
    publish_many(followed_bob, 2)
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
def test_an_invalid_position_is_refused(alice, client, position):
    client.force_login(alice)
    response = client.post("/read/", {"position": position}, follow=True)
    assert response.status_code == 200
    assert "Your reading position could not be saved" in response.content.decode()
    assert home_states.home_state(viewer=alice.pk).position is None


def test_visitors_are_asked_to_log_in(client, alice):
    assert client.post("/read/", {"position": "5"}).status_code == 302
    for path in ("/unread/", "/quiet/"):
        assert client.get(path).status_code == 302
