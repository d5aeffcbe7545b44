"""Check what a database engine supports. ``run.py`` runs this script for each stack, on Django 3.1 and 5.2.

    python checks.py ENGINE URI DATABASE

The last line of the output is JSON with the versions, and with the result of each check: "yes", "no" or the
error that ended the check. The database is dropped afterwards.
"""
# ruff: noqa: DJ008, E402, T201 - some imports require the settings

import json
import platform
import sys
from collections.abc import Callable
from importlib import import_module

import django
import pymongo
import sqlparse
from django.conf import settings

ENGINE, URI, DATABASE = sys.argv[1:]
ADDRESS: dict[str, object] = {"HOST": URI}
ID_FIELD = "django_mongodb_backend.fields.ObjectIdAutoField"
TRANSACTION = "django_mongodb_backend.transaction"
if ENGINE == "djongo":
    ADDRESS = {"CLIENT": {"host": URI}}
    ID_FIELD = "django.db.models.AutoField"
    TRANSACTION = "django.db.transaction"

APPS = ("contenttypes", "auth")
settings.configure(
    DATABASES={"default": {"ENGINE": ENGINE, "NAME": DATABASE, **ADDRESS}},
    DEFAULT_AUTO_FIELD=ID_FIELD,
    INSTALLED_APPS=[f"django.contrib.{label}" for label in APPS],
    # Create tables from the models, because Django's own migrations require integer ids.
    MIGRATION_MODULES=dict.fromkeys(APPS),
    SECRET_KEY="only for this check",  # noqa: S106
    USE_TZ=True,
)
import_module("django.contrib.auth.apps").AuthConfig.default_auto_field = ID_FIELD
import_module("django.contrib.contenttypes.apps").ContentTypesConfig.default_auto_field = ID_FIELD
django.setup()

from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import DatabaseError, connection, models

atomic = import_module(TRANSACTION).atomic


class Pair(models.Model):
    follower = models.IntegerField()
    followee = models.IntegerField()

    class Meta:
        abstract = True
        app_label = "proof"


class Follow(Pair):
    class Meta(Pair.Meta):
        constraints = [models.UniqueConstraint(fields=["follower", "followee"], name="once")]


class OldStyleFollow(Pair):
    class Meta(Pair.Meta):
        unique_together = [("follower", "followee")]


class Person(models.Model):
    username = models.CharField(max_length=30)

    class Meta:
        app_label = "proof"


def refuses_second(model: type[Pair]) -> bool:
    model.objects.create(follower=1, followee=2)
    try:
        model.objects.create(follower=1, followee=2)
    except DatabaseError:  # djongo does not raise the subclass IntegrityError
        return model.objects.count() == 1
    return False


def rolls_back() -> bool:
    before = Person.objects.count()
    try:
        with atomic():
            Person.objects.create(username="carol")
            raise LookupError
    except LookupError:
        return Person.objects.count() == before


def iexact_is_literal() -> bool:
    Person.objects.create(username="alice")
    counts = [Person.objects.filter(username__iexact=name).count() for name in ("ALICE", ".*")]
    return counts == [1, 0]


def migrates_auth() -> bool:
    call_command("migrate", run_syncdb=True, verbosity=0)
    return Permission.objects.count() > 0


def outcome(check: Callable[[], bool]) -> str:
    try:
        return "yes" if check() else "no"
    except Exception as error:
        cause: BaseException = error
        while inner := cause.__cause__ or cause.__context__:
            cause = inner
        return type(cause).__name__


client = pymongo.MongoClient(URI)
try:
    with connection.schema_editor() as editor:
        for model in (Follow, OldStyleFollow, Person):
            editor.create_model(model)
    outcomes = {
        "constraint": outcome(lambda: refuses_second(Follow)),
        "together": outcome(lambda: refuses_second(OldStyleFollow)),
        "iexact": outcome(iexact_is_literal),
        "migrate": outcome(migrates_auth),
        "rollback": outcome(rolls_back),
    }
finally:
    client.drop_database(DATABASE)
about = {
    "Python": platform.python_version(),
    "MongoDB": client.server_info()["version"],
    "versions": f"{django.__version__} / {pymongo.version} / {sqlparse.__version__}",
}
print("\n" + json.dumps({**about, **outcomes}))
