"""The page on which users export and import archives."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone, translation

from accounts.services.profiles import change_settings
from feed.models import Post
from socialsite.archive import forms, jobs, tasks
from socialsite.archive.jobs import delete_archives
from socialsite.archive.models import Archive
from socialsite.archive.services import open_export, start_export
from tests.actions import publish_post
from tests.factories import publish
from tests.feed.reading_html import words
from tests.languages.helpers import translated

from .conftest import stored
from .zips import ACTOR, entry, names, note, outbox, packed, zipped

PAGE = "/settings/privacy/data/"
EXPORT, IMPORT = f"{PAGE}export/", f"{PAGE}import/"

pytestmark = pytest.mark.usefixtures("no_archives")


def read(client):
    response = client.get(PAGE)
    assert response.status_code == 200
    return words(response.content.decode())


def create_export(owner):
    """Export the user's archive and return it."""
    tasks.export_archive(archive_id=start_export(owner=owner).pk)
    return Archive.objects.get(owner=owner.pk)


def test_a_user_requests_and_downloads_an_archive(alice, client, work):
    publish(alice, "Hello from alice")
    client.force_login(alice)
    assert PAGE in client.get("/settings/privacy/").content.decode()
    assert client.post(EXPORT).headers["Location"] == PAGE
    assert "waiting to be processed" in read(client)
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


def test_the_page_shows_the_progress(alice, client):
    Archive.objects.create(
        owner=alice.pk, kind="export", state="running", total=5000, done_count=1200
    )
    client.force_login(alice)
    assert "1,200 of 5,000" in read(client)
    assert (
        '<progress id="export-progress" max="5000" value="1200">'
        in client.get(PAGE).content.decode()
    )


def test_only_the_owner_can_download_an_archive(alice, bob, client, admin_user):
    archive = create_export(alice)
    download_url = f"{PAGE}{archive.pk}/"
    for user in (bob, admin_user):
        client.force_login(user)
        assert client.get(download_url).status_code == 404
        assert str(archive.pk) not in client.get(PAGE).content.decode()
    client.logout()
    for path in (PAGE, download_url):
        assert client.get(path).headers["Location"].startswith("/accounts/login/")
    for path in (EXPORT, IMPORT):
        assert client.post(path).headers["Location"].startswith("/accounts/login/")
        client.force_login(bob)
        assert client.get(path).status_code == 405
        client.logout()
    assert Archive.objects.count() == 1


def test_a_user_can_export_once_a_day(alice, client, work):
    client.force_login(alice)
    client.post(EXPORT)
    client.post(EXPORT)
    assert Archive.objects.count() == 1
    work()
    client.post(EXPORT)
    assert Archive.objects.count() == 1
    assert "tomorrow" in read(client)
    Archive.objects.update(created_at=timezone.now() - timedelta(hours=25))
    client.post(EXPORT)
    assert Archive.objects.count() == 2


def test_an_archive_expires_after_a_week(alice, client):
    archive = create_export(alice)
    tasks.delete_expired_archives()
    assert stored() == [f"{archive.file}.zip"]
    Archive.objects.update(created_at=timezone.now() - timedelta(days=7, seconds=1))
    tasks.delete_expired_archives()
    assert stored() == []
    client.force_login(alice)
    assert client.get(f"{PAGE}{archive.pk}/").status_code == 404
    assert "Create archive" in read(client)


def test_an_archive_without_its_file_returns_404(alice, client):
    archive = create_export(alice)
    jobs.delete_file(archive.file)
    client.force_login(alice)
    assert client.get(f"{PAGE}{archive.pk}/").status_code == 404


def test_deleting_archives_deletes_files_and_cancels_imports(alice, bob, work, send, client):
    create_export(alice)
    create_export(bob)
    client.force_login(alice)
    send(zipped(note(1)))
    assert len(stored()) == 3
    delete_archives(owner=alice.pk)
    delete_archives(owner=alice.pk)
    assert len(stored()) == 1
    assert not Archive.objects.filter(owner=alice.pk).exists()
    work()
    assert not Post.objects.exists()


def test_a_user_imports_an_archive(alice, client, send, work):
    client.force_login(alice)
    content = zipped(
        note(1, "<p>Long ago</p>"), note(2, to=["https://o.example/bob"], cc=[]), note(3)
    )
    assert send(content).headers["Location"] == PAGE
    assert "waiting to be processed" in read(client)
    work()
    page = read(client)
    assert "Your archive was imported. Imported: posts: 2 Not imported: direct posts: 1" in page
    assert stored() == []
    assert "Long ago" in Client().get("/@alice/").content.decode()


def test_a_bad_archive_is_refused_with_a_field_error(alice, client, send):
    client.force_login(alice)
    answer = send(b"no zip")
    assert answer.status_code == 422
    assert "This file is not a zip archive" in answer.content.decode()
    assert send(packed({"a": "b"})).status_code == 422
    assert client.post(IMPORT, {}).status_code == 422
    assert stored() == []
    assert not Archive.objects.exists()


def test_a_damaged_file_inside_the_archive_is_reported_later(alice, client, send, work):
    client.force_login(alice)
    send(zipped(note(1), bookmarks_dot_json="x"))
    work()
    page = read(client)
    assert "Nothing was imported. The file “bookmarks.json” in this archive is damaged." in page
    assert not Post.objects.exists()
    assert stored() == []
    assert send(zipped(note(1))).status_code == 302


def test_the_reason_has_the_language_of_the_owner(alice, client, send, work):
    change_settings(uid=alice.pk, language="de")
    client.force_login(alice)
    send(zipped(note(1), bookmarks_dot_json="x"))
    with translation.override("en"):  # the language of the worker
        work()
    text = "The file “%(name)s” in this archive is damaged. Download the archive again and retry."
    expected = translated(text, "de") % {"name": "bookmarks.json"}
    assert Archive.objects.get().error == expected
    assert expected in read(client)


def test_a_too_large_file_is_refused(alice, client, send, monkeypatch):
    monkeypatch.setattr(forms, "MAX_ARCHIVE_MEGABYTES", 0)
    client.force_login(alice)
    answer = send(zipped(note(1)))
    assert answer.status_code == 422
    assert "This archive is too large" in answer.content.decode()


def test_a_second_concurrent_import_is_refused(alice, client, send):
    client.force_login(alice)
    send(zipped(note(1)))
    send(zipped(note(2)))
    assert "already being processed" in read(client)
    assert len(stored()) == Archive.objects.count() == 1


def test_users_whose_posts_need_review_cannot_import(alice, client, send, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    client.force_login(alice)
    send(zipped(note(1)))
    assert "must be approved by a moderator" in read(client)
    assert not Archive.objects.exists()


def test_deactivation_cancels_an_import_but_not_an_export(alice, client, send, work):
    client.force_login(alice)
    send(zipped(note(1)))
    alice.is_active = False
    alice.save()
    work()
    assert not Post.objects.exists()
    assert Archive.objects.get().state == "failed"
    post_id = publish_post(author=alice.pk, text="My own")
    content = export_content(alice)
    assert str(post_id) in str(entry(content, "outbox.json"))


def export_content(owner):
    archive = start_export(owner=owner)
    tasks.export_archive(archive_id=archive.pk)
    with open_export(archive_id=archive.pk, owner=owner.pk) as file:
        return file.read()


def test_bad_files_count_towards_the_rate_limit_of_imports(client, alice, settings):
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
