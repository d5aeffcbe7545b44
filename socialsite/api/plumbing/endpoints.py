"""API endpoints: functions that handle API requests, and the routes for their URLs."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_origin

from django.contrib.auth import get_user_model
from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django.views import View
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.infra.cursors import PageBounds
from accounts.selectors.access_tokens import INVALID_TOKEN

from . import errors, openapi, rate_limits
from .errors import Unprocessable
from .inputs import Inputs, NoInputs, request_inputs, validated_inputs
from .pages import Page, link_header
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
    ``Page`` or a response.

    Args:
        scopes: the token must have at least one of these scopes.
        returns: the type of the JSON data, or of the body if ``content_type`` is not JSON.
    """

    def decorate(handler: Handler) -> Handler:
        handler.rules = EndpointRules(scopes, caller, inputs, status)  # type: ignore[attr-defined]
        handler.returns, handler.tag = returns, tag  # type: ignore[attr-defined]
        handler.content_type = content_type  # type: ignore[attr-defined]
        return handler

    return decorate


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
            rate_limits.count_request(request)
        rules = self.rules.get(_method_of(request))
        if rules is not None:
            _check_access(request, rules)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in rate_limits.rate_limit_headers(request).items():
            response[name] = value
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-store"
        return response


def _method_of(request: Request) -> str:
    method = str(request.method).lower()
    return "get" if method == "head" else method


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
    returns = handler.returns  # type: ignore[attr-defined]

    def method(self: Endpoint, request: ApiRequest, **kwargs: Any) -> Any:
        request.inputs = validated_inputs(rules.inputs, request_inputs(request))
        if request.inputs.get("limit") == 0 and get_origin(returns) is list:
            return Response([], status=rules.status)
        result = handler(request, **kwargs)
        if isinstance(result, HttpResponseBase):
            return result
        if not isinstance(result, Page):
            return Response(result, status=rules.status)
        response = Response(result.results, status=rules.status)
        if header := link_header(request, result):
            response["Link"] = header
        return response

    method.schema = openapi.PathSchema()  # type: ignore[attr-defined]
    add_docs = extend_schema(**openapi.operation_docs(name=name, handler=handler))
    documented_method: Callable[..., Response] = add_docs(method)
    return documented_method
