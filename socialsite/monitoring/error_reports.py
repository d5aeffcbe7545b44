"""Send exceptions to a service with Sentry's protocol, if the site has ``SENTRY_DSN``. Off by default.

A report contains only the type of the exception, the files, functions and lines of the stack, and the name
of the route or task. It contains no message, because messages may quote texts, names or addresses of users,
and nothing of the request. ``_strip`` builds each report anew, so new fields of the SDK are never sent.
"""

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

FRAME_FIELDS = ("filename", "function", "module", "lineno", "in_app")
MISSING_PACKAGE = "SENTRY_DSN needs the extra 'errors': pip install 'sentry-sdk==2.*'"


def start() -> None:
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
