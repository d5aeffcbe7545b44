"""Each workaround of the database engine works, and its fault still exists in the backend."""

import ctypes.util
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import django_mongodb_backend
import pytest
from allauth.account.models import EmailConfirmation
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, connection, connections, models
from django.test.utils import isolate_apps
from django_mongodb_backend.base import DatabaseWrapper as PlainDatabaseWrapper

from accounts.models import User
from feed.models import Post
from socialsite.engine.base import DatabaseWrapper
from tests.factories import people


@pytest.fixture
def plain_backend() -> Iterator[None]:
    """A second connection named "plain" to the same database, with the unmodified backend."""
    wrapper = PlainDatabaseWrapper({**connection.settings_dict}, alias="plain")
    connections.settings["plain"] = wrapper.settings_dict
    connections["plain"] = wrapper
    yield
    wrapper.close_pool()
    del connections["plain"]
    del connections.settings["plain"]


def stages(queryset: Any) -> set[str]:
    """Return the names of all stages of the query plan."""
    text = queryset.explain()
    stage_names: set[str] = set()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("stage"), str):
                stage_names.add(node["stage"])
            for key, value in node.items():
                if key != "rejectedPlans":
                    walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(json.loads(text))
    return stage_names


def test_the_workarounds_are_for_the_installed_backend():
    # If this test fails after an upgrade, check each workaround below before you change the version.
    assert django_mongodb_backend.__version__ == "5.2.4"


@pytest.mark.parametrize("text", [".*", "ax.", "a.b", "^axb$", "(axb)"])
def test_iexact_takes_its_value_literally(text):
    User.objects.create(username="axb")
    assert not User.objects.filter(username__iexact=text).exists()
    assert User.objects.filter(username__iexact="AxB").exists()


@pytest.mark.usefixtures("plain_backend")
def test_without_the_workaround_iexact_matches_every_row():
    User.objects.create(username="axb")
    assert User.objects.using("plain").filter(username__iexact=".*").exists()


def test_newest_first_uses_an_index():
    people(3)
    used = stages(User.objects.order_by("-pk")[:2])
    assert "IXSCAN" in used
    assert not used & {"SORT", "COLLSCAN"}


@pytest.mark.usefixtures("plain_backend")
def test_without_the_workaround_newest_first_sorts_all_rows():
    people(3)
    used = stages(User.objects.using("plain").order_by("-pk")[:2])
    assert "COLLSCAN" in used


@pytest.mark.parametrize(
    "queryset",
    [
        lambda: User.objects.filter(username="alice"),
        lambda: EmailConfirmation.objects.filter(key="token"),
        lambda: Session.objects.filter(session_key="session"),
    ],
    ids=["user name", "token", "session"],
)
def test_look_ups_by_unique_text_use_an_index(queryset):
    used = stages(queryset())
    assert used & {"IXSCAN", "IDHACK"}
    assert "COLLSCAN" not in used


@isolate_apps("tests")
@pytest.mark.usefixtures("plain_backend")
def test_without_the_workaround_a_look_up_by_unique_text_scans():
    class Token(models.Model):
        key = models.CharField(max_length=10, unique=True)

        class Meta:
            app_label = "tests"

    with connections["plain"].schema_editor() as editor:
        editor.create_model(Token)
    assert "COLLSCAN" in stages(Token.objects.filter(key="x"))
    with connections["default"].schema_editor() as editor:
        editor.delete_model(Token)
        editor.create_model(Token)
    assert "COLLSCAN" not in stages(Token.objects.filter(key="x"))
    with connections["default"].schema_editor() as editor:
        editor.delete_model(Token)


@isolate_apps("tests")
def test_a_unique_index_allows_several_nulls():
    class Nullable(models.Model):
        key = models.CharField(max_length=10, unique=True, null=True)

        class Meta:
            app_label = "tests"

    with connection.schema_editor() as editor:
        editor.create_model(Nullable)
    Nullable.objects.create(key=None)
    Nullable.objects.create(key=None)
    Nullable.objects.create(key="one")
    assert Nullable.objects.count() == 3
    with connection.schema_editor() as editor:
        editor.delete_model(Nullable)


@isolate_apps("tests")
def test_a_unique_field_can_be_added_to_an_existing_model():
    class Before(models.Model):
        class Meta:
            app_label, db_table = "tests", "tests_added"

    class After(models.Model):
        key = models.CharField(max_length=10, unique=True, null=True)

        class Meta:
            app_label, db_table = "tests", "tests_added"

    with connection.schema_editor() as editor:
        editor.create_model(Before)
        editor.add_field(Before, After._meta.get_field("key"))
    After.objects.create(key="one")
    with pytest.raises(IntegrityError):
        After.objects.create(key="one")
    with connection.schema_editor() as editor:
        editor.delete_model(Before)


def test_ids_are_stored_as_long():
    people(1)
    Post.objects.create(author=User.objects.get(), text="x")
    rows = connection.database["feed_post"].aggregate(
        [{"$project": {"id": {"$type": "$_id"}, "author": {"$type": "$author_id"}}}]
    )
    assert [(row["id"], row["author"]) for row in rows] == [("long", "long")]


@pytest.mark.slow
def test_a_starting_process_does_not_search_for_gdal():
    start = (
        "import ctypes.util, django; names = []; ctypes.util.find_library = names.append; "
        "django.setup(); from django.db import connection; "
        "print(connection.vendor, names, ctypes.util.find_library == names.append)"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "socialsite.settings"}
    output = subprocess.check_output([sys.executable, "-c", start], env=env, text=True)
    assert output == "mongodb [] True\n"


def test_without_the_workaround_the_search_for_gdal_tries_many_names(monkeypatch):
    names = []
    monkeypatch.setattr(ctypes.util, "find_library", names.append)
    with pytest.raises(ImproperlyConfigured):
        importlib.import_module("django.contrib.gis.gdal.libgdal")
    assert len(names) > 10


def test_a_collection_is_created_once_per_connection():
    wrapper = DatabaseWrapper({**connection.settings_dict}, alias="second")
    try:
        before = wrapper.collection("feed_post")
        assert wrapper.collection("feed_post") is before
        wrapper.close_pool()
        after = wrapper.collection("feed_post")
        assert after.database is wrapper.database is not before.database
        assert after.find_one({"_id": 0}) is None
    finally:
        wrapper.close_pool()
