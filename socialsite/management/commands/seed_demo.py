"""``manage.py seed_demo``: fills an empty site with people, follows and posts, the same for a seed.

The order is noted in the database first. A seeding that was stopped, wherever that was, is finished
by the next call from that note, so no half site stays behind. How the demo looks: ``management.demo``.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from accounts.infra.ids import new_id
from accounts.models import User
from feed import signals
from feed.store import bulk
from socialsite.demo import builder, insights
from socialsite.demo.builder import PASSWORD
from socialsite.demo.follows import max_follows
from socialsite.demo.personas import FIXED_PERSONAS
from socialsite.demo.plan import DemoSpec, Plan, make_plan, node_from_id

DEMO_PASSWORD = PASSWORD
DEMO_USERNAMES = tuple(one.username for one in FIXED_PERSONAS)
MIN_USERS = 10
FOLLOWS_PER_USER = 20
PUBLISHED_BEFORE_WARMING = 0.8
"""How much of all is posted before people first look at their timelines; the rest is delivered."""


class Command(BaseCommand):
    help = (
        "Fill an empty site with believable people, follows and posts; the same for the same seed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--people", type=int, default=1000)
        parser.add_argument("--posts", type=int, default=10_000)
        parser.add_argument(
            "--follows", type=int, help=f"default: {FOLLOWS_PER_USER} for each person"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing if there are people"
        )
        parser.add_argument("--dry-run", action="store_true", help="show some posts, write nothing")

    def handle(
        self, *, people: int, posts: int, follows: int | None, seed: int, **options: Any
    ) -> None:
        order = _order(people=people, posts=posts, follows=follows, seed=seed)
        if options["dry_run"]:
            self._show(make_plan(spec=order))
            return
        if begun := bulk.unfinished_demo():
            order = _from_note(begun)
            self.stdout.write(f"Going on with the demo of {order.now:%Y-%m-%d %H:%M} UTC.")
        elif User.objects.exists():
            if options["if_empty"]:
                return
            raise CommandError(
                "There are people here already, and a demo must not be mixed with them. Choose an "
                "empty database (MONGODB_NAME), or empty this one."
            )
        else:
            bulk.begin_demo(order=asdict(order))
        self._build(make_plan(spec=order), order)

    def _build(self, plan: Plan, order: DemoSpec) -> None:
        started, uids = timezone.now(), list[int]()
        before_opening = int(len(plan.posts) * PUBLISHED_BEFORE_WARMING)
        older, newer = plan.posts[:before_opening], plan.posts[before_opening:]
        try:
            with Progress(*_columns(), console=Console(stderr=True)) as progress:
                for name, total, step in (
                    ("People", len(plan.personas), builder.create_users(plan, uids)),
                    ("Follows", plan.follow_count, builder.create_follows(plan, uids)),
                    ("Posts", len(older), builder.publish_posts(older, uids)),
                    ("Timelines", len(plan.personas), builder.warm_inboxes(uids)),
                    ("Deliveries", len(newer), builder.publish_posts(newer, uids)),
                    ("Insights", 2, insights.write_events(plan, uids, order.now, order.seed)),
                ):
                    _run(progress, progress.add_task(name, total=total), step)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run seed_demo again to go on.") from None
        bulk.finish_demo(at=timezone.now())
        fixed = User.objects.filter(username__in=DEMO_USERNAMES)
        signals.site_seeded.send_robust(
            sender=None, people=list(fixed.values_list("pk", flat=True))
        )
        seconds = (timezone.now() - started).total_seconds()
        self.stdout.write(
            f"{len(plan.personas):,} people, {plan.follow_count:,} follows and {len(plan.posts):,} posts, "
            f"delivered, in {seconds:.1f} s. Log in as {', '.join(DEMO_USERNAMES)} with the password "
            f"{DEMO_PASSWORD}, which is no secret: keep this site to yourself."
        )

    def _show(self, plan: Plan) -> None:
        self.stdout.write(
            f"A dry run: nothing was written. It would be {len(plan.personas):,} people, "
            f"{plan.follow_count:,} follows and {len(plan.posts):,} posts, the last of them:"
        )
        for post in plan.posts[-5:]:
            self.stdout.write(f"\n@{plan.personas[post.author].username}: {post.text}")


def _order(*, people: int, posts: int, follows: int | None, seed: int) -> DemoSpec:
    if people < MIN_USERS:
        raise CommandError(f"--people must be at least {MIN_USERS}.")
    if posts < 0:
        raise CommandError("--posts must not be negative.")
    most = max_follows(user_count=people)
    if follows is None:
        follows = min(FOLLOWS_PER_USER * people, most)
    if not 0 <= follows <= most:
        raise CommandError(f"--follows must be between 0 and {most:,} for {people:,} people.")
    # Whole seconds: the note in the database would not keep what is finer than a millisecond.
    now = timezone.now().replace(microsecond=0)
    return DemoSpec(people, follows, posts, seed, now, node_from_id(new_id()))


def _from_note(note: dict[str, Any]) -> DemoSpec:
    fields = {name: value for name, value in note.items() if name not in ("_id", "finished_at")}
    return DemoSpec(**{**fields, "now": fields["now"].replace(tzinfo=UTC)})


def _run(progress: Progress, task: TaskID, step: Iterator[int]) -> None:
    for done in step:
        progress.advance(task, done)


def _columns() -> tuple[Any, ...]:
    name = TextColumn("{task.description:<10}")
    return (name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
