"""``rebuild_search`` corrects the search words of users and posts."""

from io import StringIO

from django.core.management import call_command
from django.db import connection

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
