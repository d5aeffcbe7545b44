"""The home timeline: every post once, newest first, at constant cost."""

import pytest
from django.db import connection
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from accounts.services.follows import unfollow_user
from feed import tasks
from feed.models import Post
from feed.services.posts import delete_post
from feed.store import posts as posts_store
from feed.store.collections import inbox_heads
from feed.store.post_rows import IdRange
from feed.timeline import candidates
from feed.timeline.home import advance_home_position, home_page
from feed.timeline.store import inboxes, seal
from tests.factories import follow, publish, publish_many

STRATEGIES = ["buckets", "fan_out_on_read"]


@pytest.fixture(params=STRATEGIES)
def strategy(request, settings):
    settings.FEED_STRATEGY = request.param
    return request.param


@pytest.fixture
def small_buckets(monkeypatch):
    """Make buckets so small that a few posts cause buckets to be sealed and dropped."""
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)


def page(reader, limit=20, **cursor):
    return home_page(viewer=reader.pk, bounds=PageBounds(limit=limit, **cursor))


def ids(result):
    return [post.id for post in result.posts]


def read_down(reader, limit=20, between_pages=lambda: None):
    seen, result = [], page(reader, limit)
    while True:
        seen += ids(result)
        if result.older_cursor is None:
            return seen
        between_pages()
        result = page(reader, limit, max_id=int(result.older_cursor))


def read_up(reader, limit=20):
    seen, result = [], page(reader, limit, min_id=0)
    while True:
        seen += reversed(ids(result))
        if result.newer_cursor is None:
            return seen
        result = page(reader, limit, min_id=int(result.newer_cursor))


def insert_old_posts(count, author):
    """Insert posts without delivery, as an import does. Return all post ids of the author."""
    Post.objects.bulk_create(
        Post(author=author, text=f"old {n}", delivery_state=Post.DeliveryState.DONE)
        for n in range(count)
    )
    return list(Post.objects.filter(author=author).order_by("pk").values_list("pk", flat=True))


def test_home_has_own_posts_and_posts_of_followees(alice, bob, carol, strategy):
    follow(alice, bob)
    page(alice)
    own, seen, unseen = publish(alice), publish(bob), publish(carol)
    assert ids(page(alice)) == [seen, own]
    assert unseen not in ids(page(alice))


@pytest.mark.parametrize(("limit", "count"), [(1, 12), (7, 45), (20, 45), (40, 45)])
def test_pages_show_every_post_once_newest_first(alice, bob, limit, count, strategy):
    follow(alice, bob)
    page(alice)
    posts = publish_many(bob, count)
    assert read_down(alice, limit) == posts[::-1]
    assert read_up(alice, limit) == posts


def test_pages_continue_below_the_floor_without_gaps(alice, bob, carol, settings, small_buckets):
    settings.FEED_INBOX_MAX = 15
    follow(alice, bob, carol)
    old = insert_old_posts(12, bob)
    page(alice)  # builds an inbox that holds only some of the old posts
    new = [post for _ in range(2) for author in (bob, carol) for post in publish_many(author, 3)]
    floor = inboxes.lifecycle.get_head(owner=alice.pk).floor
    everything = old + new
    assert 0 < floor < new[-1]
    assert read_down(alice, 10) == everything[::-1]
    assert read_up(alice, 10) == everything
    floor_index = everything.index(floor)
    for cursor in range(floor_index - 3, floor_index + 4):
        below = ids(page(alice, 5, max_id=everything[cursor]))
        assert below == everything[cursor - 5 : cursor][::-1]
        above = ids(page(alice, 5, min_id=everything[cursor]))
        assert above == everything[cursor + 1 : cursor + 6][::-1]


def test_publishing_between_pages_repeats_and_skips_nothing(alice, bob, strategy, small_buckets):
    follow(alice, bob)
    page(alice)
    before = publish_many(bob, 24)
    during = []
    seen = read_down(alice, 5, between_pages=lambda: during.extend(publish_many(bob, 3)))
    assert seen == before[::-1]
    assert read_down(alice, 10) == (before + during)[::-1]


def test_unfollowing_hides_posts_and_following_again_restores_them(alice, bob, strategy):
    follow(alice, bob)
    page(alice)
    posts = publish_many(bob, 30)
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert read_down(alice) == []
    missed = publish(bob)
    follow(alice, bob)
    assert read_down(alice) == [missed, *posts[::-1]]


def test_following_adds_older_posts(alice, bob, carol, strategy, small_buckets, settings):
    settings.FEED_INBOX_MAX = 12  # exactly the number of bob's posts
    follow(alice, carol)
    page(alice)
    mixed = [post for _ in range(12) for author in (bob, carol) for post in publish_many(author, 1)]
    follow(alice, bob)
    assert pending_backfill_count() == 0
    assert read_down(alice, 7) == mixed[::-1]


def test_following_an_author_with_many_posts_raises_the_floor(alice, bob, carol, settings):
    settings.FEED_INBOX_MAX = 200
    follow(alice, carol)
    page(alice)
    first = publish_many(carol, 10)
    old = insert_old_posts(450, bob)
    last = publish_many(carol, 10)
    follow(alice, bob)
    assert inboxes.lifecycle.get_head(owner=alice.pk).floor >= old[249]
    assert read_down(alice, 40) == (first + old + last)[::-1]


def test_the_sweeper_finishes_an_interrupted_backfill(alice, bob, carol, settings, monkeypatch):
    settings.FEED_STALLED_SECONDS = 0
    for reader in (alice, carol):
        page(reader)
    posts = publish_many(bob, 3)
    with monkeypatch.context() as cut:

        def die(**_):
            raise ConnectionError

        cut.setattr(tasks.strategies.active_strategy(), "add_older", die)
        follow(alice, bob)
        follow(carol, bob)
    assert ids(page(alice)) == ids(page(carol)) == []
    assert pending_backfill_count() == 2
    original = tasks.strategies.active_strategy().add_older

    def fail_for_alice(*, owner, **rest):
        if owner == alice.pk:
            raise ConnectionError
        original(owner=owner, **rest)

    monkeypatch.setattr(
        tasks.run_pending_backfills, "apply_async", lambda **_: tasks.run_pending_backfills()
    )
    with monkeypatch.context() as unlucky:
        unlucky.setattr(tasks.strategies.active_strategy(), "add_older", fail_for_alice)
        tasks.sweep()  # fills carol's inbox although alice's backfill fails
    assert (ids(page(alice)), ids(page(carol))) == ([], posts[::-1])
    assert pending_backfill_count() == 1
    tasks.sweep()
    assert ids(page(alice)) == posts[::-1]
    assert pending_backfill_count() == 0


def pending_backfill_count():
    return connection.database["follow_edges"].count_documents({"backfill": "pending"})


def test_a_deleted_post_disappears_and_its_id_still_works_as_cursor(alice, bob, strategy):
    follow(alice, bob)
    page(alice)
    posts = publish_many(bob, 10)
    delete_post(post_id=posts[5], actor=bob)
    rest = [*posts[:5], *posts[6:]]
    assert read_down(alice) == rest[::-1]
    assert ids(page(alice, 3, max_id=posts[5])) == [posts[4], posts[3], posts[2]]
    assert ids(page(alice, 3, min_id=posts[5])) == [posts[8], posts[7], posts[6]]


def test_an_empty_page_can_have_a_next_page(alice, bob, carol, monkeypatch, strategy):
    """If all entries that a page may examine are hidden, the page has only a cursor to older entries."""
    monkeypatch.setattr(candidates, "MAX_EXAMINED", 10)
    follow(alice, bob, carol)
    page(alice)
    remaining = publish(bob)
    publish_many(carol, 25)
    unfollow_user(follower=alice.pk, followee=carol.pk)
    if strategy == "buckets":
        first = page(alice, 5)
        assert ids(first) == []
        assert first.older_cursor is not None
        assert first.empty_reason == ""
    assert read_down(alice, 5) == [remaining]


def test_a_page_reads_only_the_posts_it_needs(alice, bob, record_commands):
    follow(alice, bob)
    page(alice)
    published = publish_many(bob, 40)
    advance_home_position(viewer=alice.pk, position=published[29])
    for cursor, expected_count in ((None, 11), (published[-1], 4)):
        with record_commands() as commands:
            page(alice, 2, max_id=cursor)
        [read] = [
            command["filter"]["_id"]["$in"]
            for name, command in commands
            if name == "find" and command["find"] == "feed_post"
        ]
        assert len(read) == expected_count


def test_a_page_with_many_hidden_posts_reads_more_and_is_full(alice, bob, carol):
    follow(alice, bob, carol)
    page(alice)
    posts = [publish(author) for author in (bob, carol, carol) * 4]
    unfollow_user(follower=alice.pk, followee=carol.pk)
    assert ids(page(alice, 4)) == [posts[9], posts[6], posts[3], posts[0]]
    assert ids(page(alice, 2)) == [posts[9], posts[6]]


def test_an_empty_timeline_has_a_reason(alice, bob, strategy):
    assert page(alice).empty_reason == "follows_nobody"
    follow(alice, bob)
    assert page(alice).empty_reason == "nobody_posted"
    publish(bob)
    assert page(alice).empty_reason == ""


def test_an_inbox_is_built_on_the_first_visit(alice, bob):
    follow(alice, bob)
    posts = publish_many(bob, 5)
    assert inbox_heads().find_one({"_id": alice.pk}) is None
    assert ids(page(alice)) == posts[::-1]
    assert sorted(inbox_heads().find_one({"_id": alice.pk})["ids"]) == posts


def test_posts_of_deactivated_users_are_hidden(alice, bob, strategy):
    follow(alice, bob)
    page(alice)
    publish(bob)
    bob.is_active = False
    bob.save()
    assert ids(page(alice)) == []


@pytest.mark.parametrize("authors", [150, 151, 400])
def test_a_page_below_the_floor_reads_few_documents(authors):
    """The number of documents read depends neither on the number of followees nor of stored posts."""
    now, base, uids = timezone.now(), 10**17, list(range(10**6, 10**6 + authors))
    count = 4_000
    rows = [(base + n, uids[n % authors]) for n in range(count)]
    rows += [(base + count + n, 5 + n % 1000) for n in range(count)]
    fields = {field.column: field.get_default() for field in Post._meta.concrete_fields}
    connection.database["feed_post"].insert_many(
        {**fields, "_id": post, "author_id": author, "text": "x", "created_at": now}
        for post, author in rows
    )
    connection.database.command("profile", 2)
    try:
        rows_read = posts_store.by_authors(
            authors=uids, viewer=5, id_range=IdRange(below=base + 3 * count), limit=21
        )
        (profile,) = connection.database["system.profile"].find({"command.aggregate": "feed_post"})
    finally:
        connection.database.command("profile", 0)
        connection.database["system.profile"].drop()
    assert [row.id for row in rows_read] == [base + n for n in range(count - 1, count - 22, -1)]
    assert profile["keysExamined"] < authors + 21 * 10
    assert not profile.get("hasSortStage") or profile["docsExamined"] < 21 * 10


def test_the_posts_of_a_lost_bucket_are_read_from_the_authors(alice, bob, small_buckets):
    follow(alice, bob)
    page(alice)
    everything = publish_many(bob, 16)
    assert connection.database["inbox_buckets"].delete_one({"owner": alice.pk}).deleted_count
    assert read_down(alice, 3) == everything[::-1]
    assert inboxes.lifecycle.get_head(owner=alice.pk) is not None


def test_empty_pages_at_both_ends_have_cursors(alice):
    assert page(alice, max_id=0).newer_cursor == "0"
    assert page(alice, min_id=MAX_ID).older_cursor == str(MAX_ID)
