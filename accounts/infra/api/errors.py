"""What goes wrong, in JSON: ``{"error": words for people, "error_description": more of them}``."""

import logging
from typing import Any

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import exceptions
from rest_framework.response import Response

from accounts.infra.refusals import Refused, TryLater

logger = logging.getLogger(__name__)

INVALID_TOKEN = gettext_lazy("The access token is invalid")


class Unprocessable(exceptions.APIException):
    """What was sent was understood, and cannot be done."""

    status_code = 422


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """``REST_FRAMEWORK["EXCEPTION_HANDLER"]``; None: it is a fault of ours."""
    if isinstance(error, exceptions.ValidationError):
        return Response(_invalid(error.detail), status=422)
    if isinstance(error, Refused):
        return Response({"error": str(error) or _("This cannot be done.")}, status=422)
    if isinstance(error, TryLater):
        wait = {"Retry-After": str(error.retry_after)}
        return Response({"error": str(error)}, status=error.status, headers=wait)
    if isinstance(error, Http404):
        return Response({"error": _("Record not found")}, status=404)
    if isinstance(error, DjangoPermissionDenied):
        return Response({"error": _("This action is not allowed")}, status=403)
    if isinstance(error, SuspiciousOperation):
        status = 413 if isinstance(error, RequestDataTooBig) else 400
        return Response({"error": _("This request cannot be read")}, status=status)
    if isinstance(error, exceptions.APIException):
        said = error.detail if isinstance(error.detail, str) else error.default_detail
        headers = {}
        if challenge := getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = challenge
        return Response({"error": str(said)}, status=error.status_code, headers=headers)
    return None


def _invalid(detail: Any) -> dict[str, Any]:
    """All that is wrong in one sentence, and by field for programs."""
    fields = {"": detail} if isinstance(detail, list) else dict(_flat(detail))
    said = [
        f"{name}: {one}" if name else str(one) for name, every in fields.items() for one in every
    ]
    return {
        "error": _("Validation failed: %(what)s") % {"what": " ".join(said)},
        "details": {
            name: [
                {"error": getattr(one, "code", "invalid").upper(), "description": str(one)}
                for one in every
            ]
            for name, every in fields.items()
            if name
        },
    }


def _flat(detail: dict[str, Any], inside: str = "") -> Any:
    for name, value in detail.items():
        path = "" if name == "non_field_errors" else f"{inside}{name}"
        if isinstance(value, str):  # DRF makes no list of what a dictionary says
            yield path, [value]
        elif isinstance(value, dict):
            yield from _flat({str(key): one for key, one in value.items()}, f"{path}.")
        elif value and isinstance(value[0], dict):
            for number, one in enumerate(value):
                yield from _flat(one, f"{path}.{number}.")
        else:
            yield path, value


def is_api_request(request: HttpRequest) -> bool:
    return request.path.startswith(("/api/", "/oauth/"))


def json_error(message: str, *, status: int) -> JsonResponse:
    return JsonResponse({"error": message}, status=status)
