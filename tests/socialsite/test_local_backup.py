"""``make backup`` and ``make restore``, with embedded servers of their own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from bson import json_util
from django.conf import settings
from django.db import connection
from pymongo import MongoClient

from socialsite.local import backup, mongod
from socialsite.local.backup import check_backup, create_backup, restore_backup
from socialsite.local.errors import LocalError
from socialsite.local.mongodb_uri import PORT_FILE
from socialsite.local.ports import free_port
from tests.database import copy_empty_site

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "socialsite"


@pytest.fixture(autouse=True, scope="module")
def own_environment():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mongod, "DEFAULT_PORT", free_port())
        patch.setenv("MONGODB_NAME", DATABASE)
        patch.delenv("MONGODB_URI", raising=False)
        yield


def make_data_dir(path):
    (path / "media" / "pictures").mkdir(parents=True)
    (path / "media" / "pictures" / "a.webp").write_bytes(b"a picture")
    (path / "secret").write_text("the secret")
    return path


@pytest.fixture
def data_dir(tmp_path):
    return make_data_dir(tmp_path / "data")


@contextmanager
def running_server(data_dir):
    """Yield the URI of the embedded server of this folder, and kill it afterwards."""
    server = mongod.start_embedded(data_dir=data_dir)
    try:
        yield server.uri
    finally:
        server.child.kill()


@contextmanager
def open_database(data_dir):
    with running_server(data_dir) as uri, MongoClient(uri, tz_aware=True) as client:
        yield client[DATABASE]


def fill(database):
    """Write several kinds of collections and indexes."""
    database["posts"].insert_many({"_id": n, "text": f"post {n}"} for n in range(2500))
    database["posts"].create_index([("text", 1), ("_id", -1)], unique=True, name="by_text")
    database["sessions"].create_index("expires_at", expireAfterSeconds=0)
    database["sessions"].insert_one({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)})
    database.create_collection("checked", validator={"n": {"$type": "int"}})
    database.create_collection("empty")


@pytest.fixture(scope="module")
def stopped_demo(tmp_path_factory, own_environment):
    """Data and a backup of it for tests that change neither."""
    data_dir = make_data_dir(tmp_path_factory.mktemp("stopped") / "data")
    with open_database(data_dir) as database:
        fill(database)
    return data_dir, create_backup(data_dir, data_dir.parent / "copy")


@pytest.fixture(scope="module")
def running_demo(tmp_path_factory, own_environment):
    """The folder and the client of a running server."""
    data_dir = make_data_dir(tmp_path_factory.mktemp("running") / "data")
    # The other data of this module keep their port.
    (data_dir / PORT_FILE).write_text(str(free_port()))
    with open_database(data_dir) as database:
        yield data_dir, database.client


@pytest.fixture
def database(running_demo, monkeypatch):
    """An empty database of the running server, which ``create_backup`` copies."""
    _data_dir, client = running_demo
    monkeypatch.setenv("MONGODB_NAME", f"demo_{uuid4().hex}")
    yield client[os.environ["MONGODB_NAME"]]
    client.drop_database(os.environ["MONGODB_NAME"])


def test_the_commands_check_and_restore_a_backup(stopped_demo, capsys, monkeypatch, tmp_path):
    _data_dir, folder = stopped_demo
    assert folder.stat().st_mode & 0o077 == 0
    new = tmp_path / "new"
    monkeypatch.setenv("DATA_DIR", str(new))
    assert backup.main(["restore", "--dry-run", str(folder)]) == 0
    assert "It has 2501 documents" in capsys.readouterr().out
    assert not (new / "mongod").exists()
    assert backup.main(["restore", "--yes", str(folder)]) == 0
    with open_database(new) as database:
        assert database["posts"].count_documents({}) == 2500
        assert database["posts"].find_one({"_id": 7}) == {"_id": 7, "text": "post 7"}
        index = database["posts"].index_information()["by_text"]
        assert (index["key"], index["unique"]) == ([("text", 1), ("_id", -1)], True)
        assert database["sessions"].index_information()["expires_at_1"]["expireAfterSeconds"] == 0
        assert database["checked"].options() == {"validator": {"n": {"$type": "int"}}}
        assert "empty" in database.list_collection_names()
    assert (new / "media" / "pictures" / "a.webp").read_bytes() == b"a picture"
    assert (new / "secret").read_text() == "the secret"
    assert backup.main(["restore", "--yes", str(tmp_path / "nothing")]) == 1
    assert "is no complete backup" in capsys.readouterr().out


def test_a_restore_keeps_the_old_data(stopped_demo, tmp_path):
    stopped_dir, folder = stopped_demo
    data_dir = shutil.copytree(stopped_dir, tmp_path / "data")
    with open_database(data_dir) as database:
        database["posts"].delete_many({"_id": {"$lt": 1000}})
    old_data = restore_backup(data_dir, folder)
    with open_database(data_dir) as database:
        assert database["posts"].count_documents({}) == 2500
    assert (old_data / "mongod").is_dir()
    assert (old_data / "media" / "pictures" / "a.webp").exists()


def test_all_documents_of_a_backup_are_from_one_moment(
    running_demo, database, tmp_path, monkeypatch
):
    data_dir, client = running_demo
    for name in ("a", "z"):
        database[name].insert_many({"_id": n, "text": "x" * 1000} for n in range(500))
    write = backup.dump._write

    def write_and_change(client, name, collection, *arguments):
        count = write(client, name, collection, *arguments)
        if collection == "a":
            database["z"].delete_many({"_id": {"$lt": 400}})
            database["z"].insert_one({"_id": -1})
        return count

    monkeypatch.setattr(backup.dump, "_write", write_and_change)
    folder = create_backup(data_dir, tmp_path / "copy")
    assert database["z"].count_documents({}) == 101
    setting = client.admin.command({"getParameter": 1, "minSnapshotHistoryWindowInSeconds": 1})
    assert setting["minSnapshotHistoryWindowInSeconds"] == 0
    assert check_backup(folder)["collections"]["z"]["documents"] == 500


def test_a_capped_collection_is_refused(running_demo, database, tmp_path):
    data_dir, _client = running_demo
    database.create_collection("log", capped=True, size=4096)
    with pytest.raises(LocalError, match="log is a capped collection"):
        create_backup(data_dir, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_restore_waits_for_the_demo_to_stop(running_demo, stopped_demo):
    data_dir, _client = running_demo
    _data_dir, folder = stopped_demo
    with pytest.raises(LocalError, match="The demo is running"):
        restore_backup(data_dir, folder)
    assert_unchanged(data_dir)


def assert_unchanged(data_dir):
    """Assert that no restore has replaced data in this folder, and none continues at the next start."""
    assert not list(data_dir.glob("before-restore-*"))
    assert not (data_dir / "restoring" / "complete").exists()


def cut(folder):
    path = folder / "database" / "posts.bson.gz"
    path.write_bytes(path.read_bytes()[:-20])


def change(folder):
    path = folder / "database" / "posts.bson.gz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def lose(folder):
    (folder / "database" / "sessions.bson.gz").unlink()


def lose_picture(folder):
    (folder / "media" / "pictures" / "a.webp").unlink()


def change_picture(folder):
    (folder / "media" / "pictures" / "a.webp").write_bytes(b"b picture")


def link_outside(folder):
    picture = folder / "media" / "pictures" / "a.webp"
    picture.unlink()
    picture.symlink_to("/etc/passwd")


def tear_manifest(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text()[:-30])


def edit_manifest(folder, edit):
    path = folder / "manifest.json"
    manifest = json_util.loads(path.read_text())
    edit(manifest)
    path.write_text(json_util.dumps(manifest))


def leave_folder(folder):
    edit_manifest(
        folder, lambda m: m["collections"].update({"../../x": m["collections"].pop("posts")})
    )


def come_from_the_future(folder):
    edit_manifest(folder, lambda m: m.update(format=2))


def lose_documents(folder):
    edit_manifest(folder, lambda m: m["collections"]["posts"].update(documents=2501))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, "posts.bson.gz of the backup is damaged"),
        (change, "posts.bson.gz of the backup is damaged"),
        (lose, "lacks the file sessions.bson.gz"),
        (lose_picture, "Media of the backup are missing"),
        (change_picture, "Media of the backup are missing or damaged"),
        (link_outside, "links to other files"),
        (tear_manifest, "manifest.json is damaged"),
        (leave_folder, "unusual name"),
        (come_from_the_future, "has the format 2"),
        (lose_documents, "posts has 2500 documents instead of 2501"),
        (lambda folder: (folder / "manifest.json").unlink(), "is no complete backup"),
    ],
)
def test_a_damaged_backup_changes_nothing(damage, message, stopped_demo, tmp_path):
    data_dir, backup_folder = stopped_demo
    folder = shutil.copytree(backup_folder, tmp_path / "copy")
    damage(folder)
    with pytest.raises(LocalError, match=message):
        restore_backup(data_dir, folder)
    assert_unchanged(data_dir)


@pytest.mark.parametrize("kill_at", range(1, 9))
def test_a_restore_that_is_killed_anywhere_is_finished_or_undone(kill_at, tmp_path, monkeypatch):
    """Kill at each rename: before the data are complete nothing changes, afterwards the start continues."""
    data_dir, restoring = tmp_path / "data", tmp_path / "data" / "restoring"
    for folder, content in ((data_dir, "old"), (restoring, "new")):
        for name in mongod.RESTORED_NAMES:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    rename, renames = Path.rename, []

    def rename_or_die(path, target):
        renames.append(path)
        if len(renames) == kill_at:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", rename_or_die)
    with suppress(KeyboardInterrupt):
        mongod.mark_complete(data_dir, old_data="before-restore")
        mongod.put_in_place(data_dir)
    monkeypatch.setattr(Path, "rename", rename)
    mongod.put_in_place(data_dir)
    mongod.put_in_place(data_dir)
    contents = {(data_dir / name).read_text() for name in mongod.RESTORED_NAMES}
    assert contents == ({"old"} if kill_at == 1 else {"new"})
    if kill_at > 1:
        old = {(data_dir / "before-restore" / name).read_text() for name in mongod.RESTORED_NAMES}
        assert old == {"old"}
        assert not restoring.exists()


def test_other_servers_are_not_touched(monkeypatch, capsys, data_dir):
    monkeypatch.setenv("MONGODB_URI", "mongodb://db.example.org/")
    assert backup.main(["backup"]) == 1
    assert "docs/backups.md" in capsys.readouterr().out


CHECK_SITE = """
from io import StringIO
from django.core.management import call_command
from django.test import Client
call_command("migrate", check_unapplied=True, verbosity=0)
client = Client(SERVER_NAME="127.0.0.1")
assert client.login(username="author", password="long enough for a test")
for path, content in (
    ("/", b" data-post>"),
    ("/@author/", b" data-post>"),
    ("/search/?q=Post", b" data-post>"),
    ("/notifications/", b"fan"),
    ("/@author/followers/", b"fan"),
):
    response = client.get(path)
    assert response.status_code == 200, (path, response.status_code)
    assert content in response.content, path
report = StringIO()
call_command("recount", dry_run=True, stdout=report)
assert "0 " in report.getvalue()
"""


def test_the_drill(data_dir, tmp_path):
    """Back up under load, destroy everything, restore, and count what was acknowledged before."""
    environment = {
        **os.environ,
        "DATA_DIR": str(data_dir),
        "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        "BROKER_URL": "memory://",
        "ALLOWED_HOSTS": "127.0.0.1",
    }
    acknowledged = tmp_path / "acknowledged"
    with running_server(data_dir) as uri:
        environment["MONGODB_URI"] = uri
        with MongoClient(uri) as client:
            copy_empty_site(source=connection.database, target=client[DATABASE])
        with acknowledged.open("w") as output:
            writers = subprocess.Popen(
                [sys.executable, "-m", "tests.socialsite.backup_writers"],
                cwd=ROOT, env=environment, stdout=output, start_new_session=True,
            )  # fmt: skip
            try:
                deadline = time.monotonic() + 120
                while len(acknowledged.read_text().splitlines()) < 30:
                    assert writers.poll() is None
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
                before = acknowledged.read_text().splitlines()
                folder = create_backup(data_dir, tmp_path / "copy")
                assert writers.poll() is None
            finally:
                os.killpg(writers.pid, signal.SIGKILL)
                writers.wait()
        assert len(acknowledged.read_text().splitlines()) > len(before)
    shutil.rmtree(data_dir)
    data_dir.mkdir()

    restore_backup(data_dir, folder)
    with running_server(data_dir) as uri:
        environment["MONGODB_URI"] = uri
        with closing(MongoClient(uri)) as client:
            database = client[DATABASE]
            stored_ids = {
                "follow": {edge["follower"] for edge in database["follow_edges"].find()},
                "post": {post["_id"] for post in database["feed_post"].find()},
                "like": {bucket["post"] for bucket in database["like_buckets"].find()},
            }
        missing = [
            line for line in before if int(line.split()[1]) not in stored_ids[line.split()[0]]
        ]
        assert missing == []
        (data_dir / "static").symlink_to(settings.STATIC_ROOT)
        check = [sys.executable, "manage.py", "shell", "-v0", "-c", CHECK_SITE]
        subprocess.run(check, cwd=ROOT, env=environment, check=True)
