"""The command line of the benchmark, which compares the designs of the home timeline.

The benchmark uses a separate database on the server of ``MONGODB_URI``. Some stages start a separate
server. A full run takes up to forty minutes on two cores. With ``--quick``, a run takes less than a minute.
The figures are written after each stage. ``--from`` with ``--only`` adds stages to the figures of an
earlier run. ``tests.bench.stages`` describes the figures and the keys of ``--json``.
"""

import json
from argparse import SUPPRESS, ArgumentTypeError
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from tests.bench import against, history, output, own_server, plots
from tests.bench.database import ForeignDatabase
from tests.bench.output import terminal_report
from tests.bench.own_server import ServerFailed
from tests.bench.sizes import FULL, QUICK, Sizes
from tests.bench.stages import STAGES, STAGES_WITH_OWN_SERVER, merge_figures, run_stages
from tests.bench.targets import measured_targets

HISTORY = Path("docs/ratio-history.csv")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be 1 or more")
    return number


class BenchCommand(BaseCommand):
    help = "Measure the cost of every design in a separate database, which is dropped afterwards."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quick", action="store_true", help="run on a small amount of data")
        parser.add_argument(
            "--only", action="append", choices=STAGES, help="run this stage only; may be repeated"
        )
        parser.add_argument(
            "--json", type=Path, metavar="FILE", help="write the figures to this file"
        )
        parser.add_argument(
            "--from",
            type=Path,
            metavar="FILE",
            help="show the figures of this file; --only adds stages to them",
        )
        parser.add_argument(
            "--svg", type=Path, metavar="FOLDER", help="draw plots for the docs into this folder"
        )
        parser.add_argument(
            "--markdown",
            type=Path,
            metavar="FILE",
            help="replace the tables of pages and targets in this page",
        )
        parser.add_argument(
            "--record",
            metavar="VERSION",
            help="store the figures that have a target in the history",
        )
        parser.add_argument(
            "--history", type=Path, metavar="FILE", default=HISTORY, help=f"default: {HISTORY}"
        )
        parser.add_argument("--readers", type=_positive, help="recipients of each post in speed")
        parser.add_argument("--posts", type=_positive, help="posts of each pair in speed")
        parser.add_argument("--pairs", type=_positive, help="pairs in speed")
        parser.add_argument(
            "--against",
            metavar="COMMIT",
            help="compare the pages with a commit (needs --only pages)",
        )
        parser.add_argument("--own-server", action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        _check_paths(options)
        if options["against"] and options["only"] != ["pages"]:
            raise CommandError("--against needs --only pages, and no other stage.")
        figures = _read(options["from"]) if options["from"] else {}
        if options["only"] or not options["from"]:
            _measure(options, into=figures)
        console = Console()
        with console.capture() as captured:
            console.print(terminal_report(figures=figures))
        self.stdout.write(captured.get())
        if options["json"]:
            _write(options["json"], figures)
        if options["svg"]:
            plots.draw_plots(figures=figures, folder=options["svg"])
        if options["record"]:
            history.record(
                file=options["history"],
                version=options["record"],
                targets=measured_targets(figures=figures),
            )
        if options["markdown"]:
            page = options["markdown"]
            page.write_text(output.update_page(page=page.read_text(), figures=figures))


def _check_paths(options: dict[str, Any]) -> None:
    """Refuse paths that cannot be read or written, before measurements start that take minutes."""
    file, folder, page = options["json"], options["svg"], options["markdown"]
    if file and (file.is_dir() or not file.absolute().parent.is_dir()):
        raise CommandError(f"There is no folder for {file}.")
    if folder and not folder.is_dir():
        raise CommandError(f"There is no folder {folder}.")
    if page and not (page.is_file() and output.has_marks(page=page.read_text())):
        raise CommandError(
            f"{page} has no place for tables. Add {output.BEGIN_MARK} and {output.END_MARK}."
        )


def _read(file: Path) -> dict[str, Any]:
    try:
        figures = json.loads(file.read_text())
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError:
        figures = None
    if not isinstance(figures, dict):
        raise CommandError(f"{file} contains no figures of this benchmark.")
    return figures


def _measure(options: dict[str, Any], *, into: dict[str, Any]) -> None:
    """Run the chosen stages. Write all figures after each stage, so that an interrupted run is not lost."""
    for stage in STAGES:
        if stage not in (options["only"] or STAGES):
            continue
        try:
            merge_figures(into=into, more=measure_stage(stage, options))
        except (ForeignDatabase, ServerFailed) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. The database of the benchmark was dropped.") from None
        if options["json"]:
            _write(options["json"], into)


def measure_stage(stage: str, options: dict[str, Any]) -> dict[str, Any]:
    if stage in STAGES_WITH_OWN_SERVER and not options["own_server"]:
        more = ["--quick"] if options["quick"] else []
        more += ["--against", options["against"]] if options["against"] else []
        return own_server.measure_on_own_server(arguments=["--only", stage, *more])
    with _Bars() as bars:
        if options["against"]:
            return against.measure(commit=options["against"], sizes=_sizes(options), progress=bars)
        return run_stages(
            stages=[stage], sizes=_sizes(options), progress=bars, own_server=options["own_server"]
        )


def _write(file: Path, figures: dict[str, Any]) -> None:
    file.write_text(json.dumps(figures, indent=2) + "\n")


def _sizes(options: dict[str, Any]) -> Sizes:
    fields = {"readers": "recipients", "posts": "posts", "pairs": "pairs"}
    changes = {field: options[name] for name, field in fields.items() if options[name]}
    return replace(QUICK if options["quick"] else FULL, **changes)


class _Bars(Progress):
    """Progress bars on the error stream, one for each step of a stage."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self._task: TaskID | None = None

    def start_step(self, *, label: str, total: int) -> None:
        self._finish()
        self._task = self.add_task(label, total=total)

    def step(self, *, number: int = 1) -> None:
        if self._task is not None:
            self.advance(self._task, number)

    def __exit__(self, *reason: Any) -> None:
        if reason[0] is None:
            self._finish()
        super().__exit__(*reason)

    def _finish(self) -> None:
        if self._task is not None:
            task = self.tasks[self._task]
            self.update(self._task, completed=task.total)
            self.stop_task(self._task)
