"""The MongoDB collections of notifications, over raw PyMongo.

``boxes`` holds each user's newest notifications, ``history`` the durable ones that no longer fit,
``threads`` thread followers, ``devices`` push endpoints. ``preferences``, ``mail_queue``,
``push_queue`` and ``markers`` live in the same documents as the boxes. Nothing else in the app
imports the driver.
"""

from . import boxes, devices, history, mail_queue, threads


def create_indexes() -> None:
    """Create missing indexes. Safe to repeat."""
    for store in (boxes, devices, history, mail_queue, threads):
        store.create_indexes()
