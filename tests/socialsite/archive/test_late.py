"""Imported old posts appear in order of their dates, with every timeline strategy."""

import pytest

from accounts.infra.cursors import PageBounds
from feed.timeline.home import home_page
from tests.factories import follow, publish
from tests.feed import strategy_site

from .zips import import_zip, note, zipped


def read_homes(readers, settings, strategy, limit=7):
    settings.FEED_STRATEGY = strategy
    strategy_site.selection.clear_cache()
    return [
        (strategy_site.read_down(reader, limit), strategy_site.read_up(reader, limit))
        for reader in readers
    ]


@pytest.mark.parametrize("strategy", ["buckets", "fan_out_on_write", "counted_buckets"])
def test_the_home_of_a_follower_equals_fan_out_on_read(strategy, alice, bob, settings, monkeypatch):
    strategy_site.use(strategy, settings, monkeypatch)
    settings.FEED_INBOX_MAX = 12
    follow(bob, alice)
    home_page(viewer=bob.pk, bounds=PageBounds(limit=20))
    for author in (alice, bob):
        publish(author, "new")
    items = [
        note(n, f"<p>{n}</p>", published=f"20{11 + n % 5}-0{n % 9 + 1}-11T10:00:00Z")
        for n in range(12)
    ]
    assert import_zip(zipped(*items), alice) == {"posts": 12}
    publish(bob, "newest")
    # The floor of the inbox is above 0, so the inbox omits old posts.
    assert strategy_site.stored_inbox(bob)[1] > 0
    pages = read_homes([bob], settings, strategy, limit=9)
    assert pages == read_homes([bob], settings, "fan_out_on_read", limit=9)
    assert [len(down) for down, _ in pages] == [15]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["buckets", "fan_out_on_write", "counted_buckets"])
def test_the_homes_of_all_followers_equal_fan_out_on_read(
    strategy, alice, bob, carol, settings, monkeypatch
):
    strategy_site.use(strategy, settings, monkeypatch)
    follow(bob, alice)
    follow(carol, alice, bob)
    for user in (alice, bob, carol):
        home_page(viewer=user.pk, bounds=PageBounds(limit=20))
    for number in range(12):
        publish(bob if number % 3 else alice, f"new {number}")
    items = [
        note(n, f"<p>{n}</p>", published=f"20{11 + n % 12}-0{n % 9 + 1}-11T10:00:00Z")
        for n in range(45)
    ]
    assert import_zip(zipped(*items), alice) == {"posts": 45}
    for number in range(3):
        publish(bob, f"newest {number}")
    result = read_homes((alice, bob, carol), settings, strategy)
    assert result == read_homes((alice, bob, carol), settings, "fan_out_on_read")
    assert [len(down) for down, _ in result] == [49, 60, 60]


def test_workers_deliver_imports_to_large_audiences(alice, bob, carol, asked, for_workers):
    from tests.feed.workers import work

    follow(bob, alice)
    follow(carol, alice)
    home_page(viewer=bob.pk, bounds=PageBounds(limit=20))
    import_zip(zipped(note(1), note(2)), alice)
    assert asked
    work(asked)
    assert len(strategy_site.read_down(bob)) == 2


def test_imported_posts_of_large_authors_are_merged_on_read(alice, bob, settings):
    follow(bob, alice)
    home_page(viewer=bob.pk, bounds=PageBounds(limit=20))
    settings.FEED_PUSH_LIMIT = 0
    import_zip(zipped(note(1), note(2)), alice)
    assert len(strategy_site.read_down(bob)) == 2
