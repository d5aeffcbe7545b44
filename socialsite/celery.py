"""The Celery app for workers (``celery -A socialsite worker``) and the scheduler (``... beat``).

Jobs that can take minutes are in a queue of their own, ``settings.SLOW_QUEUE``. Another worker runs them
(``... worker -Q slow``), so that deliveries and mails never wait for a video or an archive.

A broker may lose any message. The database records unfinished work, so that periodic jobs such as
``feed.tasks.sweep`` can resume this work.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, worker_init
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")

SERVER_SELECTION_TIMEOUT_MS = 15_000
"""Long enough for a failover: a replica set elects a new primary within about 12 seconds."""

app = Celery("socialsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
def extend_server_selection_timeout(**_: Any) -> None:
    """Make workers wait for a new primary. Unlike in web requests, no user waits for a reply.

    Celery sends the signal before the first database client exists, so all clients use the new setting.
    Worker processes inherit the setting.
    """
    settings.DATABASES["default"]["OPTIONS"]["serverSelectionTimeoutMS"] = (
        SERVER_SELECTION_TIMEOUT_MS
    )


@worker_init.connect
def load_language_model(**_: Any) -> None:
    """Load the model before the worker forks, so that its processes share the memory."""
    from feed.text.languages import load_language_model

    load_language_model()


def queue_names() -> tuple[str, str]:
    """Return the names of the queue of ordinary jobs and of the queue of slow jobs."""
    return app.conf.task_default_queue, settings.SLOW_QUEUE


def queued_tasks(queue: str) -> int:
    """Return the number of tasks that wait in a queue. Raises an error if the broker is unreachable."""
    with app.connection_for_write() as broker:
        channel: Any = broker.default_channel
        try:
            return int(channel.queue_declare(queue, passive=True).message_count)
        except broker.channel_errors:  # the queue is empty, or no worker has created it yet
            return 0
        finally:
            if (
                broker.transport.driver_type == "mongodb"
            ):  # this transport does not close its client
                channel.client.client.close()
