"""Wiring of the project: settings, the table of URLs, the database engine, Celery and static files.

What the site does lives in the apps beside this package: ``accounts``, ``feed``, ``notifications``.
"""

from .celery import app as celery_app

__all__ = ["celery_app"]
