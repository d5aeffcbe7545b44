"""Private notes about other users, on pages, in the API and in exports."""

import csv
import io
import zipfile
from functools import partial

import pytest
from django.test import Client

from accounts.store.collections import user_notes
from socialsite.archive.exporter import write_archive
from tests.api.api_client import Api
from tests.at_once import at_once

PATH = "/@bob/note/"


def text_of(client, path="/@bob/"):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def note_of(user, other):
    (relationship,) = Api(user).get("accounts/relationships", id=other.pk).json()
    return relationship["note"]


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def test_a_note_is_written_changed_and_deleted(as_alice, alice, bob):
    assert "Write a note" in text_of(as_alice)
    for text in ("From the <book> club\nlikes tea", "Moved to Lisbon"):
        response = as_alice.post(PATH, {"text": text}, follow=True)
        assert "Note saved." in response.content.decode()
        assert note_of(alice, bob) == text
    page = text_of(as_alice)
    assert "Moved to Lisbon" in page
    assert "Edit your note" in page
    assert "Moved to Lisbon" in text_of(as_alice, PATH)
    for _click in range(2):
        assert as_alice.post(PATH, {"text": "  "}).status_code == 302
    assert note_of(alice, bob) == ""
    assert user_notes().count_documents({}) == 0


def test_only_its_author_sees_a_note(as_alice, alice, bob, carol):
    as_alice.post(PATH, {"text": "Secret"})
    for other in (bob, carol):
        client = Client()
        client.force_login(other)
        assert "Secret" not in text_of(client)
        assert note_of(other, bob if other == carol else alice) == ""
    assert "Secret" not in text_of(Client())


def test_visitors_log_in_first(client, bob):
    assert client.get(PATH)["Location"] == "/accounts/login/?next=/%40bob/note/"
    assert client.post(PATH, {"text": "x"}).status_code == 302
    assert user_notes().count_documents({}) == 0


def test_bad_notes_are_refused(as_alice, alice, bob):
    assert as_alice.post(PATH, {"text": "x" * 2001}).status_code == 422
    assert as_alice.post("/@nobody/note/", {"text": "x"}).status_code == 404
    for method in (as_alice.get, as_alice.post):
        assert method("/@alice/note/", {"text": "x"})["Location"] == "/@alice/"
    api = Api(alice)
    assert api.post(f"accounts/{bob.pk}/note", comment="x" * 2001).status_code == 422
    assert api.post(f"accounts/{alice.pk}/note", comment="x").status_code == 422
    assert api.post("accounts/1/note", comment="x").status_code == 404
    assert user_notes().count_documents({}) == 0


def test_apps_write_notes(alice, bob):
    api = Api(alice)
    assert api.post(f"accounts/{bob.pk}/note", comment="Met in May").json()["note"] == "Met in May"
    assert note_of(alice, bob) == "Met in May"
    assert api.post(f"accounts/{bob.pk}/note", comment="").json()["note"] == ""
    assert Api(alice, scopes="read").post(f"accounts/{bob.pk}/note").status_code == 403


def test_concurrent_notes_make_one_note(alice, bob):
    def save(number):
        response = Api(alice).post(f"accounts/{bob.pk}/note", comment=f"Note {number}")
        assert response.status_code == 200

    at_once(*(partial(save, number) for number in range(6)))
    assert user_notes().count_documents({"owner": alice.pk, "other": bob.pk}) == 1


def test_notes_are_exported(alice, bob, carol):
    for other, text in ((bob, "Likes tea"), (carol, "Two\nlines")):
        Api(alice).post(f"accounts/{other.pk}/note", comment=text)
    carol.is_active = False
    carol.save()
    file = io.BytesIO()
    write_archive(owner=alice, file=file, advance=lambda by=0: None)
    with zipfile.ZipFile(file) as archive:
        rows = list(csv.reader(archive.read("private_notes.csv").decode().splitlines()))
    assert rows == [["Account address", "Note"], ["bob@testserver", "Likes tea"]]
