"""Count failures for the metrics, and report exceptions if the site has ``SENTRY_DSN``."""

import logging
import sys
from typing import Any

from celery.signals import task_failure
from django.core.signals import got_request_exception
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.infra import metrics

from . import error_reports


class FailureCounter(logging.Handler):
    """Counts log records instead of writing them. ``socialsite.logs`` adds this handler for errors.

    Failed requests and tasks, which Django, django-structlog and Celery log, have counts of their own.
    """

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(("django.request", "django_structlog", "celery")):
            metrics.FAILURES.labels("logged_error").inc()


@receiver(got_request_exception)
def count_request_exception(sender: Any, request: HttpRequest | None = None, **_: Any) -> None:
    metrics.FAILURES.labels("exception").inc()
    match = request.resolver_match if request is not None else None
    where = match.view_name or match.route if match else "none"
    error_reports.report(sys.exc_info()[1], where=where)


@task_failure.connect
def count_failed_task(sender: Any = None, exception: Any = None, **_: Any) -> None:
    metrics.FAILURES.labels("task").inc()
    error_reports.report(exception, where=getattr(sender, "name", "none"))
