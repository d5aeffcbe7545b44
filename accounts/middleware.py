"""Middleware that records the last activity and address of each session for the session list."""

import logging
import math
import time
from collections.abc import Callable

from allauth.usersessions.models import UserSession
from django.http import HttpRequest
from django.http.response import HttpResponseBase

RECORD_INTERVAL_SECONDS = 600.0
MAX_SESSIONS_CACHED = 10_000

logger = logging.getLogger(__name__)

_recorded_at: dict[str, float] = {}
"""Time of this process's last record of each session, in seconds of ``time.monotonic``, by session key."""


class SessionActivityMiddleware:
    """Record the activity of the session. Must run after the authentication middleware.

    A request costs no query if its view did not load the user.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        user = getattr(request, "_cached_user", None)
        key = request.session.session_key
        if key and user is not None and user.is_authenticated and _is_due(key):
            try:
                UserSession.objects.create_from_request(request)
            except Exception:
                logger.warning("The activity of a session could not be recorded", exc_info=True)
        return response


def _is_due(key: str) -> bool:
    now = time.monotonic()
    if now - _recorded_at.get(key, -math.inf) <= RECORD_INTERVAL_SECONDS:
        return False
    if len(_recorded_at) >= MAX_SESSIONS_CACHED:
        _recorded_at.clear()
    _recorded_at[key] = now
    return True
