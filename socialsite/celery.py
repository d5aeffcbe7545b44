"""The Celery app for workers (``celery -A socialsite worker``) and the scheduler (``... beat``).

A broker may lose any message. The database records unfinished work, so that periodic jobs such as
``feed.tasks.sweep`` can resume this work.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init
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
