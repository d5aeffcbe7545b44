"""A function that answers an API call, and the addresses at which such functions are."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django.views import View
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.oauth.scopes import includes

from . import errors, openapi, rates
from .authentication import INVALID, BearerAuthentication
from .errors import Unprocessable
from .inputs import Empty, Inputs, all_given
from .pages import Page, links


class Who(Enum):
    """Who may call an endpoint. Whoever comes with a token needs its scope everywhere."""

    PERSON = "person"
    APP = "app"
    ANYBODY = "anybody"


class ApiRequest(Request):
    """``given``: what was sent and is as the endpoint wants it."""

    given: dict[str, Any]

    @property
    def viewer(self) -> int | None:
        """The uid of who calls; None for a visitor or an app of its own."""
        return self.user.pk if isinstance(self.user, User) else None

    @property
    def person(self) -> User:
        """Who calls, where ``Who.PERSON`` may."""
        assert isinstance(self.user, User)  # noqa: S101 - narrows the type
        return self.user

    @property
    def uid(self) -> int:
        return int(self.person.pk)

    @property
    def window(self) -> dict[str, Any]:
        """The cursors and the limit, by the names that selectors have for them."""
        return {name: self.given[name] for name in ("max_id", "min_id", "since_id", "limit")}


@dataclass(frozen=True, slots=True)
class Rules:
    scopes: tuple[str, ...]
    who: Who
    takes: type[Inputs]
    status: int


Answer = Callable[..., Any]


def endpoint(
    *scopes: str,
    returns: Any,
    who: Who = Who.PERSON,
    takes: type[Inputs] = Empty,
    status: int = 200,
    tag: str = "",
    sends: str = "application/json",
) -> Callable[[Answer], Answer]:
    """Decorator of a function that takes an ``ApiRequest`` and what is in the path, and returns JSON, a
    ``Page`` of it, or a response. ``scopes``: one of them is enough. ``returns``: the type of the JSON, or
    of what it ``sends`` instead."""

    def decorate(answer: Answer) -> Answer:
        answer.rules = Rules(scopes, who, takes, status)  # type: ignore[attr-defined]
        answer.returns, answer.tag = returns, tag  # type: ignore[attr-defined]
        answer.sends = sends  # type: ignore[attr-defined]
        return answer

    return decorate


class Endpoint(APIView):
    """Those of one address."""

    rules: ClassVar[dict[str, Rules]] = {}

    authentication_classes = [BearerAuthentication]

    def get_exception_handler(self) -> Any:
        return errors.answer

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
            rates.count(request)
        rules = self.rules.get(_method_of(request))
        if rules is not None:
            _admit(request, rules)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished: Any = super().finalize_response(request, response, *args, **kwargs)
        for name, value in rates.headers(request).items():
            finished[name] = value
        if not finished.has_header("Cache-Control"):
            finished["Cache-Control"] = "private, no-store"
        return finished


def _method_of(request: Request) -> str:
    method = str(request.method).lower()
    return "get" if method == "head" else method


def _admit(request: Request, rules: Rules) -> None:
    """Raises what is answered to those who may not call."""
    token: Any = request.auth
    if token is None:
        if rules.who is Who.ANYBODY:
            return
        raise NotAuthenticated(INVALID)
    given = token.scope.split()
    if rules.scopes and not any(includes(given=given, wanted=one) for one in rules.scopes):
        raise PermissionDenied(_("This action is outside the authorized scopes"))
    if rules.who is Who.PERSON and not request.user.is_authenticated:
        raise Unprocessable(_("This method requires an authenticated user"))


def route(*, base: type[Endpoint] = Endpoint, **answers: Answer) -> Callable[..., Any]:
    """The view of an address: ``route(get=show, delete=remove)``. ``base``: for those that read requests
    in another way."""
    methods = {name: _method(name, answer) for name, answer in answers.items()}
    rules = {name: answer.rules for name, answer in answers.items()}  # type: ignore[attr-defined]
    view: type[View] = type("Endpoint", (base,), {**methods, "rules": rules})
    made: Callable[..., Any] = view.as_view()
    return made


def _method(name: str, answer: Answer) -> Callable[..., Response]:
    rules: Rules = answer.rules  # type: ignore[attr-defined]

    def method(self: Endpoint, request: ApiRequest, **kwargs: Any) -> Any:
        checked = rules.takes(data=all_given(request))
        checked.is_valid(raise_exception=True)
        request.given = checked.validated_data
        found = answer(request, **kwargs)
        if isinstance(found, HttpResponseBase):
            return found
        if not isinstance(found, Page):
            return Response(found, status=rules.status)
        response = Response(found.items, status=rules.status)
        if header := links(request, found):
            response["Link"] = header
        return response

    method.schema = openapi.PathSchema()  # type: ignore[attr-defined]
    described = extend_schema(**openapi.described(name=name, answer=answer))
    made: Callable[..., Response] = described(method)
    return made
