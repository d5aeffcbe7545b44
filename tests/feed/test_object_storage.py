"""Media in a store that speaks S3: a real server process for the whole life of pictures and clips.

Skipped without the dependency group ``s3`` (``docs/tests.md``).
"""

import io
import socket
import subprocess
import sys
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import timedelta

import pytest
from django.conf import settings as site_settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.brand import logos
from accounts.infra import pictures
from accounts.infra.refusals import TryLater
from accounts.models import User
from accounts.services.erasure import erase_user
from feed import tasks
from feed.models import Picture, Post
from feed.services.moderation import VISIBLE, set_post_hidden
from socialsite.archive import services
from socialsite.archive import tasks as archive_tasks
from socialsite.archive.models import Archive
from socialsite.local.ports import free_port
from tests.clips import published_clip, require_ffmpeg, upload, video
from tests.uploads import picture

from .picture_uploads import media_of, publish, send, served

boto3 = pytest.importorskip("boto3", reason="the dependency group s3 is not installed")
Config = pytest.importorskip("botocore.config").Config
pytest.importorskip("storages", reason="the dependency group s3 is not installed")
pytest.importorskip("moto.server", reason="the dependency group s3 is not installed")

KEYS = {"access_key": "site", "secret_key": "only-for-tests"}
START_SECONDS = 60


class Store:
    """A bucket of a server process that can be stopped."""

    def __init__(self) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = (sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port))
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait(port)
        self._client = boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id="site",
            aws_secret_access_key="only-for-tests",
            region_name="us-east-1",
        )
        self._client.create_bucket(Bucket="media")

    def _wait(self, port: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                return
            time.sleep(0.1)
        raise TimeoutError("The store did not start.")

    def stored_keys(self) -> list[str]:
        listed = self._client.list_objects_v2(Bucket="media")
        return sorted(entry["Key"] for entry in listed.get("Contents", ()))

    def clear(self) -> None:
        for key in self.stored_keys():
            self._client.delete_object(Bucket="media", Key=key)

    def stop(self) -> None:
        self._client.close()
        self._process.terminate()
        self._process.wait()


@pytest.fixture(scope="module")
def server():
    store = Store()
    yield store
    store.stop()


def use(settings, *, url, bucket="media", **options):
    """Keep media in a bucket, as ``S3_BUCKET`` does."""
    options = {"bucket_name": bucket, "location": "site", "endpoint_url": url, **KEYS, **options}
    backend = "socialsite.object_storage.ObjectStorage"
    settings.STORAGES = {
        **site_settings.STORAGES,
        "default": {"BACKEND": backend, "OPTIONS": {"region_name": "us-east-1", **options}},
    }


@pytest.fixture
def store(server, settings):
    server.clear()
    use(settings, url=server.url)
    client = default_storage.connection.meta.client
    yield server
    client.close()


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@contextmanager
def counted_requests():
    """Count the requests to the store by operation."""
    counts: Counter[str] = Counter()

    def count(model, **_more):
        counts[model.name] += 1

    events = default_storage.connection.meta.client.meta.events
    events.register("before-call.s3", count)
    yield counts
    events.unregister("before-call.s3", count)


def content_of(response):
    content = b"".join(response) if response.streaming else response.content
    response.close()
    return content


def run_enqueued(asked):
    while asked:
        name, arguments = asked.pop(0)
        getattr(tasks, name)(**arguments)


def test_a_file_is_read_from_any_position(store):
    content = bytes(range(256)) * 5000
    assert default_storage.save("some/file", ContentFile(content)) == "some/file"
    with counted_requests() as counts, default_storage.open("some/file") as file:
        assert file.size == len(content)
        assert file.read() == content
        assert file.read(1) == b""
    assert counts == {"GetObject": 1}
    with counted_requests() as counts, default_storage.open("some/file") as file:
        file.seek(1_000_000)
        assert file.read(70_000) == content[1_000_000:1_070_000]
        assert file.tell() == 1_070_000
        file.seek(5, io.SEEK_CUR)
        assert file.read(3) == content[1_070_005:1_070_008]
    assert counts == {"GetObject": 2}
    with default_storage.open("some/file") as file:
        file.seek(-10, io.SEEK_END)
        assert file.read() == content[-10:]
        file.seek(0)
        assert file.read(10) == content[:10]


def test_an_object_that_changes_is_not_mixed(store):
    default_storage.save("file", ContentFile(b"a" * 1_000_000))
    with default_storage.open("file") as file:
        assert file.read(1) == b"a"
        default_storage.delete("file")
        default_storage.save("file", ContentFile(b"b" * 1_000_000))
        file.seek(900_000)
        with pytest.raises(TryLater):
            file.read(1)


def test_names_missing_files_and_folders_are_like_those_of_a_folder(store):
    assert default_storage.save("a/file", ContentFile(b"1")) == "a/file"
    assert default_storage.save("a/file", ContentFile(b"2")) != "a/file"
    with default_storage.open("a/file") as file:
        assert file.read() == b"1"
    with pytest.raises(FileNotFoundError):
        default_storage.open("a/other")
    default_storage.delete("a/other")
    assert pictures.stored_names(folder="b") == []
    for name in ("7-x", "7-y", "77-z", "deeper/7-x"):
        default_storage.save(f"b/{name}", ContentFile(b""))
    assert sorted(pictures.stored_names(folder="b", prefix="7-")) == ["7-x", "7-y"]


def test_threads_share_one_client(store):
    names = [f"file-{number}" for number in range(8)]
    with ThreadPoolExecutor(4) as threads:
        clients = set(threads.map(lambda _name: id(default_storage.connection), names))
        list(threads.map(lambda name: default_storage.save(name, ContentFile(b"x")), names))
    assert len(clients) == 1
    assert store.stored_keys() == [f"site/{name}" for name in names]


def test_unused_logos_are_deleted(store, monkeypatch):
    logos.delete_unused_logos(current="")
    old, current = (logos.save_logo(picture=content) for content in (b"old", b"current"))
    logos.delete_unused_logos(current=current)
    assert logos.is_stored(name=old)
    monkeypatch.setattr(logos, "PREVIEW_TIME", timedelta(seconds=-5))
    logos.delete_unused_logos(current=current)
    assert store.stored_keys() == [f"site/logos/{current}.webp"]


def test_the_life_of_pictures_and_clips(store, as_alice, alice, bob, asked):
    require_ffmpeg()
    avatar = SimpleUploadedFile("me.png", picture())
    assert as_alice.post("/settings/profile/", {"avatar": avatar}).status_code == 302
    as_bob = Client()
    as_bob.force_login(bob)
    as_bob.post("/settings/profile/", {"avatar": SimpleUploadedFile("me.png", picture())})
    name = User.objects.get(pk=alice.pk).avatar
    assert content_of(Client().get(f"/media/avatars/{name}.webp")).startswith(b"RIFF")

    # A picture: upload, view, hide and restore, edit, delete.
    post = publish(as_alice, picture(), picture(color="blue"))
    _response, content = served(Client(), post)
    assert content.startswith(b"RIFF")
    shown_keys = store.stored_keys()
    set_post_hidden(post_id=post.pk, state=Post.Hidden.REMOVED)
    url = f"/media/pictures/{post.media[0]['name']}-large.webp"
    assert Client().get(url).status_code == 404
    set_post_hidden(post_id=post.pk, state=VISIBLE)
    assert (store.stored_keys(), served(Client(), post)[1]) == (shown_keys, content)
    first, second = (entry["id"] for entry in post.media)
    edited = {"text": "One", "media": [first, second], f"drop_{second}": "on"}
    assert as_alice.post(f"/posts/{post.pk}/edit/", edited).status_code == 302
    run_enqueued(asked)
    assert len([key for key in store.stored_keys() if "/pictures/" in key]) == 2
    assert served(Client(), post)[1] == content

    # A clip: convert, play parts.
    clip = published_clip(alice, video())["media_attachments"][0]
    path = clip["url"].removeprefix("http://testserver")
    whole = content_of(Client().get(path))
    part = Client().get(path, headers={"Range": "bytes=100-299"})
    assert (part.status_code, content_of(part)) == (206, whole[100:300])
    assert not [key for key in store.stored_keys() if "/uploads/" in key]

    # An archive: export, download, import.
    services.start_export(owner=alice)
    archive_tasks.export_archive(archive_id=Archive.objects.get().pk)
    export = Archive.objects.get(state=Archive.State.DONE)
    zipped = content_of(as_alice.get(f"/settings/privacy/data/{export.pk}/"))
    names = zipfile.ZipFile(io.BytesIO(zipped)).namelist()
    assert {"avatar.webp", f"media_attachments/files/{post.media[0]['name']}.webp"} <= set(names)
    services.start_import(owner=bob, upload=io.BytesIO(zipped))
    archive_tasks.import_archive(archive_id=Archive.objects.get(owner=bob.pk).pk)
    assert Archive.objects.get(owner=bob.pk).state == Archive.State.DONE
    assert Post.objects.filter(author=bob).count() == 2

    as_alice.post(f"/posts/{post.pk}/delete/")
    run_enqueued(asked)
    assert Client().get(url).status_code == 404
    assert send(as_alice, picture()).status_code == 422  # stored, but not described and published
    Picture.objects.filter(post=None).update(created_at=timezone.now() - timedelta(days=3))
    tasks.clean_up_pictures()
    assert not Picture.objects.filter(post=None).exists()

    assert erase_user(uid=alice.pk)
    run_enqueued(asked)
    tasks.clean_up_pictures()
    left = store.stored_keys()
    names = set(Picture.objects.filter(owner=bob.pk).values_list("name", flat=True))
    assert len(names) == 2
    assert {key.split("/")[2].split("-")[0] for key in left} == {*names, str(bob.pk)}
    Archive.objects.update(created_at=timezone.now() - timedelta(days=8))
    archive_tasks.delete_expired_archives()
    assert erase_user(uid=bob.pk)
    run_enqueued(asked)
    tasks.clean_up_pictures()
    assert store.stored_keys() == []


def test_requests_to_the_store(store, as_alice, alice, asked):
    """The figures of ``docs/decisions/0028-media-in-object-storage.md``."""
    with counted_requests() as counts:
        post = publish(as_alice, picture())
    assert counts == {"HeadObject": 2, "PutObject": 2}
    with counted_requests() as counts:
        as_alice.get("/")
    assert counts == {}
    with counted_requests() as counts:
        served(Client(), post)
    assert counts == {"GetObject": 1}
    as_alice.post(f"/posts/{post.pk}/delete/")
    with counted_requests() as counts:
        run_enqueued(asked)
    assert counts == {"DeleteObject": 4}
    require_ffmpeg()
    with counted_requests() as counts:
        clip = published_clip(alice, video())["media_attachments"][0]
    assert counts == {"HeadObject": 4, "PutObject": 4, "GetObject": 1, "DeleteObject": 4}
    for asked_range, requests in (("bytes=0-", 1), ("bytes=100-299", 1)):
        with counted_requests() as counts:
            path = clip["url"].removeprefix("http://testserver")
            content_of(Client().get(path, headers={"Range": asked_range}))
        assert counts == {"GetObject": requests}


def broken_store(settings, server, how):
    """Use a store that is down, refuses the site, or does not respond. Return what must be closed."""
    if how == "no bucket":
        use(settings, url=server.url, bucket="other")
        return nullcontext()
    listener = socket.create_server(("127.0.0.1", 0))
    use(settings, url=f"http://127.0.0.1:{listener.getsockname()[1]}")
    if how == "down":
        listener.close()
        return nullcontext()
    config = default_storage.client_config
    use(
        settings,
        url=default_storage.endpoint_url,
        client_config=config.merge(Config(read_timeout=0.2)),
    )
    return closing(listener)


@pytest.mark.parametrize("how", ["down", "slow", "no bucket"])
def test_a_broken_store_gives_clear_errors(store, settings, as_alice, alice, asked, how):
    post = publish(as_alice, picture())
    with broken_store(settings, store, how):
        response = send(as_alice, picture(), text="Still here")
        assert (response.status_code, response["Retry-After"]) == (503, "60")
        page = response.content.decode()
        assert "Try again in a minute" in page
        assert "Still here" in page
        assert media_of(response) == []

        response = upload(alice, picture(), "me.png")
        assert response.status_code == 503
        assert "Try again in a minute" in response.json()["error"]

        data = {"display_name": "New", "avatar": SimpleUploadedFile("me.png", picture())}
        response = as_alice.post("/settings/profile/", data)
        assert response.status_code == 503
        assert "Try again in a minute" in response.content.decode()
        assert User.objects.get(pk=alice.pk).display_name != "New"
        assert User.objects.get(pk=alice.pk).avatar == ""

        url = f"/media/pictures/{post.media[0]['name']}-large.webp"
        response = Client().get(url)
        assert response.status_code == 503
        assert response["Cache-Control"] == "no-store"
        response = as_alice.get(url, headers={"Accept": "text/html"})
        assert response.status_code == 503
        assert "Not available right now" in response.content.decode()

    assert Post.objects.count() == 1
    use(settings, url=store.url)
    Picture.objects.filter(post=None).update(created_at=timezone.now() - timedelta(days=3))
    tasks.clean_up_pictures()
    assert Picture.objects.count() == 1
    assert len(store.stored_keys()) == 2
    served(Client(), post)


def test_a_clip_that_cannot_be_stored_does_not_wait(store, settings, alice, asked):
    with broken_store(settings, store, "down"):
        assert upload(alice, video()).status_code == 503
    assert not Picture.objects.exclude(post=Picture.DELETED_POST).exists()
    assert not asked


def test_an_archive_that_cannot_be_stored(store, settings, as_alice, alice):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("actor.json", "{}")
        zipped.writestr("outbox.json", '{"orderedItems": []}')
    with broken_store(settings, store, "down"):
        archive = SimpleUploadedFile("archive.zip", file.getvalue())
        response = as_alice.post("/settings/privacy/data/import/", {"archive": archive})
    assert response.status_code == 503
    assert "Try again in a minute" in response.content.decode()
    assert not Archive.objects.exists()
