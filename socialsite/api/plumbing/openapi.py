"""The API description (OpenAPI 3), generated from the declarations of the endpoints, and its views.

Each endpoint declares the type of its result in ``returns``. ``TypedDict`` classes become components, so
mypy checks that responses match the description.
"""

import json
import re
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework import serializers

from .inputs import ID_SCHEMA, Inputs, NoInputs
from .scopes import SCOPES

Schema = dict[str, Any]
BASIC_SCHEMAS: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    Any: {},
    type(None): {"type": "null"},
}
ERROR_COMPONENT = "Error"
ERROR_STATUSES = {
    "400": "The request cannot be parsed",
    "401": "The token is missing or invalid",
    "403": "The caller or the token is not authorized",
    "404": "The record does not exist or is not visible to the caller",
    "413": "The request is too large",
    "415": "The content type is not supported",
    "422": "The request is valid but cannot be processed",
    "429": "Too many requests",
}


_components: dict[str, Schema] = {
    ERROR_COMPONENT: {
        "type": "object",
        "properties": {
            "error": {"type": "string"},
            "error_description": {"type": "string"},
            "details": {"type": "object", "additionalProperties": True},
        },
        "required": ["error"],
    }
}


def operation_docs(*, name: str, handler: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of ``extend_schema`` for the endpoint with the HTTP method ``name``."""
    rules = handler.rules  # type: ignore[attr-defined]
    inputs = None if rules.inputs is NoInputs else rules.inputs
    in_query = name in ("get", "delete")
    docstring = (handler.__doc__ or "").strip()
    module = handler.__module__.split(".")
    return {
        "summary": docstring.split("\n")[0],
        "description": docstring,
        "tags": [rules.tag or module[-1]],
        "request": None
        if in_query or inputs is None
        else dict.fromkeys(_content_types(inputs), inputs),
        "parameters": [inputs] if in_query and inputs else [],
        "responses": {(rules.status, rules.content_type): type_schema(rules.returns)},
        "auth": _security(rules),
    }


def _content_types(inputs: type[Inputs]) -> tuple[str, ...]:
    """Return the content types that the description lists for the request body.

    Every endpoint accepts all content types, but OpenAPI cannot describe all of them. A multipart body
    cannot distinguish null from a missing value. Form fields with brackets, for nested objects, have no
    notation in OpenAPI.
    """
    fields = inputs().fields.values()
    if any(isinstance(field, serializers.FileField) for field in fields):
        return ("multipart/form-data",)
    if any(isinstance(getattr(field, "child", field), serializers.Serializer) for field in fields):
        return ("application/json",)
    return ("application/json", "application/x-www-form-urlencoded")


def _security(rules: Any) -> list[dict[str, list[str]]]:
    with_token = [{"token": [scope]} for scope in rules.scopes] or [{"token": list[str]()}]
    return with_token if rules.caller.value != "anyone" else [{}, *with_token]


def type_schema(hint: Any) -> Schema:
    """Return the JSON Schema of a type. A ``TypedDict`` becomes a reference to a component.

    ``Annotated`` adds a key of the schema and its value, such as ``Annotated[str, "format", "uri"]``.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin is typing.Annotated:
        return type_schema(args[0]) | {args[1]: args[2]}
    if hint in BASIC_SCHEMAS:
        return dict(BASIC_SCHEMAS[hint])
    if origin is typing.Literal:
        return {"type": "string", "enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [type_schema(arg) for arg in args]}
    if origin is list:
        return {"type": "array", "items": type_schema(args[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": type_schema(args[1])}
    if typing.is_typeddict(hint):
        return _component(hint)
    raise TypeError(f"{hint} has no description.")


def _component(hint: Any) -> Schema:
    name = hint.__name__
    if name not in _components:
        _components[name] = {}  # stop the recursion if the type contains itself
        hints = get_type_hints(hint, include_extras=True)
        _components[name] = {
            "type": "object",
            "description": (hint.__doc__ or "").strip(),
            "properties": {
                field: type_schema(_strip_required(field_hint))
                for field, field_hint in hints.items()
            },
            "required": sorted(hint.__required_keys__),
        }
    return {"$ref": f"#/components/schemas/{name}"}


def _strip_required(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in (typing.NotRequired, typing.Required) else hint


def complete_schema(result: Schema, generator: Any, request: Any, public: bool) -> Schema:
    """Add components, the format of ids in paths, and error responses to the generated schema.

    drf-spectacular calls this function as a postprocessing hook.
    """
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(_components)
    error = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ERROR_COMPONENT}"}}}
    for operations in result["paths"].values():
        for operation in operations.values():
            for status, description in ERROR_STATUSES.items():
                operation["responses"].setdefault(
                    status, {"description": description, "content": error}
                )
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and re.search(r"(^|_)(id|uid)$", parameter["name"]):
                    parameter["schema"] = dict(ID_SCHEMA)
    return result


class PathSchema(AutoSchema):
    def get_operation_id(self) -> str:
        """Return an id built from method and path, because function names are not unique."""
        words = re.findall(r"\w+", self.path.removeprefix("/api/"))
        return "_".join([self.method.lower(), *words])


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "socialsite.api.plumbing.authentication.BearerAuthentication"
    match_subclasses = True
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> Schema:
        scopes = {name: str(description) for name, description in SCOPES.items()}
        token_flow = {"tokenUrl": "/oauth/token", "scopes": scopes}
        return {
            "type": "oauth2",
            "flows": {
                "authorizationCode": {"authorizationUrl": "/oauth/authorize", **token_flow},
                "clientCredentials": token_flow,
            },
        }


class BooleanExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Describe booleans and their form values ("true", "1"), which many clients also send in JSON."""

    target_class = serializers.BooleanField
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> Schema:
        field = self.target
        values = field.TRUE_VALUES | field.FALSE_VALUES
        if field.allow_null:
            values |= {"", "null"}
        words = sorted(value for value in values if isinstance(value, str))
        pattern = "|".join("".join(map(_in_any_case, word)) for word in words)
        word_schema = {"type": "string", "pattern": f"^({pattern})$"}
        return {"anyOf": [{"type": "boolean"}, {"enum": [0, 1]}, word_schema]}


def _in_any_case(char: str) -> str:
    """Return a pattern for a character, for JSON Schema, which has no option to ignore case."""
    return f"[{char.upper()}{char}]" if char.isalpha() else char


@require_safe
@cache_control(public=True, max_age=3600)
def schema(request: HttpRequest) -> HttpResponse:
    """Return the API description (OpenAPI 3.1) as JSON."""
    return HttpResponse(schema_json(), content_type="application/vnd.oai.openapi+json")


@cache
def schema_json() -> bytes:
    """Return the API description. Each process generates it once, because this takes a second."""
    generator: Any = SchemaGenerator(urlconf=spectacular_settings.SERVE_URLCONF)  # type: ignore[no-untyped-call]
    description = generator.get_schema(request=None, public=True)
    return json.dumps(description, default=str).encode()


class ApiDocsView(SpectacularSwaggerSplitView):
    """The page with the API description. The site forbids inline scripts and inline styles.

    So the page loads its script from a URL of its own, and does without the styles.
    """

    template_name = "api_docs.html"
