"""``manage.py import_graph FILE``: makes people and follows from an edge list (``edge_lists``).

Nothing is written before the whole file was read and found good. What is written is written in
transactions of ``--batch`` follows, and what is there already is left alone: killed at any moment and
started again, the command goes on where it was and ends in the same state. It may pause then for up
to a minute: so long the server keeps the transaction of the killed one.
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
from accounts.management.edge_lists import (
    FollowGraph,
    NotAnEdgeList,
    follow_batches,
    read_edge_list,
)
from accounts.models import User
from accounts.selectors.follow_graph import count_followers_among, count_pending_backfills
from accounts.services.imports import announce_imported_followers, import_followers, import_users

USER_BATCH_SIZE = 1000
MAX_BATCH_SIZE = 10_000


class Command(BaseCommand):
    help = (
        "Make people and follows from an edge list: 'a b' or CSV (further columns are ignored), plain "
        "or .gz. In a line 'a b', a follows b. Safe to repeat, and to go on after an interruption."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--mutual", action="store_true", help="friendships: both follow")
        parser.add_argument("--dry-run", action="store_true", help="read and count, write nothing")
        parser.add_argument("--skip-bad", action="store_true", help="leave bad lines out and go on")
        parser.add_argument(
            "--prefix",
            default="n",
            help="begins every user name, before the file's id (default: n)",
        )
        parser.add_argument(
            "--batch", type=int, default=2000, help="follows in one transaction (default: 2000)"
        )

    def handle(self, *, file: Path, mutual: bool, prefix: str, batch: int, **options: Any) -> None:
        if not 1 <= batch <= MAX_BATCH_SIZE:
            raise CommandError(f"--batch must be between 1 and {MAX_BATCH_SIZE}.")
        _check_prefix(prefix)
        started = time.monotonic()
        graph = self._read(file, prefix=prefix, mutual=mutual, skip_bad=options["skip_bad"])
        self._say(
            f"{file.name}: {len(graph.names):,} people, {graph.follows:,} follows. Left out: "
            f"{graph.duplicate_count:,} duplicates, {graph.self_follow_count:,} self-loops, "
            f"{graph.bad_line_count:,} bad lines."
        )
        if options["dry_run"]:
            self._say(_forecast(graph))
            return
        try:
            people, follows = self._write(graph, batch=batch)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to go on.") from None
        seconds = time.monotonic() - started
        self._say(
            f"New: {people:,} people, {follows:,} follows, in {seconds:.1f} s "
            f"({graph.follows / seconds:,.0f} follows/s)."
        )

    def _read(self, file: Path, *, prefix: str, mutual: bool, skip_bad: bool) -> FollowGraph:
        try:
            graph = read_edge_list(path=file, prefix=prefix, mutual=mutual)
        except NotAnEdgeList as error:
            raise CommandError(str(error)) from error
        if graph.bad_lines:
            shown = [f"  line {one.number}: {one.reason}: {one.text!r}" for one in graph.bad_lines]
            if graph.bad_line_count > len(shown):
                shown.append(f"  and {graph.bad_line_count - len(shown):,} more")
            found = "\n".join([f"{file}: {graph.bad_line_count:,} bad lines", *shown])
            if not skip_bad:
                raise CommandError(f"{found}\nNothing was written. --skip-bad leaves them out.")
            self.stderr.write(found)
        if not graph.names:
            raise CommandError(f"{file}: there is no edge in it.")
        return graph

    def _write(self, graph: FollowGraph, *, batch: int) -> tuple[int, int]:
        """How many people and follows were new."""
        new_people = new_follows = 0
        with _progress() as progress:
            task = progress.add_task("People", total=len(graph.names))
            uids: list[int] = []
            for start in range(0, len(graph.names), USER_BATCH_SIZE):
                names = graph.names[start : start + USER_BATCH_SIZE]
                there = _uids(names)
                new_people += len(names) - len(there)
                uids += _people(names, there)
                progress.advance(task, len(names))
            task = progress.add_task("Follows", total=graph.follows)
            for followers in follow_batches(followers=graph.followers, uids=uids, size=batch):
                new_follows += import_followers(followers_by_followee=followers)
                progress.advance(task, sum(map(len, followers.values())))
            task = progress.add_task("Timelines", total=count_pending_backfills())
            announce_imported_followers(on_progress=partial(progress.advance, task))
        return new_people, new_follows

    def _say(self, text: str) -> None:
        self.stdout.write(text)


def _check_prefix(prefix: str) -> None:
    try:
        for validate in usernames.validators:
            validate(f"{prefix}1")
    except ValidationError as error:
        raise CommandError(f"--prefix {prefix!r}: {' '.join(error.messages)}") from error


def _uids(names: list[str]) -> dict[str, int]:
    return dict(User.objects.filter(username__in=names).values_list("username", "pk"))


def _people(names: list[str], there: dict[str, int]) -> list[int]:
    """The uids of these people, who are made if need be."""
    missing = [User(username=name) for name in names if name not in there]
    for person in missing:
        person.set_unusable_password()
    uids = there | (import_users(users=missing) if missing else {})
    return [uids[name] for name in names]


def _forecast(graph: FollowGraph) -> str:
    uids: dict[str, int] = {}
    for start in range(0, len(graph.names), USER_BATCH_SIZE):
        uids |= _uids(graph.names[start : start + USER_BATCH_SIZE])
    follows = 0
    for followee, positions in graph.followers.items():
        if author := uids.get(graph.names[followee]):
            names = (graph.names[position] for position in positions)
            followers = [uids[name] for name in names if name in uids]
            follows += count_followers_among(uid=author, uids=followers)
    return (
        f"A dry run: nothing was written. New would be {len(graph.names) - len(uids):,} people "
        f"and {graph.follows - follows:,} follows."
    )


@contextmanager
def _progress() -> Iterator[Progress]:
    columns = (TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as progress:
        yield progress
