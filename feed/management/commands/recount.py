"""``manage.py recount``: recount likes, shares and comments of posts, and correct wrong numbers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from accounts.models import User
from feed.store import pending_cleanups, recount, text_search

BATCH_SIZE = 500
MAX_ATTEMPTS = 20


class Command(BaseCommand):
    help = (
        "Recount the likes, shares and comments of all posts and correct wrong numbers, for example after "
        "restoring a backup. Safe to interrupt and repeat, and to run while the site is up."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="count wrong numbers, correct none"
        )

    def handle(self, *, dry_run: bool, **_: Any) -> None:
        wrong_count, examined_count, last_id = 0, 0, 0
        unavailable = User.objects.exclude(is_active=True, is_limited=False)
        for uid in () if dry_run else unavailable.values_list("pk", flat=True):
            pending_cleanups.add_change(uid=uid)
        try:
            with Progress(console=Console(stderr=True)) as progress:
                bar = progress.add_task("Posts", total=text_search.count_posts())
                while ids := recount.post_ids(after_id=last_id, limit=BATCH_SIZE):
                    if not dry_run:
                        recount.recount_buckets(ids=ids)
                    comments = recount.miscounted_comments(ids=ids)
                    wrong_posts = {
                        *recount.miscounted_posts(ids=ids),
                        *(comment["post"] for comment in comments),
                    }
                    for post in () if dry_run else sorted(wrong_posts):
                        self._correct_post(post)
                    wrong_count += len(wrong_posts)
                    examined_count += len(ids)
                    last_id = ids[-1]
                    progress.update(bar, completed=examined_count)
        except KeyboardInterrupt:
            raise CommandError(
                f"Interrupted after {examined_count:,} posts. Run the command again to correct the rest."
            ) from None
        outcome = "Nothing was changed." if dry_run else "All are correct now."
        self.stdout.write(
            f"{examined_count:,} posts, {wrong_count:,} of them with wrong numbers. {outcome}"
        )

    def _correct_post(self, post: int) -> None:
        for _attempt in range(MAX_ATTEMPTS):
            miscounts = recount.miscounted_comments(ids=[post])
            are_correct = [recount.recount_comment(miscount=miscount) for miscount in miscounts]
            if recount.recount_post(post=post) and all(are_correct):
                return
        self.stderr.write(f"Post {post} keeps changing. Run the command again later.")
