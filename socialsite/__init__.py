"""The project: settings, URLs, database engine, Celery, static files, moderation and local tools.

The features live in the apps beside this package: ``accounts``, ``feed`` and ``notifications``.
"""

from .celery import app as celery_app

__all__ = ["celery_app"]
