"""Workers are killed anywhere and sometimes come back; what they began is finished once."""

import pytest

from feed import tasks as feed_tasks
from feed.archive import exporter, importer, jobs, services, tasks
from feed.models import Picture, Post
from tests.factories import UserFactory, follow, people, publish_many
from tests.feed.strategy_site import Killed, killed_after
from tests.uploads import picture

from .conftest import silent_for_a_minute, stored
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


def begun(owner, content, tmp_path):
    file = tmp_path / "archive.zip"
    file.write_bytes(content)
    with file.open("rb") as upload:
        return services.start_import(owner=owner, upload=upload)


@pytest.mark.parametrize("writes", [1, 3, 5, 8, 12, 24, 40, 60, 400])
def test_an_import_that_was_killed_goes_on_and_makes_nothing_twice(
    alice, bob, content, tmp_path, asked_for_archives, work, writes, monkeypatch
):
    monkeypatch.setattr(importer, "CHUNK_SIZE", 10)
    people(3)
    follow(bob, alice)
    archive = begun(alice, content, tmp_path)
    with killed_after(writes):
        work()
    asked_for_archives.clear()
    tasks.resume_archives()
    assert not asked_for_archives  # it may still live
    silent_for_a_minute()
    tasks.resume_archives()
    work()
    archive.refresh_from_db()
    assert archive.state == "done"
    assert archive.counts["posts"] == Post.objects.filter(author=alice).count() == 14
    assert archive.counts["pictures"] == Picture.objects.filter(post__gt=0).count() == 3
    assert archive.counts.get("follows", 0) + archive.counts.get("followed", 0) == 3
    assert stored() == []
    for post in Post.objects.filter(delivery_state="pending"):
        feed_tasks.deliver_post(post_id=post.pk)  # as the sweeper does
    assert Post.objects.filter(delivery_state="done").count() == 14


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_an_export_that_was_killed_is_made_anew_and_whole(alice, asked_for_archives, work, writes):
    publish_many(alice, 3)
    archive = services.start_export(owner=alice)
    with killed_after(writes):
        work()
    silent_for_a_minute()
    tasks.resume_archives()
    work()
    archive.refresh_from_db()
    assert (archive.state, archive.attempts) == ("done", min(2, archive.attempts))
    assert stored() == [f"{archive.file}.zip"]
    with services.open_export(archive_id=archive.pk, owner=alice.pk) as file:
        assert "outbox.json" in names(file.read())


def test_two_workers_at_once_make_one_archive(alice, monkeypatch, asked_for_archives):
    """The first is slow, is taken for dead, and finds out."""
    archive = services.start_export(owner=alice)
    pack = exporter.write_archive

    def slow(**arguments):
        monkeypatch.setattr(exporter, "write_archive", pack)
        pack(**arguments)
        silent_for_a_minute()
        tasks.export_archive(archive_id=archive.pk)

    monkeypatch.setattr(exporter, "write_archive", slow)
    tasks.export_archive(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.state == "done"
    assert stored() == [f"{archive.file}.zip"]


def test_one_that_is_worked_on_is_left_alone(alice, asked_for_archives):
    archive = services.start_export(owner=alice)
    assert jobs.claim_archive(archive_id=archive.pk)
    assert jobs.claim_archive(archive_id=archive.pk) is None
    tasks.export_archive(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.state == "running"


def test_what_stops_again_and_again_is_given_up(
    alice, monkeypatch, asked_for_archives, work, client
):
    def broken(**_):
        raise Killed

    monkeypatch.setattr(exporter, "write_archive", broken)
    archive = services.start_export(owner=alice)
    asked_for_archives.clear()
    for _ in range(jobs.MAX_ATTEMPTS):
        with pytest.raises(Killed):
            tasks.export_archive(archive_id=archive.pk)
        silent_for_a_minute()
    tasks.export_archive(archive_id=archive.pk)
    archive.refresh_from_db()
    assert archive.state == "failed"
    client.force_login(alice)
    assert "could not be created" in client.get("/settings/privacy/data/").content.decode()
    monkeypatch.undo()
    assert services.start_export(owner=alice)  # and may be asked for again


def test_what_an_import_costs_grows_with_its_chunks_and_not_with_their_posts(
    record_commands, monkeypatch, tmp_path
):
    monkeypatch.setattr("feed.services.publication.start_delivery", lambda post: None)

    def cost(number):
        owner = UserFactory()
        archive = begun(
            owner, zipped(*(note(n, f"<p>{n} #tag</p>") for n in range(number))), tmp_path
        )
        with record_commands() as commands:
            tasks.import_archive(archive_id=archive.pk)
        assert Post.objects.filter(author=owner).count() == number
        return [name for name, _ in commands]

    assert cost(3) == cost(45)
