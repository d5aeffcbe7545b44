"""If a worker is killed, its archive job is resumed and finishes exactly once."""

import pytest

from accounts.services.profiles import change_settings
from feed import tasks as feed_tasks
from feed.models import Picture, Post
from feed.task_queue import enqueue
from socialsite.archive import exporter, importer, jobs, services, tasks
from tests.factories import UserFactory, follow, people, publish_many
from tests.feed.strategy_site import Killed, killed_after
from tests.languages.helpers import translated
from tests.uploads import picture

from .conftest import expire_heartbeats, stored
from .zips import names, note, zipped

pytestmark = pytest.mark.usefixtures("no_archives", "no_pictures")
MEDIA = "media_attachments/files"


@pytest.fixture(scope="module")
def content():
    def attached(number):
        return [{"mediaType": "image/png", "url": f"{MEDIA}/{number}.png", "name": "Red"}]

    items = [
        note(n, f"<p>{n}</p>", attachment=attached(n) if n % 6 == 0 else []) for n in range(14)
    ]
    files = {f"{MEDIA}/{n}.png": picture() for n in range(0, 14, 6)}
    table = "\r\n".join(f"p{n}@testserver" for n in range(3))
    return zipped(*items, following_accounts_dot_csv=table, **files)


def start_archive_import(owner, content, tmp_path):
    file = tmp_path / "archive.zip"
    file.write_bytes(content)
    with file.open("rb") as upload:
        archive = services.start_import(owner=owner, upload=upload)
    enqueue(tasks.import_archive, archive_id=archive.pk)
    return archive


@pytest.mark.parametrize(
    "writes",
    [1, 8, 24, 400, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 5, 12, 40, 60))],
)
def test_a_killed_import_is_resumed_without_duplicates(
    alice, bob, content, tmp_path, enqueued_archive_tasks, work, writes, monkeypatch
):
    monkeypatch.setattr(importer, "CHUNK_SIZE", 10)
    people(3)
    follow(bob, alice)
    archive = start_archive_import(alice, content, tmp_path)
    with killed_after(writes):
        work()
    enqueued_archive_tasks.clear()
    tasks.resume_archives()
    assert not enqueued_archive_tasks  # the heartbeat is recent, so the worker is alive
    expire_heartbeats()
    tasks.resume_archives()
    work()
    archive.refresh_from_db()
    assert archive.state == "done"
    assert archive.counts["posts"] == Post.objects.filter(author=alice).count() == 14
    assert archive.counts["pictures"] == Picture.objects.filter(post__gt=0).count() == 3
    assert archive.counts.get("follows", 0) + archive.counts.get("already_followed", 0) == 3
    assert stored() == []
    for post in Post.objects.filter(delivery_state="pending"):
        feed_tasks.deliver_post(post_id=post.pk)
    assert Post.objects.filter(delivery_state="done").count() == 14


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_a_killed_export_is_repeated_completely(alice, enqueued_archive_tasks, work, writes):
    publish_many(alice, 3)
    archive = services.start_export(owner=alice)
    with killed_after(writes):
        tasks.export_archive(archive_id=archive.pk)
    expire_heartbeats()
    tasks.resume_archives()
    work()
    archive.refresh_from_db()
    assert (archive.state, archive.attempts) == ("done", min(2, archive.attempts))
    assert stored() == [f"{archive.file}.zip"]
    with services.open_export(archive_id=archive.pk, owner=alice.pk) as file:
        assert "outbox.json" in names(file.read())


def test_two_concurrent_workers_create_one_archive(alice, monkeypatch, enqueued_archive_tasks):
    """If a slow worker is considered dead, only the archive of a second worker is stored."""
    archive = services.start_export(owner=alice)
    pack = exporter.write_archive

    def slow(**arguments):
        monkeypatch.setattr(exporter, "write_archive", pack)
        pack(**arguments)
        expire_heartbeats()
        tasks.export_archive(archive_id=archive.pk)

    monkeypatch.setattr(exporter, "write_archive", slow)
    tasks.export_archive(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.state == "done"
    assert stored() == [f"{archive.file}.zip"]


def test_an_archive_that_is_in_progress_is_not_claimed_again(alice, enqueued_archive_tasks):
    archive = services.start_export(owner=alice)
    assert jobs.claim_archive(archive_id=archive.pk)
    assert jobs.claim_archive(archive_id=archive.pk) is None
    tasks.export_archive(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.state == "running"


def test_a_job_fails_after_the_maximum_number_of_attempts(
    alice, monkeypatch, enqueued_archive_tasks, work, client
):
    def broken(**_):
        raise Killed

    monkeypatch.setattr(exporter, "write_archive", broken)
    change_settings(uid=alice.pk, language="de")
    archive = services.start_export(owner=alice)
    for _ in range(jobs.MAX_ATTEMPTS):
        with pytest.raises(Killed):
            tasks.export_archive(archive_id=archive.pk)
        expire_heartbeats()
    tasks.export_archive(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.state == "failed"
    client.force_login(alice)
    page = client.get("/settings/privacy/data/").content.decode()
    for text in (
        "Your archive could not be created.",
        "Several attempts failed for an unknown reason. Try again later.",
    ):
        assert translated(text, "de") in page
    monkeypatch.undo()
    assert services.start_export(owner=alice)  # a failed export does not block a new export


def test_the_cost_of_an_import_depends_on_chunks_and_not_on_posts(
    record_commands, monkeypatch, tmp_path
):
    monkeypatch.setattr("feed.services.publication.start_delivery", lambda post: None)

    def cost(number):
        owner = UserFactory()
        archive = start_archive_import(
            owner, zipped(*(note(n, f"<p>{n} #tag</p>") for n in range(number))), tmp_path
        )
        with record_commands() as commands:
            tasks.import_archive(archive_id=archive.pk)
        assert Post.objects.filter(author=owner).count() == number
        return [name for name, _ in commands]

    assert cost(3) == cost(45)
