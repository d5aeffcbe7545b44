"""The cache in MongoDB: Django's cache API, concurrency, and no pickles."""

import threading
import time
from itertools import chain

import pytest
from django.core.cache import caches
from django.db import connection
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from socialsite.engine.cache import MongoCache

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@pytest.fixture
def cache():
    cache = caches["default"]
    assert isinstance(cache, MongoCache)
    cache.clear()
    return cache


def entries():
    return connection.database["cache"]


def in_threads(count, work):
    """Run ``work`` in parallel threads, each with its own connection, and return the results."""
    barrier, results = threading.Barrier(count), []

    def run():
        try:
            barrier.wait()
            results.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == count, "a thread failed"
    return results


def test_a_value_is_stored_until_it_is_deleted(cache):
    assert cache.get("a") is None
    assert cache.get("a", "otherwise") == "otherwise"
    cache.set("a", {"b": [1, "2", None, 2.5, True]})
    assert cache.get("a") == {"b": [1, "2", None, 2.5, True]}
    assert "a" in cache
    assert cache.delete("a") is True
    assert cache.delete("a") is False
    assert "a" not in cache


def test_none_and_false_are_values(cache):
    for value in (None, False, 0, "", [], {}):
        cache.set("a", value)
        assert cache.get("a", "otherwise") == value
        assert cache.get("a", "otherwise") is not True
        assert "a" in cache
        assert cache.add("a", 1) is False


@hypothesis_settings(max_examples=15)
@given(value=JSON)
@example(value=2**40)
@example(value=2**63)
@example(value=-(2**200))
def test_any_json_value_keeps_its_type(value):
    caches["default"].set("any", value)
    cached = caches["default"].get("any", "missing")
    assert cached == value
    assert type(cached) is type(value)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", {"a": object()}, lambda: 1])
def test_other_values_are_refused_and_never_pickled(cache, value):
    with pytest.raises(TypeError):
        cache.set("a", value)
    assert cache.get("a") is None
    assert entries().count_documents({}) == 0


def test_a_foreign_document_runs_no_code(cache):
    entries().insert_one({"_id": cache.make_key("a"), "value": "gASVCw=="})
    with pytest.raises(ValueError, match="Expecting value"):
        cache.get("a")


def test_operations_on_many_keys_are_one_command_each(cache, record_commands):
    cache.get("warm_up")
    with record_commands() as commands:
        assert cache.set_many({"a": 1, "b": "two"}) == []
        assert cache.get_many(["a", "b", "c"]) == {"a": 1, "b": "two"}
        cache.delete_many(["a", "c"])
    assert len(commands) == 3
    assert cache.get_many(["a", "b"]) == {"b": "two"}
    assert cache.set_many({}) == []
    assert cache.get_many([]) == {}


def test_add_fails_for_existing_keys(cache):
    assert cache.add("a", 1) is True
    assert cache.add("a", 2) is False
    assert cache.get("a") == 1
    cache.set("a", 3, timeout=0)
    assert cache.add("a", 4) is True
    assert cache.get("a") == 4


def test_entries_expire(cache):
    cache.set("soon", 1, timeout=1)
    cache.set("later", 1, timeout=60)
    cache.set("never", 1, timeout=None)
    cache.set("at_once", 1, timeout=0)
    cache.set("before", 1, timeout=-1)
    assert cache.get_many(["soon", "later", "never", "at_once", "before"]).keys() == {
        "soon",
        "later",
        "never",
    }
    time.sleep(1.01)
    assert cache.get("soon") is None
    assert "soon" not in cache
    assert cache.delete("soon") is False
    assert cache.touch("soon") is False
    with pytest.raises(ValueError, match="soon"):
        cache.incr("soon")
    documents = {document["_id"].split(":")[-1]: document for document in entries().find()}
    assert "expires_at" not in documents["never"]


def test_touch_extends_the_timeout(cache):
    cache.set("a", 1, timeout=0.2)
    assert cache.touch("a", 60) is True
    cache.set("b", 1, timeout=0.2)
    assert cache.touch("b", None) is True
    cache.set("c", 1)
    assert cache.touch("c", 0) is True
    assert cache.touch("nothing") is False
    time.sleep(0.21)
    assert cache.get_many(["a", "b", "c"]) == {"a": 1, "b": 1}


def test_the_server_deletes_expired_entries(cache):
    cache.get("a")
    indexes = entries().index_information()
    assert any(index.get("expireAfterSeconds") == 0 for index in indexes.values())


def test_incr_keeps_the_timeout(cache):
    cache.set("n", 5, timeout=60)
    expires_at = entries().find_one()["expires_at"]
    assert cache.incr("n") == 6
    assert cache.incr("n", 10) == 16
    assert cache.decr("n", 20) == -4
    assert entries().find_one()["expires_at"] == expires_at
    cache.set("n", 2**40)
    assert type(cache.incr("n")) is type(cache.get("n")) is int


@pytest.mark.parametrize("value", ["text", "7", True, None, [1], 2.5])
def test_incr_refuses_other_values(cache, value):
    cache.set("a", value)
    with pytest.raises(ValueError, match="not an integer"):
        cache.incr("a")
    with pytest.raises(ValueError, match="not found"):
        cache.incr("nothing")
    assert cache.get("a") == value


def test_concurrent_incr_loses_no_count(cache):
    cache.set("n", 0)
    values = in_threads(8, lambda: [caches["default"].incr("n") for _ in range(25)])
    assert sorted(chain.from_iterable(values)) == list(range(1, 201))
    assert cache.get("n") == 200


def test_one_of_several_concurrent_adds_succeeds(cache):
    for is_expired in (False, True):
        if is_expired:
            cache.set("lock", 1, timeout=0)
        assert sum(in_threads(8, lambda: caches["default"].add("lock", 1))) == 1


def test_concurrent_sets_succeed(cache):
    in_threads(8, lambda: [caches["default"].set(f"k{n}", n) for n in range(20)])
    assert cache.get_many([f"k{n}" for n in range(20)]) == {f"k{n}": n for n in range(20)}


def test_versions_are_separate(cache):
    cache.set("a", 1, version=1)
    cache.set("a", 2, version=2)
    assert cache.get("a", version=1) == 1
    assert cache.incr_version("a", version=2) == 3
    assert cache.get("a", version=3) == 2
    assert cache.get("a", version=2) is None


def test_get_or_set_calls_the_default_once(cache):
    calls = []
    for _ in range(2):
        assert cache.get_or_set("a", lambda: calls.append(1) or "value") == "value"
    assert calls == [1]


def test_clear_deletes_all_entries(cache):
    cache.set_many({"a": 1, "b": 2})
    cache.clear()
    assert entries().count_documents({}) == 0


def test_operations_on_one_key_are_one_command_each(cache, record_commands):
    cache.set("a", 1)
    with record_commands() as commands:
        cache.get("a")
        cache.set("a", 2)
        cache.incr("a")
        cache.add("a", 3)
    assert len(commands) == 4
