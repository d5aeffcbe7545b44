"""User cards: cached names and avatars by uid, and how quickly changes become visible."""

import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache

from accounts import user_cards
from accounts.infra import process_cache
from accounts.models import User
from accounts.services.profiles import change_username, update_profile
from accounts.user_cards import cards_by_uid, find_card
from tests.factories import people


def test_fifty_cards_cost_two_commands_uncached_and_none_cached(record_commands):
    uids = [user.pk for user in people(50)]
    with record_commands() as cold_commands:
        first = cards_by_uid(uids=uids)
    with record_commands() as warm_commands:
        second = cards_by_uid(uids=uids)
    assert len(cold_commands) <= 2
    assert warm_commands == []
    assert first == second
    assert set(first) == set(uids)


def test_cards_have_the_order_of_the_uids_whichever_are_cached(alice, bob, carol):
    cards_by_uid(uids=[carol.pk])
    uids = [bob.pk, carol.pk, alice.pk, bob.pk]
    assert list(cards_by_uid(uids=iter(uids))) == [bob.pk, carol.pk, alice.pk]


def test_missing_and_inactive_users_have_no_card(alice, bob):
    bob.is_active = False
    bob.save()
    assert set(cards_by_uid(uids=[alice.pk, bob.pk, 123])) == {alice.pk}


def test_a_display_name_falls_back_to_the_username(alice):
    update_profile(uid=alice.pk, display_name="", bio="")
    assert find_card(uid=alice.pk).display_name == "alice"


def test_a_change_is_visible_immediately_in_the_same_process(alice):
    assert find_card(uid=alice.pk).display_name == "Alice Adams"
    update_profile(uid=alice.pk, display_name="Alice Zuse", bio="")
    assert find_card(uid=alice.pk).display_name == "Alice Zuse"
    change_username(uid=alice.pk, username="alicia")
    assert find_card(uid=alice.pk).username == "alicia"


OTHER_PROCESS = """
import sys, time, django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[2]
from accounts.user_cards import find_card
uid = int(sys.argv[1])
deadline = time.monotonic() + 20
while time.monotonic() < deadline:
    print(find_card(uid=uid).username, flush=True)
    time.sleep(0.05)
"""


def test_a_rename_by_another_process_is_visible_within_two_seconds(alice, monkeypatch):
    now = 1000.0
    monkeypatch.setattr(process_cache, "time", SimpleNamespace(monotonic=lambda: now))
    assert find_card(uid=alice.pk).username == "alice"
    # ``update`` sends no signals, so this process does not learn of the change, as if another process had
    # made it.
    User.objects.filter(pk=alice.pk).update(username="alicia")
    assert find_card(uid=alice.pk).username == "alice", "the card is still cached"
    now += 1.9
    assert find_card(uid=alice.pk).username == "alicia"


@pytest.mark.slow
def test_a_rename_is_visible_in_another_process_within_two_seconds(alice, settings):
    other = subprocess.Popen(
        [
            sys.executable,
            "-c",
            OTHER_PROCESS,
            str(alice.pk),
            settings.DATABASES["default"]["NAME"],
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert other.stdout.readline().strip() == "alice"
        change_username(uid=alice.pk, username="alicia")
        renamed_at = time.monotonic()
        while other.stdout.readline().strip() != "alicia":
            assert time.monotonic() - renamed_at < 2
    finally:
        other.kill()
        other.wait()
        other.stdout.close()


def test_a_card_read_before_a_change_is_not_cached_after_it(alice, monkeypatch):
    # The reader thread pauses between reading and caching. Meanwhile, the user is renamed.
    read, renamed = threading.Event(), threading.Event()
    original = user_cards._load_cards

    def load_slowly(uids):
        result = original(uids)
        if threading.current_thread().name == "reader":
            read.set()
            renamed.wait(10)
        return result

    monkeypatch.setattr(user_cards, "_load_cards", load_slowly)
    reader = threading.Thread(target=lambda: find_card(uid=alice.pk), name="reader")
    reader.start()
    read.wait(10)
    change_username(uid=alice.pk, username="alicia")
    renamed.set()
    reader.join()
    assert find_card(uid=alice.pk).username == "alicia"


@pytest.fixture
def shared_cache(monkeypatch):
    """Return a cache that acts as a cache server shared by several processes."""
    cache = LocMemCache("cards", {})
    monkeypatch.setattr(user_cards, "caches", {"cards": cache})
    yield cache
    cache.clear()


def test_an_uncached_card_is_read_from_the_cache_server(alice, shared_cache, record_commands):
    expected = find_card(uid=alice.pk)
    user_cards.clear_cards()
    with record_commands() as commands:
        assert find_card(uid=alice.pk) == expected
    assert commands == []


def test_a_slow_reader_does_not_overwrite_a_change_in_the_cache_server(alice, shared_cache):
    old = user_cards._load_cards([alice.pk])
    change_username(uid=alice.pk, username="alicia")
    user_cards._add_to_shared_cache(old)
    user_cards.clear_cards()
    assert find_card(uid=alice.pk).username == "alicia"


def test_refreshing_a_card_stores_the_latest_row_in_the_cache_server(
    alice, shared_cache, monkeypatch
):
    # Another process renames the user after this process has read the card and before it writes the cache.
    original, calls = shared_cache.set, []

    def set_late(*args, **kwargs):
        if not calls:
            calls.append(1)
            User.objects.filter(pk=alice.pk).update(username="newest")
        original(*args, **kwargs)

    monkeypatch.setattr(shared_cache, "set", set_late)
    user_cards.refresh_card(uid=alice.pk)
    user_cards.clear_cards()
    assert find_card(uid=alice.pk).username == "newest"


def test_the_default_cache_for_cards_stores_nothing():
    assert caches["cards"].get("anything") is None
