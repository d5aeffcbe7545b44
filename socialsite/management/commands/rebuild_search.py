"""``manage.py rebuild_search``: correct the search words of users and posts.

The site maintains them itself. The command is for data that was changed by hand, and for new versions that
split texts in another way.
"""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from accounts.store.user_search import count_users, rebuild_keys
from feed.store.text_search import count_posts, rebuild_words

BATCH_SIZE = 500

Rebuild = Callable[..., tuple[int, int, int]]


class Command(BaseCommand):
    help = (
        "Correct the words by which the search finds users and posts. Safe to interrupt, to repeat, and to "
        "run while the site is up."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="count wrong words, correct none"
        )

    def handle(self, *, dry_run: bool, **_: Any) -> None:
        try:
            with Progress(console=Console(stderr=True)) as progress:
                users = self._run(progress, "Users", count_users(), rebuild_keys, dry_run)
                posts = self._run(progress, "Posts", count_posts(), rebuild_words, dry_run)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the command again to correct the rest.") from None
        outcome = "Nothing was changed." if dry_run else "All are correct now."
        self.stdout.write(
            f"{users[0]:,} users, {users[1]:,} of them with wrong words. "
            f"{posts[0]:,} posts, {posts[1]:,} of them with wrong words. {outcome}"
        )

    def _run(
        self, progress: Progress, name: str, total: int, rebuild: Rebuild, is_dry_run: bool
    ) -> tuple[int, int]:
        """Return the number of examined documents and of wrong documents."""
        bar = progress.add_task(name, total=total)
        examined_count = wrong_count = last_id = 0
        while True:
            examined, wrong, last_id = rebuild(
                after=last_id, limit=BATCH_SIZE, is_dry_run=is_dry_run
            )
            if not examined:
                return examined_count, wrong_count
            examined_count, wrong_count = examined_count + examined, wrong_count + wrong
            progress.update(bar, completed=examined_count)
