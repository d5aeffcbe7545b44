"""The checks themselves, run by ``run.py`` once for each stack, on Django 3.1 as on 5.2.

    python checks.py ENGINE URI DATABASE

The last line printed is JSON: versions, and for each check "yes", "no" or the error that ended it.
The database is dropped afterwards.
"""

import importlib
import json
import platform
import sys
from collections.abc import Callable

import django
import pymongo
import sqlparse
from django.conf import settings

ENGINE, URI, DATABASE = sys.argv[1:]
IS_DJONGO = ENGINE == "djongo"
ID_FIELD = (
    "django.db.models.AutoField" if IS_DJONGO else "django_mongodb_backend.fields.ObjectIdAutoField"
)
APPS = ("contenttypes", "auth")
ADDRESS = {"CLIENT": {"host": URI}} if IS_DJONGO else {"HOST": URI}

settings.configure(
    DATABASES={"default": {"ENGINE": ENGINE, "NAME": DATABASE, **ADDRESS}},
    DEFAULT_AUTO_FIELD=ID_FIELD,
    INSTALLED_APPS=[f"django.contrib.{label}" for label in APPS],
    # Tables straight from the models: Django's own migrations name integer ids.
    MIGRATION_MODULES=dict.fromkeys(APPS),
    SECRET_KEY="proof",  # noqa: S106 - of a site that nobody visits
    USE_TZ=True,
)
for app_label in APPS:
    config = importlib.import_module(f"django.contrib.{app_label}.apps")
    for name in ("AuthConfig", "ContentTypesConfig"):
        if hasattr(config, name):
            getattr(config, name).default_auto_field = ID_FIELD
django.setup()

from django.contrib.auth.models import Permission  # noqa: E402 - needs the settings
from django.core.management import call_command  # noqa: E402
from django.db import DatabaseError, connection, models  # noqa: E402

atomic = importlib.import_module(
    "django.db.transaction" if IS_DJONGO else "django_mongodb_backend.transaction"
).atomic


class Follow(models.Model):
    follower = models.IntegerField()
    followee = models.IntegerField()

    class Meta:
        app_label = "proof"
        constraints = [models.UniqueConstraint(fields=["follower", "followee"], name="once")]


class OldStyleFollow(models.Model):
    follower = models.IntegerField()
    followee = models.IntegerField()

    class Meta:
        app_label = "proof"
        unique_together = [("follower", "followee")]


class Person(models.Model):
    username = models.CharField(max_length=30)

    class Meta:
        app_label = "proof"


class Post(models.Model):
    text = models.CharField(max_length=30)

    class Meta:
        app_label = "proof"


def create_table(model: type[models.Model]) -> None:
    with connection.schema_editor() as editor:
        editor.create_model(model)


def refuses_second(model: type[models.Model]) -> bool:
    create_table(model)
    model.objects.create(follower=1, followee=2)
    try:
        model.objects.create(follower=1, followee=2)
    except DatabaseError:  # an IntegrityError is one, and djongo raises no better
        return model.objects.count() == 1
    return False


def rolls_back() -> bool:
    create_table(Post)
    Post.objects.create(text="before")
    try:
        with atomic():
            Post.objects.create(text="never")
            raise LookupError
    except LookupError:
        return Post.objects.count() == 1


def iexact_is_literal() -> bool:
    create_table(Person)
    Person.objects.create(username="alice")
    Person.objects.create(username="bob")
    people = Person.objects
    finds_alice = people.filter(username__iexact="ALICE").count() == 1
    return finds_alice and people.filter(username__iexact=".*").count() == 0


def migrates_auth() -> bool:
    call_command("migrate", run_syncdb=True, verbosity=0)
    return Permission.objects.count() > 0


def outcome(check: Callable[[], bool]) -> str:
    try:
        return "yes" if check() else "no"
    except Exception as error:
        cause: BaseException = error
        while cause.__cause__ or cause.__context__:
            cause = cause.__cause__ or cause.__context__
        return type(cause).__name__


client = pymongo.MongoClient(URI)
try:
    outcomes = {
        "constraint": outcome(lambda: refuses_second(Follow)),
        "together": outcome(lambda: refuses_second(OldStyleFollow)),
        "rollback": outcome(rolls_back),
        "iexact": outcome(iexact_is_literal),
        "migrate": outcome(migrates_auth),
    }
finally:
    client.drop_database(DATABASE)
versions = [django.__version__, pymongo.version, sqlparse.__version__]
about = {
    "versions": " / ".join(versions),
    "python": platform.python_version(),
    "server": client.server_info()["version"],
}
sys.stdout.write("\n" + json.dumps({**about, **outcomes}) + "\n")
