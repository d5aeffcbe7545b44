"""Write all tables to the terminal, and two of them as Markdown.

In a page of the docs, the tables are between two marks. Text outside the marks stays unchanged.
"""

from textwrap import fill
from typing import Any

from rich.console import Group
from rich.table import Table as RichTable

from .tables import Table, all_tables, documented_tables

BEGIN_MARK = "<!-- figures: written by feed_bench --markdown -->"
END_MARK = "<!-- end of figures -->"
LINE_LENGTH = 120


def has_marks(*, page: str) -> bool:
    begin, end = page.find(BEGIN_MARK), page.find(END_MARK)
    return 0 <= begin < end


def update_page(*, page: str, figures: dict[str, Any]) -> str:
    """Return the page with new tables between its marks. The page must have both marks."""
    before, rest = page.split(BEGIN_MARK, 1)
    _, after = rest.split(END_MARK, 1)
    parts = [_table(table) for table in documented_tables(figures=figures)]
    return "\n\n".join([before + BEGIN_MARK, *parts, END_MARK + after])


def _table(table: Table) -> str:
    rule = ["---", *["---:"] * (len(table.headings) - 1)]
    lines = [_row(cells) for cells in (table.headings, rule, *table.rows)]
    parts = [f"### {table.title}", "\n".join(lines)]
    return "\n\n".join([*parts, fill(table.note, LINE_LENGTH)] if table.note else parts)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def terminal_report(*, figures: dict[str, Any]) -> Group:
    parts: list[Any] = []
    for table in all_tables(figures=figures):
        rich_table = RichTable(title=table.title, caption=table.note or None)
        for number, heading in enumerate(table.headings):
            rich_table.add_column(heading, justify="right" if number else "left")
        for row in table.rows:
            rich_table.add_row(*row)
        parts.append(rich_table)
    if memory := figures.get("memory"):
        parts.append(
            f"Peak memory of this process: {_mib(memory['process_peak_bytes'])}; resident memory of "
            f"mongod: {_mib(memory['mongod_resident_bytes'])}"
        )
    return Group(*parts)


def _mib(size: int | None) -> str:
    return "unknown (no permission)" if size is None else f"{size / 2**20:,.0f} MiB"
