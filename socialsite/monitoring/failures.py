"""Count failures for the metrics, and report exceptions if the site has ``SENTRY_DSN`` (off by default).

A report contains only the type of the exception, the files, functions and lines of the stack, and the name
of the route or task. It contains no message, because messages may quote texts, names or addresses of users,
and nothing of the request. ``_strip`` builds each report anew, so new fields of the SDK are never sent.
"""

import logging
import sys
from typing import Any

from celery.signals import task_failure
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import got_request_exception
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.infra import metrics

FRAME_FIELDS = ("filename", "function", "module", "lineno", "in_app")
MISSING_PACKAGE = "SENTRY_DSN needs the extra 'errors': pip install 'sentry-sdk==2.*'"


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
    report(sys.exc_info()[1], where=where)


@task_failure.connect
def count_failed_task(sender: Any = None, exception: Any = None, **_: Any) -> None:
    metrics.FAILURES.labels("task").inc()
    report(exception, where=getattr(sender, "name", "none"))


def start_reports() -> None:
    """Prepare the client. Does nothing without ``SENTRY_DSN``. Sends nothing."""
    if not settings.SENTRY_DSN:
        return
    try:
        import sentry_sdk
    except ImportError:
        raise ImproperlyConfigured(MISSING_PACKAGE) from None

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        before_send=_strip,
        # Without integrations, the SDK reads no requests, sends nothing by itself and adds no headers to
        # requests to other sites.
        default_integrations=False,
        auto_enabling_integrations=False,
        trace_propagation_targets=[],
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
        server_name="",
    )


def report(error: BaseException | None, *, where: str) -> None:
    """Report an exception. ``where`` is the name of a route or task.

    A thread of the SDK sends the report. Does nothing without ``SENTRY_DSN``.
    """
    if not settings.SENTRY_DSN or error is None:
        return
    import sentry_sdk

    with sentry_sdk.new_scope() as scope:
        scope.set_transaction_name(where)
        sentry_sdk.capture_exception(error)


def _strip(event: Any, _hint: Any) -> Any:
    exceptions = [
        {
            "type": error.get("type"),
            "module": error.get("module"),
            "stacktrace": {
                "frames": [
                    {name: frame[name] for name in FRAME_FIELDS if name in frame}
                    for frame in (error.get("stacktrace") or {}).get("frames", ())
                ]
            },
        }
        for error in event.get("exception", {}).get("values", ())
    ]
    return {
        "event_id": event["event_id"],
        "timestamp": event["timestamp"],
        "platform": "python",
        "level": "error",
        "transaction": event.get("transaction"),
        "exception": {"values": exceptions},
    }
