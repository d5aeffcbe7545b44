"""API endpoints: functions that handle API requests, and the routes for their URLs."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_origin
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import get_user_model
from django.http import HttpResponseBase
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from django.views import View
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.infra import rate_limits
from accounts.infra.client_address import client_network
from accounts.infra.cursors import PageBounds
from accounts.selectors.access_tokens import INVALID_TOKEN

from . import errors, openapi
from .errors import Unprocessable
from .inputs import Inputs, NoInputs, request_inputs, validated_inputs
from .scopes import has_scope

if TYPE_CHECKING:
    from accounts.models import User


class Caller(Enum):
    """Who may call an endpoint. A caller with a token always needs one of the endpoint's scopes."""

    USER = "user"
    APP = "app"
    ANYONE = "anyone"


class ApiRequest(Request):
    """A request to an endpoint. ``inputs``: the validated query and body."""

    inputs: dict[str, Any]

    @property
    def viewer_id(self) -> int | None:
        """Return the uid of the caller, or None for a visitor or an app-only token."""
        return self.user.pk if isinstance(self.user, get_user_model()) else None

    @property
    def signed_in_user(self) -> "User":
        """Return the user who calls the endpoint. Use it only in endpoints with ``Caller.USER``."""
        return cast("User", self.user)

    @property
    def token(self) -> Any:
        """Return the ``AccessToken`` of the request, None if it has none."""
        return self.auth

    @property
    def uid(self) -> int:
        return int(self.signed_in_user.pk)

    @property
    def page_bounds(self) -> PageBounds:
        return PageBounds(
            **{name: self.inputs[name] for name in ("max_id", "min_id", "since_id", "limit")}
        )


@dataclass(frozen=True, slots=True)
class EndpointRules:
    scopes: tuple[str, ...]
    caller: Caller
    inputs: type[Inputs]
    status: int
    returns: Any
    tag: str
    content_type: str


Handler = Callable[..., Any]


def endpoint(
    *scopes: str,
    returns: Any,
    caller: Caller = Caller.USER,
    inputs: type[Inputs] = NoInputs,
    status: int = 200,
    tag: str = "",
    content_type: str = "application/json",
) -> Callable[[Handler], Handler]:
    """Decorator: declare the inputs and results of an endpoint, and who may call it.

    The decorated function takes an ``ApiRequest`` and the arguments from the path. It returns JSON data, a
    ``Page`` or a response. None stands for an empty object.

    Args:
        scopes: the token must have at least one of these scopes.
        returns: the type of the JSON data, or of the body if ``content_type`` is not JSON.
    """

    def decorate(handler: Handler) -> Handler:
        handler.rules = EndpointRules(  # type: ignore[attr-defined]
            scopes, caller, inputs, status, returns, tag, content_type
        )
        return handler

    return decorate


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list.

    Attributes:
        results: a JSON list, or an object that contains lists.
        older_cursor: ``max_id`` of the next page, or None on the last page. A page is empty if all its rows
            are hidden from the viewer. Such a page has a cursor unless it is the last page, because clients
            stop at a page without a cursor.
        newer_cursor: ``min_id`` of the previous page, or None if the response has no link to that page.
        next_offset: offset of the next page, for lists without ids.
    """

    results: Any
    older_cursor: str | int | None = None
    newer_cursor: str | int | None = None
    next_offset: int | None = None

    @classmethod
    def around(cls, page: Any, results: Any, *, first_cursor: str | int | None = None) -> "Page":
        """Return the results with the cursors of a selector's page.

        ``first_cursor``: the newest cursor of the page. Even a first page gets a link with it, because
        clients use this link to poll for new rows.
        """
        return cls(results, page.older_cursor, page.newer_cursor or first_cursor)


def link_header(request: Request, page: Page) -> str:
    """Return the value of the ``Link`` header, or "" if there is no adjacent page."""
    links = []
    if page.older_cursor is not None:
        links.append(_link(request, "next", {"max_id": page.older_cursor}))
    if page.next_offset is not None:
        links.append(_link(request, "next", {"offset": page.next_offset}))
    if page.newer_cursor is not None:
        links.append(_link(request, "prev", {"min_id": page.newer_cursor}))
    return ", ".join(links)


def _link(request: Request, rel: str, cursor: dict[str, Any]) -> str:
    params = {
        name: values
        for name, values in request.query_params.lists()
        if name not in ("max_id", "min_id", "since_id", "offset", "access_token")
    }
    query = urlencode({**params, **cursor}, doseq=True)
    path = escape_uri_path(request.path)
    return f'<{settings.SITE_URL}{path}?{query}>; rel="{rel}"'


class Endpoint(APIView):
    """The endpoints of one URL, by HTTP method."""

    rules: ClassVar[dict[str, EndpointRules]] = {}

    def get_exception_handler(self) -> Any:
        return errors.exception_handler

    def initialize_request(self, request: Any, *args: Any, **kwargs: Any) -> ApiRequest:
        return ApiRequest(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self.get_parser_context(request),
        )

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        try:
            super().initial(request, *args, **kwargs)
        # Count failed authentication as well. Otherwise clients could try any number of tokens.
        finally:
            _count_request(request)
        method = str(request.method).lower()
        rules = self.rules.get("get" if method == "head" else method)
        if rules is not None:
            _check_access(request, rules)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in _rate_limit_headers(request).items():
            response[name] = value
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-store"
        return response


def _count_request(request: Request) -> None:
    """Count the request before the endpoint runs, with one command. Raises RateLimited.

    Requests with a user count by uid, others by network.
    """
    if request.user.is_authenticated:
        action, subject = "api", str(request.user.pk)
    else:
        action, subject = "visitor_api", client_network(request._request)
    allowance = rate_limits.take_allowance(action=action, subject=subject)
    request._request.allowance = allowance  # type: ignore[attr-defined]
    if allowance is not None and allowance.refusal is not None:
        raise allowance.refusal


def _rate_limit_headers(request: Any) -> dict[str, str]:
    allowance: rate_limits.Allowance | None = getattr(request._request, "allowance", None)
    if allowance is None:
        return {}
    reset = allowance.resets_at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return {
        "X-RateLimit-Limit": str(allowance.limit),
        "X-RateLimit-Remaining": str(allowance.remaining),
        "X-RateLimit-Reset": reset,
    }


def _check_access(request: Request, rules: EndpointRules) -> None:
    """Raise an APIException with the error response if the caller may not use the endpoint."""
    token: Any = request.auth
    if token is None:
        if rules.caller is Caller.ANYONE:
            return
        raise NotAuthenticated(INVALID_TOKEN)
    granted = token.scope.split()
    if rules.scopes and not any(
        has_scope(granted=granted, required=scope) for scope in rules.scopes
    ):
        raise PermissionDenied(_("This action is outside the authorized scopes"))
    if rules.caller is Caller.USER and not request.user.is_authenticated:
        raise Unprocessable(_("This method requires an authenticated user"))


def route(*, base: type[Endpoint] = Endpoint, **handlers: Handler) -> Callable[..., Any]:
    """Return the view for a URL. Example: ``route(get=show, delete=remove)``.

    ``base`` is a subclass of ``Endpoint`` for URLs that parse or authenticate requests in another way.
    """
    methods = {name: _build_method(name, handler) for name, handler in handlers.items()}
    rules = {name: handler.rules for name, handler in handlers.items()}  # type: ignore[attr-defined]
    view_class: type[View] = type("Endpoint", (base,), {**methods, "rules": rules})
    view: Callable[..., Any] = view_class.as_view()
    return view


def _build_method(name: str, handler: Handler) -> Callable[..., Response]:
    rules: EndpointRules = handler.rules  # type: ignore[attr-defined]

    def method(self: Endpoint, request: ApiRequest, **kwargs: Any) -> Any:
        request.inputs = validated_inputs(rules.inputs, request_inputs(request))
        if request.inputs.get("limit") == 0 and get_origin(rules.returns) is list:
            return Response([], status=rules.status)
        result = handler(request, **kwargs)
        if isinstance(result, HttpResponseBase):
            return result
        if not isinstance(result, Page):
            return Response({} if result is None else result, status=rules.status)
        response = Response(result.results, status=rules.status)
        if header := link_header(request, result):
            response["Link"] = header
        return response

    method.schema = openapi.PathSchema()  # type: ignore[attr-defined]
    add_docs = extend_schema(**openapi.operation_docs(name=name, handler=handler))
    documented_method: Callable[..., Response] = add_docs(method)
    return documented_method
