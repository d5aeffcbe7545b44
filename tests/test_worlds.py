"""A restored world equals the world that the site's services build now."""

import importlib
import re
from datetime import datetime
from pathlib import Path

import pytest
from bson import ObjectId

from accounts.models import User
from accounts.services.follows import unfollow_user
from tests.database import command_log, reset_database, reset_process_caches
from tests.factories import UserFactory, follow, people
from tests.worlds import WORLDS, stored_documents, world

HERE = Path(__file__).parent
for file in sorted(HERE.rglob("*.py")):
    if file.name != "test_worlds.py" and re.search(
        r"^from tests\.worlds import .*\bworld\b", file.read_text(), re.MULTILINE
    ):
        importlib.import_module(".".join(("tests", *file.relative_to(HERE).with_suffix("").parts)))

NOT_COMPARED = {"action_counts", "cache", "pair_locks", "stat_hours"}
"""Collections that differ in every run, because they contain times or hashes of ids."""

IDS = re.compile(r"(?<![0-9A-Za-z])[1-9]\d{14,}(?![0-9A-Za-z])")
RANDOM = re.compile(r"[\w+/=$:.-]{20,}")


def comparable(collections):
    """Return the documents of each collection without the values that differ in every run.

    Each id is replaced by its rank among all ids, each time by the name of its type, and each random
    string by the same word.
    """
    compared = {
        name: documents for name, documents in collections.items() if name not in NOT_COMPARED
    }
    numbers = {number: place for place, number in enumerate(sorted(set(ids_in(compared))))}

    def plain(value):
        if isinstance(value, dict):
            return {
                plain(key): "time" if key == "ends_at" else plain(field)
                for key, field in value.items()
            }
        if isinstance(value, list):
            return [plain(element) for element in value]
        if isinstance(value, int) and value in numbers:
            return f"id {numbers[value]}"
        if isinstance(value, str):
            text = IDS.sub(lambda match: f"id {numbers[int(match[0])]}", value)
            return RANDOM.sub("random", text)
        return type(value).__name__ if isinstance(value, datetime | ObjectId) else value

    return {
        name: sorted((plain(document) for document in documents), key=repr)
        for name, documents in compared.items()
    }


def ids_in(value):
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for element in value:
            yield from ids_in(element)
    elif isinstance(value, str):
        yield from map(int, IDS.findall(value))
    elif isinstance(value, int) and value >= 10**14:
        yield value


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name.removeprefix("tests."))
def test_a_restored_world_equals_a_newly_built_world(world):
    world.restore()  # builds the world unless another test has built it
    reset_database()
    world.restore()
    restored = stored_documents()
    reset_database()
    reset_process_caches()
    with command_log.uncounted():
        world.build()
        rebuilt = stored_documents()
    assert comparable(restored) == comparable(rebuilt)


def test_undo_changes_restores_changed_added_and_deleted_documents(alice, bob):
    def build():
        first, second = people(2)
        follow(first, second)
        return first, second

    small = world(build, name="small")
    WORLDS.remove(small)
    first, second = small.restore()
    before = stored_documents()
    User.objects.filter(pk=first.pk).update(bio="changed")
    unfollow_user(follower=first.pk, followee=second.pk)
    UserFactory()
    assert User.objects.filter(bio="changed").exists()
    small.undo_changes()
    assert stored_documents() == before
