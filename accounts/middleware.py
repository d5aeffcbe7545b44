"""Notes now and then that a log-in is in use, and from where, for the list of one's sessions."""

import logging
import math
import time
from collections.abc import Callable

from allauth.usersessions.models import UserSession
from django.http import HttpRequest
from django.http.response import HttpResponseBase

NOTE_INTERVAL_SECONDS = 600.0
MAX_SESSIONS_CACHED = 10_000

logger = logging.getLogger(__name__)

_noted: dict[str, float] = {}
"""When this process has noted it of which session."""


class SessionActivityMiddleware:
    """After authentication. Asks nothing for a request that did not need to know who it is from."""

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
                logger.warning("It was not noted that a session is in use", exc_info=True)
        return response


def _is_due(key: str) -> bool:
    now = time.monotonic()
    if now - _noted.get(key, -math.inf) <= NOTE_INTERVAL_SECONDS:
        return False
    if len(_noted) >= MAX_SESSIONS_CACHED:
        _noted.clear()
    _noted[key] = now
    return True
