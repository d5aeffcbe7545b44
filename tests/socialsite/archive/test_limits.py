"""Imports run in slices, and their files have limits, so that no archive stops the jobs of others."""

import io
import mimetypes
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.utils import timezone

from feed.models import Picture, Post
from socialsite.archive import importer, jobs, media, tasks
from socialsite.archive.media import Decoding
from socialsite.archive.models import Archive
from tests.clips import audio
from tests.uploads import picture

from .test_interrupted_jobs import start_archive_import
from .zips import note, packed, zipped

pytestmark = pytest.mark.usefixtures("no_archives", "no_pictures")
MEDIA = "media_attachments/files"
SIDE = 100
PICTURES = 3


def with_files(files):
    """Return an archive with a post for each file."""
    items = [
        note(
            n, f"<p>{n}</p>", attachment=[{"mediaType": mimetypes.guess_type(name)[0], "url": name}]
        )
        for n, name in enumerate(files)
    ]
    return zipped(*items, **files)


@pytest.fixture
def content():
    return with_files({f"{MEDIA}/{n}.png": picture(size=(SIDE, SIDE + n)) for n in range(PICTURES)})


@pytest.fixture
def clips(remembers_conversions):
    """Return an archive with two audio files."""
    return with_files({f"{MEDIA}/{n}.mp3": audio(seconds=0.3 + n / 10) for n in range(2)})


def run_next(enqueued_archive_tasks):
    task, arguments = enqueued_archive_tasks.pop(0)
    task(**arguments)


def expire_counts():
    connection.database["action_counts"].delete_many({})


def make_due():
    Archive.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=61))


def test_an_import_lets_other_jobs_run_between_its_slices(
    alice, bob, content, tmp_path, enqueued_archive_tasks, monkeypatch, client
):
    monkeypatch.setattr(importer, "SLICE_PIXELS", SIDE * SIDE)
    archive = start_archive_import(alice, content, tmp_path)
    other = start_archive_import(bob, zipped(note(1)), tmp_path)
    finished = []
    while enqueued_archive_tasks:
        run_next(enqueued_archive_tasks)
        finished += [
            pk
            for pk in Archive.objects.filter(state="done").values_list("pk", flat=True)
            if pk not in finished
        ]
        archive.refresh_from_db()
        if archive.state == "waiting":
            assert archive.done_count > 0
            client.force_login(alice)
            html = client.get("/settings/privacy/data/").content.decode()
            assert "It continues by itself." in html
    assert finished == [other.pk, archive.pk]
    assert archive.counts == {"posts": PICTURES, "pictures": PICTURES}
    assert archive.decoded_pixels == sum(SIDE * (SIDE + n) for n in range(PICTURES))
    assert archive.decoding_seconds > 0


def test_slices_end_after_some_time(alice, tmp_path, enqueued_archive_tasks, monkeypatch):
    monkeypatch.setattr(importer, "CHUNK_SIZE", 1)
    seconds = iter(range(0, 10_000, 15))
    monkeypatch.setattr(importer, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    archive = start_archive_import(alice, zipped(*(note(n) for n in range(9))), tmp_path)
    slices = 0
    while enqueued_archive_tasks:
        run_next(enqueued_archive_tasks)
        slices += 1
    archive.refresh_from_db()
    assert (archive.state, archive.counts) == ("done", {"posts": 9})
    assert slices == 4  # of three steps each, and the profile is the tenth


def test_an_import_decodes_a_limited_number_of_pixels(
    alice, content, tmp_path, work, monkeypatch, client
):
    monkeypatch.setattr(media, "MAX_PIXELS", SIDE * SIDE)
    archive = start_archive_import(alice, content, tmp_path)
    work()
    archive.refresh_from_db()
    assert archive.state == "done"
    assert archive.counts == {
        "posts": PICTURES,
        "pictures": 1,
        "too_costly_pictures": PICTURES - 1,
    }
    client.force_login(alice)
    html = client.get("/settings/privacy/data/").content.decode()
    assert "files beyond what one import may process" in html


def test_the_time_of_damaged_pictures_counts():
    decoding = Decoding()
    content = io.BytesIO(picture(size=(SIDE, SIDE)))
    with pytest.raises(ValueError, match="damaged"), decoding.count(content):
        raise ValueError("damaged")
    assert decoding.pixels == SIDE * SIDE
    assert decoding.seconds > 0


def test_imported_files_count_against_the_storage(alice, content, tmp_path, work, settings, client):
    archive = start_archive_import(alice, content, tmp_path)
    work()
    stored_bytes = sum(Picture.objects.values_list("stored_bytes", flat=True))
    assert stored_bytes > 0
    settings.STORAGE_QUOTA_MB = stored_bytes / 2**20
    client.force_login(alice)
    html = client.get("/settings/privacy/data/").content.decode()
    assert "0 bytes of" in html.replace("\xa0", " ")
    Post.objects.all().delete()
    again = start_archive_import(alice, content, tmp_path)
    work()
    again.refresh_from_db()
    assert again.counts == {"posts": PICTURES, "no_storage": PICTURES}
    assert archive.pk != again.pk
    html = client.get("/settings/privacy/data/").content.decode()
    assert "files for which you have no storage left" in html


def test_imported_clips_count_against_the_limit_of_clips(
    alice, clips, tmp_path, enqueued_archive_tasks, settings
):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"clip": "1/h"}
    archive = start_archive_import(alice, clips, tmp_path)
    run_next(enqueued_archive_tasks)
    archive.refresh_from_db()
    assert (archive.state, archive.done_count) == ("waiting", 1)
    assert archive.heartbeat_at > timezone.now() + timedelta(minutes=30)
    tasks.resume_archives()
    assert enqueued_archive_tasks == []
    expire_counts()
    make_due()
    tasks.resume_archives()
    run_next(enqueued_archive_tasks)
    archive.refresh_from_db()
    assert archive.state == "done"
    assert archive.counts == {"posts": 2, "pictures": 2}
    assert Picture.objects.filter(post__gt=0, kind="audio", state="ready").count() == 2


def test_an_import_waits_while_another_clip_of_the_user_is_converted(
    alice, clips, tmp_path, enqueued_archive_tasks
):
    busy = Picture.objects.create(
        owner=alice.pk,
        name="0" * 32,
        width=0,
        height=0,
        state="processing",
        attempts=1,
        due_at=timezone.now() + timedelta(minutes=1),
    )
    archive = start_archive_import(alice, clips, tmp_path)
    run_next(enqueued_archive_tasks)
    archive.refresh_from_db()
    assert (archive.state, archive.done_count, archive.attempts) == ("waiting", 0, 0)
    busy.delete()
    make_due()
    tasks.resume_archives()
    while enqueued_archive_tasks:
        run_next(enqueued_archive_tasks)
    archive.refresh_from_db()
    assert archive.counts == {"posts": 2, "pictures": 2}


def test_without_clips_an_import_does_not_wait_for_them(alice, clips, tmp_path, work, settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"clip": "0/d"}
    archive = start_archive_import(alice, clips, tmp_path)
    work()
    archive.refresh_from_db()
    assert archive.counts == {"posts": 2, "unreadable_pictures": 2}


def test_a_waiting_archive_is_not_enqueued_again_each_minute(
    alice, tmp_path, enqueued_archive_tasks
):
    start_archive_import(alice, packed({"actor.json": {}, "outbox.json": {}}), tmp_path)
    enqueued_archive_tasks.clear()
    make_due()
    tasks.resume_archives()
    tasks.resume_archives()
    assert len(enqueued_archive_tasks) == 1
    assert jobs.is_running() is False
