"""What is hot, over raw PyMongo: ``boxes`` (what each person was told), ``history`` (durable ones that no
longer fit into a box), ``threads`` (who follows what is said to a post), ``endpoints`` (of their
devices), and in the same documents as the boxes ``choices``, ``mails`` (who waits for one) and ``pushes``.

Repositories of plain functions; nothing else in the app imports the driver.
"""

from . import boxes, devices, history, mail_queue, threads


def create_indexes() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    for store in (boxes, devices, history, mail_queue, threads):
        store.create_indexes()
