"""A function that answers an API call, and the addresses at which such functions are."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, cast

from django.contrib.auth import get_user_model
from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django.views import View
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.infra.api.scopes import has_scope

from . import errors, openapi, rate_limits
from .errors import INVALID_TOKEN, Unprocessable
from .inputs import Inputs, NoInputs, request_inputs
from .pages import Page, link_header

if TYPE_CHECKING:
    from accounts.models import User


class Caller(Enum):
    """Who may call an endpoint. Whoever comes with a token needs its scope everywhere."""

    USER = "person"
    APP = "app"
    ANYONE = "anyone"


class ApiRequest(Request):
    """``given``: what was sent and is as the endpoint wants it."""

    inputs: dict[str, Any]

    @property
    def viewer_id(self) -> int | None:
        """The uid of who calls; None for a visitor or an app of its own."""
        return self.user.pk if isinstance(self.user, get_user_model()) else None

    @property
    def signed_in_user(self) -> "User":
        """Who calls, where ``Who.PERSON`` may."""
        return cast("User", self.user)

    @property
    def uid(self) -> int:
        return int(self.signed_in_user.pk)

    @property
    def page_bounds(self) -> dict[str, Any]:
        """The cursors and the limit, by the names that selectors have for them."""
        return {name: self.inputs[name] for name in ("max_id", "min_id", "since_id", "limit")}


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
    """Decorator of a function that takes an ``ApiRequest`` and what is in the path, and returns JSON, a
    ``Page`` of it, or a response. ``scopes``: one of them is enough. ``returns``: the type of the JSON, or
    of what it ``sends`` instead."""

    def decorate(answer: Handler) -> Handler:
        answer.rules = EndpointRules(scopes, caller, inputs, status)  # type: ignore[attr-defined]
        answer.returns, answer.tag = returns, tag  # type: ignore[attr-defined]
        answer.sends = content_type  # type: ignore[attr-defined]
        return answer

    return decorate


class Endpoint(APIView):
    """Those of one address."""

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
        finally:  # also whoever tries one token after the other
            rate_limits.count_request(request)
        rules = self.rules.get(_method_of(request))
        if rules is not None:
            _admit(request, rules)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished: Any = super().finalize_response(request, response, *args, **kwargs)
        for name, value in rate_limits.rate_limit_headers(request).items():
            finished[name] = value
        if not finished.has_header("Cache-Control"):
            finished["Cache-Control"] = "private, no-store"
        return finished


def _method_of(request: Request) -> str:
    method = str(request.method).lower()
    return "get" if method == "head" else method


def _admit(request: Request, rules: EndpointRules) -> None:
    """Raises what is answered to those who may not call."""
    token: Any = request.auth
    if token is None:
        if rules.caller is Caller.ANYONE:
            return
        raise NotAuthenticated(INVALID_TOKEN)
    given = token.scope.split()
    if rules.scopes and not any(has_scope(granted=given, required=one) for one in rules.scopes):
        raise PermissionDenied(_("This action is outside the authorized scopes"))
    if rules.caller is Caller.USER and not request.user.is_authenticated:
        raise Unprocessable(_("This method requires an authenticated user"))


def route(*, base: type[Endpoint] = Endpoint, **handlers: Handler) -> Callable[..., Any]:
    """The view of an address: ``route(get=show, delete=remove)``. ``base``: for those that read requests
    in another way."""
    methods = {name: _method(name, answer) for name, answer in handlers.items()}
    rules = {name: answer.rules for name, answer in handlers.items()}  # type: ignore[attr-defined]
    view: type[View] = type("Endpoint", (base,), {**methods, "rules": rules})
    made: Callable[..., Any] = view.as_view()
    return made


def _method(name: str, answer: Handler) -> Callable[..., Response]:
    rules: EndpointRules = answer.rules  # type: ignore[attr-defined]

    def method(self: Endpoint, request: ApiRequest, **kwargs: Any) -> Any:
        checked = rules.inputs(data=request_inputs(request))
        checked.is_valid(raise_exception=True)
        request.inputs = checked.validated_data
        found = answer(request, **kwargs)
        if isinstance(found, HttpResponseBase):
            return found
        if not isinstance(found, Page):
            return Response(found, status=rules.status)
        response = Response(found.results, status=rules.status)
        if header := link_header(request, found):
            response["Link"] = header
        return response

    method.schema = openapi.PathSchema()  # type: ignore[attr-defined]
    described = extend_schema(**openapi.operation_docs(name=name, handler=answer))
    made: Callable[..., Response] = described(method)
    return made
