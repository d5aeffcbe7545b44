"""A stored document may lack a field that has a default, so that a new field needs no migration of data."""

import pytest
from django.db import connection

from accounts.models import User
from feed.models import Picture, Post
from tests.api.api_client import Api
from tests.database import reset_process_caches
from tests.every_page import VOLATILE
from tests.factories import follow
from tests.feed.picture_uploads import publish_pictures
from tests.uploads import picture

PAGES = ("/", "/@bob/", "/@bob/{post}/", "/posts/{post}/edit/")
ENDPOINTS = ("timelines/home", "statuses/{post}", "accounts/{bob}")

QUERIED = {User: {"is_active"}, Post: {"hidden", "visibility"}, Picture: set()}
"""Fields whose value queries compare. A query for a new field has to include documents without it."""


@pytest.fixture
def see(client, alice, bob):
    """Return a function that returns what bob sees of himself, and what apps of alice see of him."""
    follow(alice, bob)
    post = publish_pictures(bob, picture(), text="hello #tea").pk
    values, app = {"post": post, "bob": bob.pk}, Api(alice)

    def load():
        reset_process_caches()
        client.force_login(User.objects.get(pk=bob.pk))
        answers = {path: client.get(path.format(**values)) for path in PAGES}
        answers |= {path: app.get(path.format(**values)) for path in ENDPOINTS}
        return {
            path: (answer.status_code, VOLATILE.sub("", answer.content.decode()))
            for path, answer in answers.items()
        }

    return load


@pytest.mark.parametrize("model", QUERIED)
def test_a_missing_field_has_its_default(see, model):
    before = see()
    assert {status for status, _ in before.values()} == {200}
    collection = connection.database[model._meta.db_table]
    documents = list(collection.find())
    unused = [
        field.column
        for field in model._meta.concrete_fields
        if field.has_default()
        and field.column not in QUERIED[model]
        and all(document[field.column] == field.get_default() for document in documents)
    ]
    assert len(unused) >= 5
    collection.update_many({}, {"$unset": dict.fromkeys(unused, "")})
    assert see() == before
    for document in model.objects.all():
        document.save()
    assert all(name in document for document in collection.find() for name in unused)
