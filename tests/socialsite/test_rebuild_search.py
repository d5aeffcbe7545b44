"""``rebuild_search`` corrects the search words of users and posts."""

from io import StringIO

import pytest
from django.apps import apps as global_apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.factories import people, publish_many


def rebuild(*options):
    out = StringIO()
    call_command("rebuild_search", *options, stdout=out)
    return out.getvalue().strip()


def stored():
    database = connection.database
    return [list(database[name].find().sort("_id")) for name in ("accounts_user", "feed_post")]


def spoil():
    """Change the words as an older version or an import by hand would leave them."""
    connection.database["accounts_user"].update_many({}, {"$unset": {"search_keys": 1}})
    connection.database["feed_post"].update_many({}, {"$set": {"words": ["wrong"]}})


def test_correct_words_stay(clean_site):
    publish_many(people(3)[0], 2, tag="#rain")
    assert rebuild() == (
        "3 users, 0 of them with wrong words. 2 posts, 0 of them with wrong words."
        " All are correct now."
    )


def test_wrong_words_are_corrected_only_without_dry_run(clean_site):
    publish_many(people(3)[0], 2, tag="#rain")
    before = stored()
    spoil()
    counts = "3 users, 3 of them with wrong words. 2 posts, 2 of them with wrong words."
    assert rebuild("--dry-run") == f"{counts} Nothing was changed."
    assert stored() != before
    assert rebuild() == f"{counts} All are correct now."
    assert stored() == before


@pytest.mark.parametrize(
    ("migration", "collection", "field"),
    [
        (("accounts", "0003_search_keys"), "accounts_user", "search_keys"),
        (("feed", "0002_post_words"), "feed_post", "words"),
    ],
)
def test_migrations_give_existing_documents_their_words(migration, collection, field, clean_site):
    """Also those that lack the fields of all later migrations."""
    publish_many(people(3)[0], 2, tag="#rain")
    documents = connection.database[collection]
    before = words_by_id(documents, field)
    spoil()
    loader = MigrationExecutor(connection).loader
    apps = loader.project_state(migration).apps
    later = stored_fields(global_apps, collection) - stored_fields(apps, collection)
    documents.update_many({}, {"$unset": dict.fromkeys(later, 1)})
    loader.disk_migrations[migration].operations[-1].code(None, None)
    assert words_by_id(documents, field) == before


def words_by_id(documents, field):
    return {document["_id"]: document[field] for document in documents.find()}


def stored_fields(apps, collection):
    model = next(model for model in apps.get_models() if model._meta.db_table == collection)
    return {field.column for field in model._meta.concrete_fields}
