"""API errors as JSON: ``{"error": message, "error_description": details}``."""

import logging
from typing import Any

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response

from accounts.infra.refusals import Refused, TryLater

logger = logging.getLogger(__name__)


class Unprocessable(exceptions.APIException):
    """The request is valid but cannot be processed."""

    status_code = 422


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response for an endpoint's exception, or None for an unexpected exception.

    The setting ``REST_FRAMEWORK["EXCEPTION_HANDLER"]`` names this function.
    """
    if isinstance(error, exceptions.ValidationError):
        return Response(_validation_error(error.detail), status=422)
    if isinstance(error, Refused):
        return Response({"error": str(error) or _("This action is not possible.")}, status=422)
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
        message = error.detail if isinstance(error.detail, str) else error.default_detail
        headers = {}
        if challenge := getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = challenge
        return Response({"error": str(message)}, status=error.status_code, headers=headers)
    return None


def _validation_error(detail: Any) -> dict[str, Any]:
    """Return all errors as one message for users, and as a dictionary by field for programs."""
    errors_by_field = {"": detail} if isinstance(detail, list) else dict(_flatten(detail))
    messages = [
        f"{name}: {error}" if name else str(error)
        for name, errors in errors_by_field.items()
        for error in errors
    ]
    return {
        "error": _("Validation failed: %(what)s") % {"what": " ".join(messages)},
        "details": {
            name: [
                {"error": getattr(error, "code", "invalid").upper(), "description": str(error)}
                for error in errors
            ]
            for name, errors in errors_by_field.items()
            if name
        },
    }


def _flatten(detail: dict[str, Any], prefix: str = "") -> Any:
    """Yield ``(dotted field name, errors)`` for every field with errors."""
    for name, value in detail.items():
        path = "" if name == "non_field_errors" else f"{prefix}{name}"
        # Usually DRF reports the errors of a field as a list. Inside a dictionary, an error may be a plain
        # string.
        if isinstance(value, str):
            yield path, [value]
        elif isinstance(value, dict):
            yield from _flatten({str(key): errors for key, errors in value.items()}, f"{path}.")
        elif value and isinstance(value[0], dict):
            for index, errors in enumerate(value):
                yield from _flatten(errors, f"{path}.{index}.")
        else:
            yield path, value


def is_api_request(request: HttpRequest) -> bool:
    return request.path.startswith(("/api/", "/oauth/"))


def json_error(message: str, *, status: int) -> JsonResponse:
    return JsonResponse({"error": message}, status=status)
