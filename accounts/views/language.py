"""The language of pages, chosen in the footer or in the settings."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import translation
from django.views.decorators.http import require_POST

from accounts.inactive_users import allow_inactive_users
from accounts.languages import is_offered
from accounts.services.profiles import set_language
from accounts.viewer import next_url, viewer_id


@allow_inactive_users
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Save the language of a user, and remember it in the browser, also for visitors."""
    response = HttpResponseRedirect(next_url(request, default="/"))
    language = request.POST.get("language", "")
    if is_offered(language=language):
        save_language(request, response, language)
    return response


def save_language(request: HttpRequest, response: HttpResponse, language: str) -> None:
    """Save the language of the user, if there is one. "" means the language of the browser.

    The browser remembers it for pages without a user: after logging out, and errors.
    """
    uid = viewer_id(request)
    if uid is not None:
        set_language(uid=uid, language=language)
    if language:
        translation.activate(language)  # for a message about the change
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
