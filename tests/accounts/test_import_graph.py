"""``import_graph``: accepted files, error messages, and recovery after a kill."""

import gzip
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.selectors.follow_graph import audience_size
from accounts.services.follows import unfollow_user
from accounts.store import bulk_follows
from accounts.store.audiences import BUCKET_CAPACITY
from feed.timeline.home import home_page
from tests.accounts.graph_promises import check_graph, pending_backfills
from tests.bench.graph import import_graph
from tests.factories import UserFactory, follow, people, publish


def run(path: Path, *options: str) -> str:
    out = StringIO()
    call_command(import_graph.Command(), str(path), *options, stdout=out, stderr=out)
    return out.getvalue()


def rejection_message(path: Path, *options: str) -> str:
    with pytest.raises(CommandError) as error:
        run(path, *options)
    assert not User.objects.exists()
    assert check_graph() == set()
    return str(error.value)


def named_follows() -> set[tuple[str, str]]:
    names = dict(User.objects.values_list("pk", "username"))
    return {(names[follower], names[followee]) for follower, followee in check_graph()}


@pytest.fixture
def write_file(tmp_path):
    def write(content: str | bytes, name: str = "graph.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


PAIRS = {("n1", "n2"), ("n2", "n3")}
GOOD = {
    "plain": b"1 2\n2 3\n",
    "with tabs, blank lines and the line ends of Windows": b"1\t2\r\n\r\n  2   3  ",
    "with comments": b"# SNAP\n% KONECT \xe9\n1 2\n# 7 8\n2 3\n",
    "with weights and times": b"1 2 0.5 1289241911.72836\n2 3 -1 1e9\n",
    "CSV with further columns": b"1,2,4,1289241911.72836\n2,3,-10,some text\n",
    "CSV with a header": b"source,target,rating,time\n1,2,4,1\n2,3,5,2\n",
    "CSV with quotes, spaces and a byte order mark": b'\xef\xbb\xbf"1", "2"\n"2", 3\n',
    "with duplicates and self-loops": b"1 2\n2 3\n1 2\n3 3\n9 9\n",
}


@pytest.mark.parametrize("content", GOOD.values(), ids=GOOD)
def test_edge_lists_are_imported(write_file, content):
    run(write_file(content))
    assert named_follows() == PAIRS
    assert pending_backfills() == 0


def test_compressed_edge_lists_are_imported(write_file):
    content = next(iter(GOOD.values()))
    run(write_file(gzip.compress(content)))
    assert named_follows() == PAIRS
    assert pending_backfills() == 0


def test_users_are_named_after_the_ids_and_cannot_log_in(write_file):
    run(write_file("Anna b.c\nb.c ANNA\n"), "--prefix", "")
    assert named_follows() == {("anna", "b.c"), ("b.c", "anna")}
    assert not any(user.has_usable_password() for user in User.objects.all())


def test_mutual_creates_follows_in_both_directions(write_file):
    out = run(write_file("1 2\n2 1\n2 3\n"), "--mutual")
    assert named_follows() == PAIRS | {(b, a) for a, b in PAIRS}
    assert "1 duplicates" in out


BAD = {
    "one column": "1 2\n3\n",
    "prose": "1 2\nthis is no edge\n",
    "an id that no user name can hold": "1 2\n3 -4\n",
    "an id that is too long": f"1 2\n3 {'4' * 40}\n",
    "a missing id in CSV": "1,2\n3,\n",
    "an open quote in CSV": '1,2\n"3,4\n',
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_bad_lines_are_shown_and_nothing_is_written(write_file, content):
    message = rejection_message(write_file(content))
    assert "1 bad lines" in message
    assert "line 2:" in message


def test_a_reserved_name_is_a_bad_line(write_file):
    assert "line 2: 'Admin' cannot be" in rejection_message(
        write_file("x y\nx Admin\n"), "--prefix", ""
    )


def test_at_most_twenty_bad_lines_are_shown_and_all_are_counted(write_file):
    message = rejection_message(write_file("1 2\n" + "bad\n" * 50))
    assert "50 bad lines" in message
    assert message.count("only one column") == 20
    assert "30 more" in message


def test_bad_lines_can_be_skipped(write_file):
    out = run(write_file("1 2\nbad\n2 3\n"), "--skip-bad")
    assert named_follows() == PAIRS
    assert "line 2: only one column" in out


HOSTILE = {
    "nothing at all": (b"", "no follows"),
    "comments only": (b"# 1 2\n", "no follows"),
    "a line without end": (b"1 " * 6000, "line 1 is longer than"),
    "a binary file": (b"1 2\n\0\1\2\3", "line 2 is binary"),
    "Latin-1": ("1 2\n3 é\n".encode("latin-1"), "line 2 is not UTF-8"),
    "UTF-16": ("1 2\n".encode("utf-16"), "line 1 is not UTF-8"),
    "gzip cut off": (gzip.compress(b"1 2\n" * 1000)[:-12], "damaged or cut off"),
    "gzip damaged": (gzip.compress(os.urandom(500).hex().encode())[:60] + b"x" * 90, "damaged"),
    "gzip damaged without a line end": (gzip.compress(b"1 " * 20_000)[:-8] + b"x" * 8, "damaged"),
    "gzip damaged into binary data": (gzip.compress(b"1 2\n\0\1")[:-8] + b"x" * 8, "damaged"),
    "gzip of nothing but zeros": (gzip.compress(bytes(5_000_000)), "line 1 is longer than"),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_rejected_with_a_message(write_file, content, message):
    assert message in rejection_message(write_file(content))


def test_missing_files_and_directories_are_rejected(tmp_path):
    assert "No such file" in rejection_message(tmp_path / "missing.txt")
    assert "Is a directory" in rejection_message(tmp_path)


@pytest.mark.parametrize("option", ["--prefix=a b", "--prefix=..", "--batch=0"])
def test_invalid_options_are_rejected(write_file, option):
    assert option.partition("=")[0] in rejection_message(write_file("1 2\n"), option)


def test_a_dry_run_counts_and_writes_nothing(write_file):
    out = run(write_file("1 2\n2 3\n"), "--dry-run")
    assert not User.objects.exists()
    assert check_graph() == set()
    assert "3 users and 2 follows" in out
    run(write_file("1 2\n"))
    assert "1 users and 1 follows" in run(write_file("1 2\n2 3\n"), "--dry-run")


def test_every_follow_advances_the_progress_bars(write_file, monkeypatch):
    bars = []

    @contextmanager
    def recorded_progress(original=import_graph._progress):
        with original() as progress:
            bars.append(progress)
            yield progress

    monkeypatch.setattr(import_graph, "_progress", recorded_progress)
    run(
        write_file(
            "".join(f"{follower} {author}\n" for follower in range(9) for author in (10, 11))
        )
    )
    assert [(bar.description, bar.completed, bar.total) for bar in bars[0].tasks] == [
        ("Users", 11, 11),
        ("Follows", 18, 18),
        ("Timelines", 18, 18),
    ]


def test_a_repeated_import_changes_nothing(write_file):
    path = write_file("1 2\n2 3\n3 1\n1 3\n")
    run(path)
    before = stored_documents()
    assert "New: 0 users, 0 follows" in run(path)
    assert stored_documents() == before


def stored_documents() -> list[dict]:
    names = ("accounts_user", "follow_edges", "audience_buckets")
    return [
        document for name in names for document in connection.database[name].find().sort("_id", 1)
    ]


def test_existing_users_and_follows_are_unchanged(write_file, alice, bob):
    follow(alice, bob)
    carol = UserFactory(username="carol")
    follow(carol, bob)
    unfollow_user(follower=alice.pk, followee=bob.pk)
    run(write_file("alice bob\ncarol bob\ndave bob\n"), "--prefix", "")
    assert named_follows() == {("alice", "bob"), ("carol", "bob"), ("dave", "bob")}
    assert User.objects.get(username="alice").display_name == "Alice Adams"


def test_audience_buckets_are_filled_before_new_buckets_are_opened(write_file, alice):
    fans = people(3)
    follow(fans[0], alice)
    lines = "".join(f"x{n} alice\n" for n in range(2 * BUCKET_CAPACITY + 5))
    run(write_file(lines), "--prefix", "", "--batch", "700")
    assert len(check_graph()) == 2 * BUCKET_CAPACITY + 6
    size = audience_size(author=alice.pk)
    assert (size.follower_count, size.bucket_count) == (2 * BUCKET_CAPACITY + 6, 3)


def test_existing_inboxes_receive_older_posts(write_file, alice, bob, carol):
    # opening the timeline creates alice's inbox
    home_page(viewer=alice.pk, bounds=PageBounds(limit=20))
    posts = [publish(author, f"by {author}") for author in (bob, carol, bob)]
    run(write_file("alice bob\nalice carol\ndave bob\n"), "--prefix", "")
    page = home_page(viewer=alice.pk, bounds=PageBounds(limit=20))
    assert [post.id for post in page.posts] == posts[::-1]
    heads = {head["_id"] for head in connection.database["inbox_heads"].find()}
    assert User.objects.get(username="dave").pk not in heads
    assert pending_backfills() == 0


def test_an_import_that_failed_in_a_batch_resumes(write_file, monkeypatch):
    pairs = {(f"n{a}", f"n{(a + b) % 8}") for a in range(8) for b in (1, 3)}
    path = write_file("".join(f"{a[1:]} {b[1:]}\n" for a, b in sorted(pairs)))
    insert, batches = bulk_follows.insert_edges, []

    def fail_in_the_second_batch(**batch):
        batches.append(batch)
        if len(batches) == 2:
            raise OSError("killed")
        insert(**batch)

    with monkeypatch.context() as patched:
        patched.setattr(bulk_follows, "insert_edges", fail_in_the_second_batch)
        with pytest.raises(OSError, match="killed"):
            run(path, "--batch", "4")
    assert 0 < len(check_graph()) < len(pairs)
    assert "New: 0 users" in run(path)
    assert named_follows() == pairs
    assert pending_backfills() == 0


@pytest.mark.slow
def test_a_killed_import_resumes(write_file, short_transactions):
    pairs = {(f"n{a}", f"n{(a * 7 + b) % 400}") for a in range(400) for b in range(1, 21)}
    pairs = {(a, b) for a, b in pairs if a != b}
    path = write_file("".join(f"{a[1:]} {b[1:]}\n" for a, b in sorted(pairs)))
    edges = connection.database["follow_edges"]
    process = start_import(path, "--batch", "40")
    deadline = time.monotonic() + 60
    while edges.estimated_document_count() < 0.2 * len(pairs):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert 0 < len(check_graph()) < len(pairs)
    assert "New: 0 users" in run(path)
    assert named_follows() == pairs
    assert pending_backfills() == 0


def start_import(path: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.bench.graph", str(path), *options]
    env = {**os.environ, "MONGODB_NAME": connection.settings_dict["NAME"]}
    return subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
