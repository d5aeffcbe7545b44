"""Logging: one line per event, as readable text, or as JSON with ``LOG_FORMAT=json``."""

import re
from typing import Any

import environ
import structlog

_env = environ.Env()

TOKEN_PATTERN = re.compile(r"(access_token=)[^&\s]+")


def redact_tokens(_logger: Any, _name: str, event: Any) -> Any:
    """Remove access tokens from URLs. ``socialsite.api.streaming`` accepts tokens as a URL parameter."""
    for key in ("request", "event"):  # uvicorn logs the URLs of WebSockets as the event
        if key in event:
            event[key] = TOKEN_PATTERN.sub(r"\1...", str(event[key]))
    return event


_shared: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
    redact_tokens,
]
_renderer = (
    structlog.processors.JSONRenderer()
    if _env.str("LOG_FORMAT", default="text") == "json"
    else structlog.dev.ConsoleRenderer(colors=False)
)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "events": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _renderer,
            ],
            "foreign_pre_chain": _shared,
        }
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "events"},
        "failures": {"class": "socialsite.monitoring.failures.FailureCounter", "level": "ERROR"},
    },
    "root": {"handlers": ["console", "failures"], "level": _env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        "django_structlog": {"level": "WARNING"},
        "pymongo": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
    },
}

structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.filter_by_level,
        *_shared[1:],
        structlog.processors.StackInfoRenderer(),
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
