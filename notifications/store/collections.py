"""The MongoDB collections of notifications. All use Django's database connection."""

from functools import partial

from accounts.infra.store.connection import collection

notification_boxes = partial(collection, "notification_boxes")
notification_history = partial(collection, "notification_history")
push_devices = partial(collection, "push_devices")
subscriber_deliveries = partial(collection, "subscriber_deliveries")
thread_followers = partial(collection, "thread_followers")
