"""The inboxes of dormant users are dropped, and rebuilt when the users return."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from feed import receivers, tasks
from feed.store import posts
from feed.store.collections import inbox_buckets, inbox_heads
from feed.timeline.home import home_page
from feed.timeline.store import inboxes, seal
from feed.timeline.strategies import buckets
from tests.factories import UserFactory, follow, publish, publish_many

LONG_AGO = timezone.now() - timedelta(days=20)


@pytest.fixture
def small_buckets(monkeypatch):
    """Make buckets so small that a few posts fill them."""
    monkeypatch.setattr(seal, "BUCKET_SIZE", 10)
    monkeypatch.setattr(seal, "SEAL_AT", 20)


def home(reader, limit=40, **window):
    return home_page(viewer=reader.pk, bounds=PageBounds(limit=limit, **window))


def stay_away(*readers):
    inbox_heads().update_many(
        {"_id": {"$in": [reader.pk for reader in readers]}}, {"$set": {"last_seen": LONG_AGO}}
    )


def drop_dormant_inboxes():
    return buckets.lifecycle.drop_dormant(before=timezone.now() - timedelta(days=14), limit=100)


def test_only_dormant_inboxes_are_dropped(alice, bob, carol, small_buckets):
    follow(alice, carol)
    follow(bob, carol)
    home(alice)
    home(bob)
    publish_many(carol, 24)
    stay_away(alice)
    assert drop_dormant_inboxes() == 1
    assert drop_dormant_inboxes() == 0
    assert inboxes.lifecycle.get_head(owner=alice.pk) is None
    assert inbox_buckets().count_documents({"owner": alice.pk}) == 0
    assert inboxes.lifecycle.get_head(owner=bob.pk) is not None
    assert inbox_buckets().count_documents({"owner": bob.pk}) == 1


def test_a_returning_user_gets_all_posts_in_the_request(alice, bob):
    follow(alice, bob)
    home(alice)
    stay_away(alice)
    drop_dormant_inboxes()
    missed = publish_many(bob, 5)
    page = home(alice)
    assert [post.entry_id for post in page.posts] == missed[::-1]
    assert not page.is_backfilling
    assert inboxes.lifecycle.get_head(owner=alice.pk).built_at is not None


def test_the_job_keeps_the_inbox_of_a_user_who_returns_meanwhile(alice, bob, small_buckets):
    follow(alice, bob)
    home(alice)
    publish_many(bob, 52)
    stay_away(alice)
    marked = inbox_heads().update_one({"_id": alice.pk}, {"$set": {"is_dropping": True}})
    assert marked.modified_count == 1
    page = home(alice)
    assert len(page.posts) == 40
    new = inboxes.lifecycle.get_head(owner=alice.pk)
    assert drop_dormant_inboxes() == 0
    assert inboxes.lifecycle.get_head(owner=alice.pk).gen == new.gen
    owners_gens = {(document["owner"], document["gen"]) for document in inbox_buckets().find()}
    assert owners_gens == {(alice.pk, new.gen)}


def test_a_worker_builds_the_inbox_of_a_user_with_many_followees(alice, bob, monkeypatch, client):
    monkeypatch.setattr("feed.timeline.strategies.warmup.INLINE_BUILD_LIMIT", 0)
    follow(alice, bob)
    enqueued = []
    monkeypatch.setattr(receivers, "enqueue", lambda task, **ids: enqueued.append((task, ids)))
    before = publish_many(bob, 3)
    page = home(alice)
    assert page.is_backfilling
    assert [post.entry_id for post in page.posts] == before[::-1]
    assert enqueued == [(tasks.build_inbox, {"owner": alice.pk})]
    during = publish(bob)
    home(alice)
    assert len(enqueued) == 1, "asked again too soon"
    client.force_login(alice)
    assert "being rebuilt" in client.get("/").content.decode()
    tasks.build_inbox(owner=alice.pk)
    page = home(alice)
    assert not page.is_backfilling
    assert [post.entry_id for post in page.posts] == [during, *before[::-1]]
    assert len(buckets.read_inbox(owner=alice.pk).read_all()[0]) == 4


def test_a_lost_build_task_is_enqueued_again(alice, bob, monkeypatch):
    monkeypatch.setattr("feed.timeline.strategies.warmup.INLINE_BUILD_LIMIT", 0)
    follow(alice, bob)
    enqueued = []
    monkeypatch.setattr(receivers, "enqueue", lambda task, **ids: enqueued.append(ids))
    home(alice)
    inbox_heads().update_one({"_id": alice.pk}, {"$set": {"build_requested_at": LONG_AGO}})
    home(alice)
    home(alice)
    assert len(enqueued) == 2


def test_an_inbox_that_is_never_filled_is_dropped_after_an_hour(alice, bob, monkeypatch):
    monkeypatch.setattr("feed.timeline.strategies.warmup.INLINE_BUILD_LIMIT", 0)
    follow(alice, bob)
    monkeypatch.setattr(receivers, "enqueue", lambda task, **ids: None)
    home(alice)
    assert drop_dormant_inboxes() == 0
    inbox_heads().update_one({"_id": alice.pk}, {"$set": {"build_requested_at": LONG_AGO}})
    assert drop_dormant_inboxes() == 1
    assert inboxes.lifecycle.get_head(owner=alice.pk) is None


@pytest.mark.parametrize(
    ("follows", "posts", "away", "words"),
    [
        (False, False, False, "You are not following anyone yet"),
        (True, False, False, "Nobody you follow has posted yet"),
        (True, False, True, "being rebuilt"),
    ],
)
def test_each_kind_of_empty_page_has_its_own_message(
    alice, bob, client, monkeypatch, follows, posts, away, words
):
    monkeypatch.setattr(receivers, "enqueue", lambda *_, **__: None)
    if follows:
        follow(alice, bob)
    if away:
        monkeypatch.setattr("feed.timeline.strategies.warmup.INLINE_BUILD_LIMIT", 0)
    client.force_login(alice)
    text = client.get("/").content.decode()
    all_words = (
        "You are not following anyone yet",
        "Nobody you follow has posted yet",
        "being rebuilt",
    )
    assert [word for word in all_words if word in text] == [words]


def test_a_post_delivered_while_an_inbox_is_built_is_kept(alice, bob, monkeypatch):
    follow(alice, bob)
    before = publish_many(bob, 2)
    read, during = posts.ids_by_authors, []

    def read_and_publish(**query):
        ids = read(**query)
        during.append(publish(bob))
        return ids

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(posts, "ids_by_authors", read_and_publish)
        home(alice)
    assert len(during) == 1
    assert [post.entry_id for post in home(alice).posts] == [*during, *before[::-1]]


@pytest.mark.slow
def test_deliveries_that_arrive_while_an_inbox_is_rebuilt_are_kept(alice, monkeypatch):
    """Threads publish concurrently while the inbox is dropped and rebuilt."""
    authors = [UserFactory() for _ in range(3)]
    follow(alice, *authors)
    original = posts.ids_by_authors
    published, errors, stop = [], [], threading.Event()

    def slowly(**query):
        result = original(**query)
        stop.wait(0.02)  # deliveries arrive between the read and the write
        return result

    monkeypatch.setattr(posts, "ids_by_authors", slowly)

    def publish_all_the_time(author):
        try:
            while not stop.is_set():
                published.append(publish(author))
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    writers = [threading.Thread(target=publish_all_the_time, args=(author,)) for author in authors]
    for writer in writers:
        writer.start()
    try:
        rebuilds = 0
        while not errors and (rebuilds < 8 or len(published) <= 20):
            rebuilds += 1
            home(alice)
            head = inboxes.lifecycle.get_head(owner=alice.pk)
            assert head is not None
            assert head.built_at is not None
            stay_away(alice)
            drop_dormant_inboxes()
        home(alice)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert errors == []
    stored, floor = buckets.read_inbox(owner=alice.pk).read_all()
    assert stored == [post for post in sorted(published, reverse=True) if post > floor]
