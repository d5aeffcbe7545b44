"""``manage.py recount``: counts again what posts tell of themselves, and puts right what is wrong."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from feed.store import recount

BATCH_SIZE = 500
MAX_ATTEMPTS = 20


class Command(BaseCommand):
    help = (
        "Count the likes, shares and comments of all posts again and put right what is wrong, as after a "
        "backup was restored. "
        "May be stopped at any time, and run again; the site may go on meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what is wrong")

    def handle(self, *, dry_run: bool, **_: Any) -> None:
        wrong, looked_at, above = 0, 0, 0
        try:
            with Progress(console=Console(stderr=True)) as progress:
                bar = progress.add_task("Posts", total=recount.count_posts())
                while ids := recount.post_ids(after_id=above, limit=BATCH_SIZE):
                    if not dry_run:
                        recount.recount_buckets(ids=ids)
                    comments = recount.miscounted_comments(ids=ids)
                    found = {
                        *recount.miscounted_posts(ids=ids),
                        *(comment["post"] for comment in comments),
                    }
                    for post in () if dry_run else sorted(found):
                        self._put_right(post)
                    wrong, looked_at, above = wrong + len(found), looked_at + len(ids), ids[-1]
                    progress.update(bar, completed=looked_at)
        except KeyboardInterrupt:
            raise CommandError(
                f"Interrupted after {looked_at:,} posts. What was put right is. Run it again to go on."
            ) from None
        done = "Nothing was changed." if dry_run else "They are right now."
        self.stdout.write(f"{looked_at:,} posts, {wrong:,} of them with a wrong number. {done}")

    def _put_right(self, post: int) -> None:
        for _attempt in range(MAX_ATTEMPTS):
            wrong = recount.miscounted_comments(ids=[post])
            are_right = [recount.recount_comment(miscount=comment) for comment in wrong]
            if recount.recount_post(post=post) and all(are_right):
                return
        self.stderr.write(f"Post {post} changes all the time; run this again later.")
