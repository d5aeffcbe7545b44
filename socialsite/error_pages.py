"""Handlers of errors 400, 404 and 500: a page for browsers, JSON for the API."""

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views import defaults

from accounts.viewer import activate_viewer_language
from socialsite.api.plumbing.errors import is_api_request, json_error

UNREADABLE_BODY_ERRORS = (
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
    MultiPartParserError,
)
"""Errors of bodies that are too large or damaged. The error page then suggests sending less data."""


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_request(request):
        return json_error(_("This endpoint does not exist"), status=404)
    activate_viewer_language(request)  # the middleware does it only for paths that exist
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_request(request):
        return json_error(_("This request cannot be read"), status=400)
    # Do not pass the request to the template, because reading an invalid request may fail again.
    context = {"is_body_unreadable": isinstance(exception, UNREADABLE_BODY_ERRORS)}
    return HttpResponseBadRequest(render_to_string("400.html", context))


def server_error(request: HttpRequest) -> HttpResponse:
    if is_api_request(request):
        return json_error(_("Something went wrong on our side. Try again later."), status=500)
    return defaults.server_error(request)
