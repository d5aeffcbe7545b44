"""What answers where nothing else does: a page for people, JSON for programs."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views import defaults

from accounts.api.errors import is_api, json_error


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return json_error(_("There is nothing at this address"), status=404)
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return json_error(_("This request cannot be read"), status=400)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        return json_error(_("Something went wrong here; it is not your fault"), status=500)
    return defaults.server_error(request)
