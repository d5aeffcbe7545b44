"""Create users and follows from an edge list (``edge_lists``), such as a public graph.

    python -m tests.bench.graph friends.txt.gz --mutual

The command first parses and checks the whole file. Then it writes ``--batch`` follows per transaction, and
skips users and follows that already exist. So an operator can kill the command at any time, and a second
run completes the import. The second run may pause for up to a minute, because the server keeps the locks of
the killed process for that time.
"""

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from accounts import usernames
from accounts.models import User
from accounts.selectors.follow_graph import count_pending_backfills, followers_among
from accounts.services.imports import announce_imported_followers, import_followers, import_users
from socialsite.demo.follows import follow_batches

from .edge_lists import FollowGraph, NotAnEdgeList, read_edge_list

USER_BATCH_SIZE = 1000
MAX_BATCH_SIZE = 10_000


class Command(BaseCommand):
    help = (
        "Create users and follows from an edge list: 'a b' or CSV (further columns are ignored), plain "
        "or .gz. A line 'a b' means that a follows b. Safe to repeat and to continue after an interruption."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--mutual", action="store_true", help="the users of a line follow each other"
        )
        parser.add_argument("--dry-run", action="store_true", help="count only, write nothing")
        parser.add_argument("--skip-bad", action="store_true", help="ignore bad lines")
        parser.add_argument(
            "--prefix",
            default="n",
            help="prefix of the usernames, before the id in the file (default: n)",
        )
        parser.add_argument(
            "--batch", type=int, default=2000, help="follows per transaction (default: 2000)"
        )

    def handle(self, *, file: Path, mutual: bool, prefix: str, batch: int, **options: Any) -> None:
        if not 1 <= batch <= MAX_BATCH_SIZE:
            raise CommandError(f"--batch must be between 1 and {MAX_BATCH_SIZE}.")
        _check_prefix(prefix)
        started = time.monotonic()
        graph = self._read(file, prefix=prefix, mutual=mutual, skip_bad=options["skip_bad"])
        self._say(
            f"{file.name}: {len(graph.names):,} users, {graph.follows:,} follows. Skipped: "
            f"{graph.duplicate_count:,} duplicates, {graph.self_follow_count:,} self-follows, "
            f"{graph.bad_line_count:,} bad lines."
        )
        if options["dry_run"]:
            self._say(_forecast(graph))
            return
        try:
            users, follows = self._write(graph, batch=batch)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to continue.") from None
        seconds = time.monotonic() - started
        self._say(
            f"New: {users:,} users, {follows:,} follows, in {seconds:.1f} s "
            f"({graph.follows / seconds:,.0f} follows/s)."
        )

    def _read(self, file: Path, *, prefix: str, mutual: bool, skip_bad: bool) -> FollowGraph:
        try:
            graph = read_edge_list(path=file, prefix=prefix, mutual=mutual)
        except NotAnEdgeList as error:
            raise CommandError(str(error)) from error
        if graph.bad_lines:
            reasons = [
                f"  line {line.number}: {line.reason}: {line.text!r}" for line in graph.bad_lines
            ]
            if graph.bad_line_count > len(reasons):
                reasons.append(f"  and {graph.bad_line_count - len(reasons):,} more")
            report = "\n".join([f"{file}: {graph.bad_line_count:,} bad lines", *reasons])
            if not skip_bad:
                raise CommandError(f"{report}\nNothing was written. Use --skip-bad to ignore them.")
            self.stderr.write(report)
        if not graph.names:
            raise CommandError(f"{file}: the file contains no follows.")
        return graph

    def _write(self, graph: FollowGraph, *, batch: int) -> tuple[int, int]:
        """Write the graph. Return the numbers of new users and new follows."""
        new_users = new_follows = 0
        with _progress() as progress:
            task = progress.add_task("Users", total=len(graph.names))
            uids: list[int] = []
            for start in range(0, len(graph.names), USER_BATCH_SIZE):
                names = graph.names[start : start + USER_BATCH_SIZE]
                existing_uids = _uids_by_name(names)
                new_users += len(names) - len(existing_uids)
                uids += _ensure_users(names, existing_uids)
                progress.advance(task, len(names))
            task = progress.add_task("Follows", total=graph.follows)
            for followers in follow_batches(followers=graph.followers, uids=uids, size=batch):
                new_follows += import_followers(followers_by_followee=followers)
                progress.advance(task, sum(map(len, followers.values())))
            task = progress.add_task("Timelines", total=count_pending_backfills())
            announce_imported_followers(on_progress=partial(progress.advance, task))
        return new_users, new_follows

    def _say(self, text: str) -> None:
        self.stdout.write(text)


def _check_prefix(prefix: str) -> None:
    try:
        for validate in usernames.validators:
            validate(f"{prefix}1")
    except ValidationError as error:
        raise CommandError(f"--prefix {prefix!r}: {' '.join(error.messages)}") from error


def _uids_by_name(names: list[str]) -> dict[str, int]:
    return dict(User.objects.filter(username__in=names).values_list("username", "pk"))


def _ensure_users(names: list[str], existing_uids: dict[str, int]) -> list[int]:
    """Create missing users. Return the uids of all users."""
    new_users = [User(username=name) for name in names if name not in existing_uids]
    for user in new_users:
        user.set_unusable_password()
    uids = existing_uids | (import_users(users=new_users) if new_users else {})
    return [uids[name] for name in names]


def _forecast(graph: FollowGraph) -> str:
    uids: dict[str, int] = {}
    for start in range(0, len(graph.names), USER_BATCH_SIZE):
        uids |= _uids_by_name(graph.names[start : start + USER_BATCH_SIZE])
    follows = 0
    for followee, positions in graph.followers.items():
        if followee_uid := uids.get(graph.names[followee]):
            names = (graph.names[position] for position in positions)
            followers = [uids[name] for name in names if name in uids]
            follows += len(followers_among(followee=followee_uid, uids=followers))
    return (
        f"Dry run: nothing was written. A real run would create {len(graph.names) - len(uids):,} users "
        f"and {graph.follows - follows:,} follows."
    )


@contextmanager
def _progress() -> Iterator[Progress]:
    columns = (TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as progress:
        yield progress
