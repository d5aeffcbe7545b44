"""The cures of the database engine: each works, and without it the fault is still there."""

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
from socialsite.engine import PATCHED_BACKEND_VERSION
from tests.factories import people


@pytest.fixture
def uncured() -> Iterator[None]:
    """A second connection named "uncured", to the same database by the plain backend."""
    wrapper = PlainDatabaseWrapper({**connection.settings_dict}, alias="uncured")
    connections.settings["uncured"] = wrapper.settings_dict
    connections["uncured"] = wrapper
    yield
    wrapper.close_pool()
    del connections["uncured"]
    del connections.settings["uncured"]


def stages(queryset: Any) -> set[str]:
    """The names of all plan stages by which the server answers a query."""
    text = queryset.explain()
    found: set[str] = set()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("stage"), str):
                found.add(node["stage"])
            for key, value in node.items():
                if key != "rejectedPlans":
                    walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(json.loads(text))
    return found


def test_the_cures_are_for_the_installed_backend():
    # When this fails, look at each cure below before changing the number.
    assert django_mongodb_backend.__version__ == PATCHED_BACKEND_VERSION


@pytest.mark.parametrize("text", [".*", "ax.", "a.b", "^axb$", "(axb)"])
def test_iexact_takes_its_value_literally(text):
    User.objects.create(username="axb")
    assert not User.objects.filter(username__iexact=text).exists()
    assert User.objects.filter(username__iexact="AxB").exists()


@pytest.mark.usefixtures("uncured")
def test_without_the_cure_iexact_matches_everybody():
    User.objects.create(username="axb")
    assert User.objects.using("uncured").filter(username__iexact=".*").exists()


def test_newest_first_walks_an_index():
    people(3)
    used = stages(User.objects.order_by("-pk")[:2])
    assert "IXSCAN" in used
    assert not used & {"SORT", "COLLSCAN"}


@pytest.mark.usefixtures("uncured")
def test_without_the_cure_newest_first_sorts_everything():
    people(3)
    used = stages(User.objects.using("uncured").order_by("-pk")[:2])
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
def test_look_ups_by_unique_text_use_their_index(queryset):
    used = stages(queryset())
    assert used & {"IXSCAN", "IDHACK"}
    assert "COLLSCAN" not in used


@isolate_apps("tests")
@pytest.mark.usefixtures("uncured")
def test_without_the_cure_a_look_up_by_unique_text_scans():
    class Token(models.Model):
        key = models.CharField(max_length=10, unique=True)

        class Meta:
            app_label = "tests"

    with connections["uncured"].schema_editor() as editor:
        editor.create_model(Token)
    assert "COLLSCAN" in stages(Token.objects.filter(key="x"))
    with connections["default"].schema_editor() as editor:
        editor.delete_model(Token)
        editor.create_model(Token)
    assert "COLLSCAN" not in stages(Token.objects.filter(key="x"))
    with connections["default"].schema_editor() as editor:
        editor.delete_model(Token)


@isolate_apps("tests")
def test_several_nulls_may_stand_under_a_unique_index():
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
def test_a_unique_field_is_added_to_a_model_that_is_there():
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


def test_the_ids_of_models_are_longs_in_the_database():
    people(1)
    Post.objects.create(author=User.objects.get(), text="x")
    kinds = connection.database["feed_post"].aggregate(
        [{"$project": {"id": {"$type": "$_id"}, "author": {"$type": "$author_id"}}}]
    )
    assert [(one["id"], one["author"]) for one in kinds] == [("long", "long")]


@pytest.mark.slow
def test_no_library_of_maps_is_looked_for_when_a_process_starts():
    start = (
        "import ctypes.util, django; sought = []; ctypes.util.find_library = sought.append; "
        "django.setup(); from django.db import connection; "
        "print(connection.vendor, sought, ctypes.util.find_library == sought.append)"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "socialsite.settings"}
    said = subprocess.check_output([sys.executable, "-c", start], env=env, text=True)
    assert said == "mongodb [] True\n"


def test_without_the_cure_a_library_of_maps_is_looked_for_by_many_names(monkeypatch):
    sought = []
    monkeypatch.setattr(ctypes.util, "find_library", sought.append)
    with pytest.raises(ImproperlyConfigured):
        importlib.import_module("django.contrib.gis.gdal.libgdal")
    assert len(sought) > 10
