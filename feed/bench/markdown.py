"""The tables in a page of the docs, between two marks; what stands around them is written by hand."""

from typing import Any

from .tables import Table, all_tables

BEGIN = "<!-- figures: written by feed_bench --markdown -->"
END = "<!-- end of figures -->"


def has_place(*, page: str) -> bool:
    begin, end = page.find(BEGIN), page.find(END)
    return 0 <= begin < end


def updated(*, page: str, figures: dict[str, Any]) -> str:
    """The page with these figures in the place of older ones. It has a place."""
    before, rest = page.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    parts = [_table(one) for one in all_tables(figures=figures)]
    return "\n\n".join([before + BEGIN, *parts, END + after])


def _table(table: Table) -> str:
    rule = ["---", *["---:"] * (len(table.headings) - 1)]
    lines = [_row(cells) for cells in (table.headings, rule, *table.rows)]
    parts = [f"### {table.title}", "\n".join(lines)]
    return "\n\n".join([*parts, table.note] if table.note else parts)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
