"""``manage.py seed_demo``: fill an empty site with users, follows and posts, reproducible by a seed.

The command first saves its specification in the database. After an interruption, the next call reads the
specification and finishes the demo. ``socialsite.demo`` generates the content.
"""

from argparse import ArgumentParser
from dataclasses import asdict
from datetime import UTC
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from accounts.infra.ids import new_id
from accounts.models import User
from feed import signals
from feed.store import bulk
from socialsite.demo import builder, clips, handwritten, insights
from socialsite.demo.builder import PASSWORD
from socialsite.demo.follows import max_follows
from socialsite.demo.personas import FIXED_PERSONAS
from socialsite.demo.picture_pool import PicturePool, motifs_of
from socialsite.demo.plan import Plan, make_plan
from socialsite.demo.planned_posts import DemoSpec, node_from_id

DEMO_USERNAMES = tuple(persona.username for persona in FIXED_PERSONAS)
MIN_USERS = 10
FOLLOWS_PER_USER = 20
PUBLISHED_BEFORE_WARMING = 0.8
"""The fraction of posts published before inboxes are built. The other posts are delivered to inboxes."""


class Command(BaseCommand):
    help = "Fill an empty site with realistic people, follows and posts, reproducible by a seed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--people", type=int, default=1000)
        parser.add_argument("--posts", type=int, default=10_000)
        parser.add_argument(
            "--follows", type=int, help=f"default: {FOLLOWS_PER_USER} for each person"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing if there are accounts"
        )
        parser.add_argument("--dry-run", action="store_true", help="show some posts, write nothing")

    def handle(
        self, *, people: int, posts: int, follows: int | None, seed: int, **options: Any
    ) -> None:
        spec = _build_spec(people=people, posts=posts, follows=follows, seed=seed)
        if options["dry_run"]:
            self._print_preview(make_plan(spec=spec))
            return
        if saved_spec := bulk.unfinished_demo():
            spec = _restore_spec(saved_spec)
            self.stdout.write(f"Resuming the demo of {spec.now:%Y-%m-%d %H:%M} UTC.")
        elif User.objects.exists():
            if options["if_empty"]:
                return
            raise CommandError(
                "This site already has accounts, and demo accounts must not be mixed with them. Choose an "
                "empty database (MONGODB_NAME), or empty this one."
            )
        else:
            bulk.begin_demo(spec=asdict(spec))
        self._build_site(make_plan(spec=spec), spec)

    def _build_site(self, plan: Plan, spec: DemoSpec) -> None:
        started_at, uids = timezone.now(), list[int]()
        older_count = int(len(plan.posts) * PUBLISHED_BEFORE_WARMING)
        older, newer = plan.posts[:older_count], plan.posts[older_count:]
        pool = PicturePool(seed=spec.seed)
        columns = (TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn())
        try:
            with Progress(
                *columns, TimeRemainingColumn(), console=Console(stderr=True)
            ) as progress:
                for name, total, step in (
                    ("Rules", len(handwritten.RULES), handwritten.write_rules()),
                    ("People", len(plan.personas), builder.create_users(plan, uids, spec)),
                    ("Follows", plan.follow_count, builder.create_follows(plan, uids)),
                    ("Interests", 1, builder.add_interests(plan, uids)),
                    ("Pictures", len(motifs_of(plan.posts)), pool.encode(plan.posts)),
                    ("Posts", len(older), builder.publish_posts(older, uids, pool)),
                    ("Messages", 1, handwritten.send_messages(plan, uids, spec)),
                    ("Drafts", 1, handwritten.save_drafts(uids)),
                    ("Timelines", len(plan.personas), builder.warm_inboxes(uids)),
                    ("Deliveries", len(newer), builder.publish_posts(newer, uids, pool)),
                    (
                        "Link cards",
                        len(handwritten.CARDS),
                        handwritten.add_link_cards(now=spec.now),
                    ),
                    ("Insights", 2, insights.write_events(plan, uids, spec.now, spec.seed)),
                ):
                    task = progress.add_task(name, total=total)
                    for completed_count in step:
                        progress.advance(task, completed_count)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run seed_demo again to continue.") from None
        bulk.finish_demo(at=timezone.now())
        fixed_users = User.objects.filter(username__in=DEMO_USERNAMES)
        signals.site_seeded.send_robust(
            sender=None, people=list(fixed_users.values_list("pk", flat=True))
        )
        seconds = (timezone.now() - started_at).total_seconds()
        self.stdout.write(
            f"{len(plan.personas):,} people, {plan.follow_count:,} follows and {len(plan.posts):,} posts, "
            f"delivered, in {seconds:.1f} s. Log in as {', '.join(DEMO_USERNAMES)} with the password "
            f"{PASSWORD}. The password is public, so do not expose this site."
        )

    def _print_preview(self, plan: Plan) -> None:
        self.stdout.write(
            f"Dry run: nothing was written. The demo would have {len(plan.personas):,} people, "
            f"{plan.follow_count:,} follows and {len(plan.posts):,} posts. The last posts:"
        )
        for post in plan.posts[-5:]:
            self.stdout.write(f"\n@{plan.personas[post.author].username}: {post.text}")


def _build_spec(*, people: int, posts: int, follows: int | None, seed: int) -> DemoSpec:
    if people < MIN_USERS:
        raise CommandError(f"--people must be at least {MIN_USERS}.")
    if posts < 0:
        raise CommandError("--posts must not be negative.")
    follow_limit = max_follows(user_count=people)
    if follows is None:
        follows = min(FOLLOWS_PER_USER * people, follow_limit)
    if not 0 <= follows <= follow_limit:
        raise CommandError(
            f"--follows must be between 0 and {follow_limit:,} for {people:,} people."
        )
    # Drop microseconds, because MongoDB stores times with a precision of milliseconds.
    now = timezone.now().replace(microsecond=0)
    node = node_from_id(new_id())
    return DemoSpec(people, follows, posts, seed, now, node, has_clips=clips.can_make_clips())


def _restore_spec(document: dict[str, Any]) -> DemoSpec:
    fields = {name: value for name, value in document.items() if name not in ("_id", "finished_at")}
    return DemoSpec(**{**fields, "now": fields["now"].replace(tzinfo=UTC)})
