"""``manage.py switch_strategy NAME``: brings home timelines to people in another way, on a live site.

What it does and why nothing is lost: ``feed.timeline.strategy_switch``.
"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from feed.timeline import strategy_switch
from feed.timeline.strategies import STRATEGIES
from feed.timeline.strategy_switch import CannotSwitch

STEP_LABELS = {
    "clear": "Clearing leftovers",
    "join": "Writing to both",
    "copy": "Building timelines",
    "read": "Reading the new",
    "leave": "Leaving the old",
    "drop": "Dropping the old",
}


class Command(BaseCommand):
    help = (
        "Change the way home timelines are kept (FEED_STRATEGY) while the site runs. Safe to stop "
        "and to run again; it goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help=f"one of: {', '.join(STRATEGIES)}")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done")

    def handle(self, *, name: str, dry_run: bool, **options: Any) -> None:
        try:
            source = strategy_switch.switch_source(target=name)
            if source == name:
                self.stdout.write(f"{name} is in use already.")
            elif dry_run:
                people = strategy_switch.count_inboxes(strategy=source)
                self.stdout.write(
                    f"A dry run: nothing was changed. The timelines of {people:,} people would be "
                    f"brought from {source} to {name}."
                )
                return
            else:
                self._switch(name, strategy_switch.count_inboxes(strategy=source))
                self.stdout.write(f"Done: all processes use {name} from now on.")
        except CannotSwitch as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to go on.") from None
        if name != settings.FEED_STRATEGY:
            self.stdout.write(
                f"Set FEED_STRATEGY={name} too. What is in the database counts, but the setting "
                "should say the same."
            )

    def _switch(self, name: str, people: int) -> None:
        columns = (TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
            tasks: dict[str, TaskID] = {}
            for step, readers in strategy_switch.switch_to(target=name):
                if step not in tasks:
                    for earlier in tasks.values():
                        progress.stop_task(earlier)
                    total = people if step == "copy" else None
                    tasks[step] = progress.add_task(STEP_LABELS[step], total=total)
                progress.advance(tasks[step], readers)
