"""What is hot, over raw PyMongo: ``boxes`` (what each person was told), ``history`` (durable ones that no
longer fit into a box) and ``threads`` (who follows what is said to a post).

Repositories of plain functions; nothing else in the app imports the driver.
"""

from . import boxes, history, threads


def prepare() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    for store in (boxes, history, threads):
        store.prepare()
