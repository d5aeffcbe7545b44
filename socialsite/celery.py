"""The entry of workers, ``celery -A socialsite worker``, and of the one clock, ``... beat``.

A broker may lose any message: what is unfinished stands in the database, and ``feed.tasks.sweep``
starts it again.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")

app = Celery("socialsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
