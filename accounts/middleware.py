"""Middleware for language, time zone, and the session list (last activity and address)."""

import logging
import math
import time
from collections.abc import Callable
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from .brand.current import current_brand
from .infra.middleware import PREFIXES_OF_FILES, Middleware
from .viewer import activate_viewer_language, browser_time_zone, viewer_time_zone

RECORD_INTERVAL_SECONDS = 600.0
MAX_SESSIONS_CACHED = 10_000

HEALTH_PATH = "/health"
PATHS_WITHOUT_TEXTS = ("/api/", *PREFIXES_OF_FILES)

logger = logging.getLogger(__name__)

_recorded_at: dict[str, float] = {}
"""Time of this process's last record of each session, in seconds of ``time.monotonic``, by session key."""


class DefaultLanguageMiddleware(Middleware):
    """Prefer the site's default language to LANGUAGE_CODE. Must run before ``LocaleMiddleware``.

    Adds the language to ``Accept-Language`` as the last choice, and in place of "any language".
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Health checks must not read the database, and with a single language there is no choice.
        if len(settings.LANGUAGES) > 1 and request.path_info != HEALTH_PATH:
            language = current_brand().language
            accepted = request.META.get("HTTP_ACCEPT_LANGUAGE", "").replace("*", language)
            request.META["HTTP_ACCEPT_LANGUAGE"] = f"{accepted},{language};q=0.001".lstrip(",")
        return self._get_response(request)


class ViewerLocaleMiddleware(Middleware):
    """Use the language and the time zone of the user's settings, else of the browser, else of the site.

    Must run after the authentication middleware and after ``LocaleMiddleware``, which knows the language of
    the browser. The API ignores cookies: its times stay in UTC, and its language is that of the app.
    Pictures have neither.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(PATHS_WITHOUT_TEXTS):
            return self._get_response(request)
        # ``override`` also ends what ``process_view`` activates, so that the thread's next request does not
        # inherit the time zone.
        with timezone.override(browser_time_zone(request) or None):
            response = self._get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["Cookie"])
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> None:
        if request.path_info.startswith(PATHS_WITHOUT_TEXTS):
            return
        if name := viewer_time_zone(request):
            timezone.activate(name)
        activate_viewer_language(request)


class SessionActivityMiddleware(Middleware):
    """Record the activity of the session. Must run after the authentication middleware.

    A request costs no query if its view did not load the user.
    """

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
