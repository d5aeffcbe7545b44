"""The MongoDB collections of notifications, over raw PyMongo.

``boxes`` holds each user's newest notifications, ``history`` durable notifications that no longer fit,
``threads`` thread followers, ``devices`` push endpoints, ``subscriber_deliveries`` posts whose
subscribers are being notified. ``preferences``, ``mail_queue``, ``markers`` and
``unread_messages`` use the same documents as the boxes. The other packages of this app do not use the
database driver.
"""

from . import boxes, devices, history, mail_queue, subscriber_deliveries, threads, unread_messages


def create_indexes() -> None:
    """Create missing indexes. Safe to repeat."""
    for store in (
        boxes,
        devices,
        history,
        mail_queue,
        subscriber_deliveries,
        threads,
        unread_messages,
    ):
        store.create_indexes()
