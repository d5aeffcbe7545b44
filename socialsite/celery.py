"""The entry of workers, ``celery -A socialsite worker``, and of the one clock, ``... beat``.

A broker may lose any message: what is unfinished stands in the database, and ``feed.tasks.sweep``
starts it again.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")

SERVER_SELECTION_TIMEOUT_MS = 15_000
"""A replica set needs up to 12 seconds to notice that its primary is gone and to elect another."""

app = Celery("socialsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
def extend_server_selection_timeout(**_: Any) -> None:
    """Nobody watches a worker: rather than fail as pages do, it waits until it can write again.

    Sent before the first database client is made, and inherited by the worker's processes.
    """
    settings.DATABASES["default"]["OPTIONS"]["serverSelectionTimeoutMS"] = (
        SERVER_SELECTION_TIMEOUT_MS
    )
