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

from accounts.ids import new_id
from accounts.models import User
from feed import signals
from feed.management.demo import building, insights
from feed.management.demo.building import PASSWORD
from feed.management.demo.graph import most_follows
from feed.management.demo.people import FIXED
from feed.management.demo.plan import Order, Plan, make_plan, node_of
from feed.store import bulk

DEMO_PASSWORD = PASSWORD
DEMO_LOGINS = tuple(one.username for one in FIXED)
FEWEST_PEOPLE = 10
FOLLOWS_EACH = 20
PUBLISHED_BEFORE_OPENING = 0.8
"""How much of all is posted before people first look at their timelines; the rest is delivered."""


class Command(BaseCommand):
    help = (
        "Fill an empty site with believable people, follows and posts; the same for the same seed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--people", type=int, default=1000)
        parser.add_argument("--posts", type=int, default=10_000)
        parser.add_argument("--follows", type=int, help=f"default: {FOLLOWS_EACH} for each person")
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
            self._show(make_plan(order=order))
            return
        if begun := bulk.begun_demo():
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
        self._build(make_plan(order=order), order)

    def _build(self, plan: Plan, order: Order) -> None:
        started, uids = timezone.now(), list[int]()
        before_opening = int(len(plan.posts) * PUBLISHED_BEFORE_OPENING)
        older, newer = plan.posts[:before_opening], plan.posts[before_opening:]
        try:
            with Progress(*_columns(), console=Console(stderr=True)) as progress:
                for name, total, step in (
                    ("People", len(plan.people), building.sign_up(plan, uids)),
                    ("Follows", plan.follows, building.follow(plan, uids)),
                    ("Posts", len(older), building.publish(older, uids)),
                    ("Timelines", len(plan.people), building.open_inboxes(uids)),
                    ("Deliveries", len(newer), building.publish(newer, uids)),
                    ("Insights", 2, insights.count_events(plan, uids, order.now, order.seed)),
                ):
                    _run(progress, progress.add_task(name, total=total), step)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run seed_demo again to go on.") from None
        bulk.finish_demo(at=timezone.now())
        fixed = User.objects.filter(username__in=DEMO_LOGINS)
        signals.site_seeded.send_robust(
            sender=None, people=list(fixed.values_list("pk", flat=True))
        )
        seconds = (timezone.now() - started).total_seconds()
        self.stdout.write(
            f"{len(plan.people):,} people, {plan.follows:,} follows and {len(plan.posts):,} posts, "
            f"delivered, in {seconds:.1f} s. Log in as {', '.join(DEMO_LOGINS)} with the password "
            f"{DEMO_PASSWORD}, which is no secret: keep this site to yourself."
        )

    def _show(self, plan: Plan) -> None:
        self.stdout.write(
            f"A dry run: nothing was written. It would be {len(plan.people):,} people, "
            f"{plan.follows:,} follows and {len(plan.posts):,} posts, the last of them:"
        )
        for post in plan.posts[-5:]:
            self.stdout.write(f"\n@{plan.people[post.author].username}: {post.text}")


def _order(*, people: int, posts: int, follows: int | None, seed: int) -> Order:
    if people < FEWEST_PEOPLE:
        raise CommandError(f"--people must be at least {FEWEST_PEOPLE}.")
    if posts < 0:
        raise CommandError("--posts must not be negative.")
    most = most_follows(people=people)
    if follows is None:
        follows = min(FOLLOWS_EACH * people, most)
    if not 0 <= follows <= most:
        raise CommandError(f"--follows must be between 0 and {most:,} for {people:,} people.")
    # Whole seconds: the note in the database would not keep what is finer than a millisecond.
    now = timezone.now().replace(microsecond=0)
    return Order(people, follows, posts, seed, now, node_of(new_id()))


def _from_note(note: dict[str, Any]) -> Order:
    fields = {name: value for name, value in note.items() if name not in ("_id", "finished_at")}
    return Order(**{**fields, "now": fields["now"].replace(tzinfo=UTC)})


def _run(progress: Progress, task: TaskID, step: Iterator[int]) -> None:
    for done in step:
        progress.advance(task, done)


def _columns() -> tuple[Any, ...]:
    name = TextColumn("{task.description:<10}")
    return (name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
