"""Refuse to start with feed settings that cannot work."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

from .activities import kinds
from .timeline.store.seal import BUCKET_SIZE, SEAL_AT
from .timeline.strategies import STRATEGIES


@register()
def check_feed_settings(**_: Any) -> list[Error]:
    errors = []
    if settings.FEED_STRATEGY not in STRATEGIES:
        names = ", ".join(STRATEGIES)
        errors.append(
            Error(
                f"FEED_STRATEGY is {settings.FEED_STRATEGY!r}.",
                hint=f"Choose one of: {names}.",
                id="feed.E001",
            )
        )
    smallest = SEAL_AT + BUCKET_SIZE
    if smallest > settings.FEED_INBOX_MAX:
        errors.append(
            Error(
                f"FEED_INBOX_MAX is {settings.FEED_INBOX_MAX}, less than one bucket beside the head.",
                hint=f"Set it to {smallest} or more.",
                id="feed.E002",
            )
        )
    unknown = set(settings.FEED_HOME_KINDS) - {kind.name for kind in kinds()}
    if unknown:
        names = ", ".join(kind.name for kind in kinds())
        errors.append(
            Error(
                f"FEED_HOME_KINDS has {', '.join(sorted(unknown))}.",
                hint=f"Choose from: {names}.",
                id="feed.E003",
            )
        )
    return errors
