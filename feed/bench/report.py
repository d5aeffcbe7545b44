"""The figures of a run as tables for a terminal."""

from typing import Any

from rich.console import Group
from rich.table import Table

from .tables import all_tables


def report(*, figures: dict[str, Any]) -> Group:
    shown: list[Any] = []
    for one in all_tables(figures=figures):
        table = Table(title=one.title, caption=one.note or None)
        for number, heading in enumerate(one.headings):
            table.add_column(heading, justify="right" if number else "left")
        for row in one.rows:
            table.add_row(*row)
        shown.append(table)
    if memory := figures.get("memory"):
        shown.append(
            f"Peak memory of this process: {_mib(memory['process_peak_bytes'])}; resident memory of "
            f"mongod: {_mib(memory['mongod_resident_bytes'])}"
        )
    return Group(*shown)


def _mib(size: int | None) -> str:
    return "not allowed to ask" if size is None else f"{size / 2**20:,.0f} MiB"
