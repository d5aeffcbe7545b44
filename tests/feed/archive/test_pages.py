"""The page on which people ask for their archive and send one."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from feed.archive import jobs, tasks
from feed.archive.jobs import delete_archives
from feed.archive.services import open_export, start_export
from feed.forms import preferences as forms
from feed.models import Archive, Post
from feed.services.posts import publish_post
from tests.factories import publish
from tests.feed.reading_html import words

from .conftest import stored
from .zips import ACTOR, entry, names, note, outbox, packed, zipped

PAGE = "/settings/privacy/data/"
EXPORT, IMPORT = f"{PAGE}export/", f"{PAGE}import/"

pytestmark = pytest.mark.usefixtures("no_archives")


def read(client):
    response = client.get(PAGE)
    assert response.status_code == 200
    return words(response.content.decode())


def ready(owner, work):
    """The finished export of a person."""
    start_export(owner=owner)
    work()
    return Archive.objects.get(owner=owner.pk)


def test_somebody_asks_for_their_archive_and_downloads_it(alice, client, work):
    publish(alice, "Hello from alice")
    client.force_login(alice)
    assert PAGE in client.get("/settings/privacy/").content.decode()
    assert client.post(EXPORT).headers["Location"] == PAGE
    assert "Queued" in read(client)
    assert 'hx-trigger="every 3s"' in client.get(PAGE).content.decode()
    work()
    page = client.get(PAGE).content.decode()
    assert "is ready" in words(page)
    assert 'hx-trigger="every 3s"' not in page
    archive = Archive.objects.get()
    assert (archive.state, archive.done_count, archive.total) == ("done", 1, 1)
    answer = client.get(f"{PAGE}{archive.pk}/")
    content = b"".join(answer.streaming_content)
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"].startswith(
        'attachment; filename="socialsite-alice'
    )
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "outbox.json" in names(content)
    assert "Hello from alice" in str(entry(content, "outbox.json"))


def test_how_far_it_is_stands_on_the_page(alice, client):
    Archive.objects.create(
        owner=alice.pk, kind="export", state="running", total=5000, done_count=1200
    )
    client.force_login(alice)
    assert "1,200 of 5,000" in read(client)
    assert (
        '<progress id="export-progress" max="5000" value="1200">'
        in client.get(PAGE).content.decode()
    )


def test_an_archive_is_its_owners_alone(alice, bob, client, admin_user, work):
    result = ready(alice, work)
    at = f"{PAGE}{result.pk}/"
    for user in (bob, admin_user):
        client.force_login(user)
        assert client.get(at).status_code == 404
        assert str(result.pk) not in client.get(PAGE).content.decode()
    client.logout()
    for path in (PAGE, at):
        assert client.get(path).headers["Location"].startswith("/accounts/login/")
    for path in (EXPORT, IMPORT):
        assert client.post(path).headers["Location"].startswith("/accounts/login/")
        client.force_login(bob)
        assert client.get(path).status_code == 405
        client.logout()
    assert Archive.objects.count() == 1


def test_one_at_a_time_and_one_a_day(alice, client, work):
    client.force_login(alice)
    client.post(EXPORT)
    client.post(EXPORT)
    assert Archive.objects.count() == 1
    work()
    client.post(EXPORT)
    assert Archive.objects.count() == 1
    assert "Tomorrow" in read(client)
    Archive.objects.update(created_at=timezone.now() - timedelta(hours=25))
    client.post(EXPORT)
    assert Archive.objects.count() == 2


def test_after_a_week_it_is_gone(alice, client, work):
    result = ready(alice, work)
    tasks.delete_expired_archives()
    assert stored() == [f"{result.file}.zip"]
    Archive.objects.update(created_at=timezone.now() - timedelta(days=7, seconds=1))
    tasks.delete_expired_archives()
    assert stored() == []
    client.force_login(alice)
    assert client.get(f"{PAGE}{result.pk}/").status_code == 404
    assert "Create archive" in read(client)


def test_a_file_that_is_missing_is_not_found(alice, client, work):
    result = ready(alice, work)
    jobs.delete_file(result.file)
    client.force_login(alice)
    assert client.get(f"{PAGE}{result.pk}/").status_code == 404


def test_what_is_forgotten_leaves_nothing(alice, bob, work, send, client):
    ready(alice, work)
    ready(bob, work)
    client.force_login(alice)
    send(zipped(note(1)))
    assert len(stored()) == 3
    delete_archives(owner=alice.pk)
    delete_archives(owner=alice.pk)
    assert len(stored()) == 1
    assert not Archive.objects.filter(owner=alice.pk).exists()
    work()
    assert not Post.objects.exists()


def test_somebody_brings_their_posts_along(alice, client, send, work):
    client.force_login(alice)
    content = zipped(
        note(1, "<p>Long ago</p>"), note(2, to=["https://o.example/bob"], cc=[]), note(3)
    )
    assert send(content).headers["Location"] == PAGE
    assert "Queued" in read(client)
    work()
    page = read(client)
    assert "Your archive was imported. Imported: 2 posts. Skipped: 1 direct posts." in page
    assert stored() == []
    assert "Long ago" in Client().get("/@alice/").content.decode()


def test_a_bad_archive_is_refused_beside_the_field(alice, client, send):
    client.force_login(alice)
    answer = send(b"no zip")
    assert answer.status_code == 422
    assert "This file is not a zip archive" in answer.content.decode()
    assert send(packed({"a": "b"})).status_code == 422
    assert client.post(IMPORT, {}).status_code == 422
    assert stored() == []
    assert not Archive.objects.exists()


def test_what_is_wrong_deeper_inside_is_said_later(alice, client, send, work):
    client.force_login(alice)
    send(zipped(note(1), bookmarks_dot_json="x"))
    work()
    page = read(client)
    assert "Nothing was imported. “bookmarks.json” in this archive is damaged." in page
    assert not Post.objects.exists()
    assert stored() == []
    assert send(zipped(note(1))).status_code == 302


def test_too_large_a_file_is_refused(alice, client, send, monkeypatch):
    monkeypatch.setattr(forms, "MAX_ARCHIVE_MEGABYTES", 0)
    client.force_login(alice)
    answer = send(zipped(note(1)))
    assert answer.status_code == 422
    assert "This archive is larger than" in answer.content.decode()


def test_one_import_at_a_time(alice, client, send):
    client.force_login(alice)
    send(zipped(note(1)))
    send(zipped(note(2)))
    assert "under way already" in read(client)
    assert len(stored()) == Archive.objects.count() == 1


def test_those_whose_first_posts_are_held_cannot_go_around_that(alice, client, send, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    client.force_login(alice)
    send(zipped(note(1)))
    assert "wait for the moderators" in read(client)
    assert not Archive.objects.exists()


def test_who_goes_away_meanwhile_gets_nothing(alice, client, send, work):
    client.force_login(alice)
    send(zipped(note(1)))
    alice.is_active = False
    alice.save()
    work()
    assert not Post.objects.exists()
    assert Archive.objects.get().state == "failed"
    export = publish_post(author=alice.pk, text="My own")
    archives = ready_for_export(alice, work)
    assert str(export) in str(entry(archives, "outbox.json"))


def ready_for_export(owner, work):
    result = start_export(owner=owner)
    work()
    with open_export(archive_id=result.pk, owner=owner.pk) as file:
        return file.read()


def test_imports_are_limited_also_those_of_bad_files(client, alice, settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"import": "2/d"}
    client.force_login(alice)

    def send(content):
        file = SimpleUploadedFile("archive.zip", content, content_type="application/zip")
        return client.post("/settings/privacy/data/import/", {"archive": file})

    assert [send(b"no archive").status_code for _ in range(2)] == [422, 422]
    refused = send(packed({"actor.json": ACTOR, "outbox.json": outbox(note(1))}))
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 3600
    assert "You can import 2 archives in 1 day." in refused.content.decode()
    assert not Archive.objects.exists()
