"""``manage.py switch_strategy NAME``: change the timeline strategy of a running site.

``feed.timeline.strategy_switch`` explains the steps and why home timelines lose no entry.
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
    "join": "Writing with both",
    "copy": "Building timelines",
    "read": "Reading with the new",
    "leave": "Stopping the old",
    "drop": "Dropping the old",
}


class Command(BaseCommand):
    help = (
        "Change the strategy of home timelines (FEED_STRATEGY) while the site runs. Safe to interrupt: "
        "run the command again to continue."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help=f"one of: {', '.join(STRATEGIES)}")
        parser.add_argument(
            "--dry-run", action="store_true", help="print the planned change, write nothing"
        )

    def handle(self, *, name: str, dry_run: bool, **options: Any) -> None:
        try:
            source = strategy_switch.switch_source(target=name)
            if source == name:
                self.stdout.write(f"{name} is in use already.")
            elif dry_run:
                inbox_count = strategy_switch.count_inboxes(strategy=source)
                self.stdout.write(
                    f"Dry run: nothing was changed. The timelines of {inbox_count:,} users would "
                    f"switch from {source} to {name}."
                )
                return
            else:
                self._switch(name, strategy_switch.count_inboxes(strategy=source))
                self.stdout.write(f"Done: all processes use {name} from now on.")
        except CannotSwitch as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to continue.") from None
        if name != settings.FEED_STRATEGY:
            self.stdout.write(
                f"Set FEED_STRATEGY={name} too. The database takes precedence, but the setting should "
                "agree with it."
            )

    def _switch(self, name: str, inbox_count: int) -> None:
        columns = (TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
            tasks: dict[str, TaskID] = {}
            for step, count in strategy_switch.switch_to(target=name):
                if step not in tasks:
                    for earlier in tasks.values():
                        progress.stop_task(earlier)
                    total = inbox_count if step == "copy" else None
                    tasks[step] = progress.add_task(STEP_LABELS[step], total=total)
                progress.advance(tasks[step], count)
