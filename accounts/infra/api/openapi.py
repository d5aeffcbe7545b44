"""The description of the API (OpenAPI 3), made from what each endpoint says of itself.

What an endpoint ``returns`` is a type: classes of ``TypedDict`` become components, so mypy checks that what
is sent is as described.
"""

import re
import types
import typing
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, get_args, get_origin, get_type_hints

from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from accounts.infra.api.scopes import SCOPES

from .inputs import ID_SCHEMA, Inputs, NoInputs

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
    "400": "What was sent cannot be read",
    "401": "No token, or not a valid one",
    "403": "It is not allowed, or not with this token",
    "404": "There is none, or not for who asks",
    "413": "It is too large",
    "415": "It comes in a form that is not read here",
    "422": "It cannot be done with this",
    "429": "Too often",
}


@dataclass(frozen=True, slots=True)
class SchemaHints:
    """With ``Annotated``: more than the type says."""

    format: str = ""
    pattern: str = ""
    description: str = ""

    @property
    def schema(self) -> Schema:
        return {name: value for name, value in asdict(self).items() if value}


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
    """What ``extend_schema`` wants to know of an endpoint, called by this method."""
    rules = handler.rules  # type: ignore[attr-defined]
    takes = None if rules.inputs is NoInputs else rules.inputs
    in_query = name in ("get", "delete")
    told = (handler.__doc__ or "").strip()
    module = handler.__module__.split(".")
    return {
        "summary": told.split("\n")[0],
        "description": told,
        "tags": [handler.tag or module[-1]],  # type: ignore[attr-defined]
        "request": None if in_query or takes is None else dict.fromkeys(_forms(takes), takes),
        "parameters": [takes] if in_query and takes else [],
        "responses": {
            (rules.status, handler.sends): type_schema(handler.returns)  # type: ignore[attr-defined]
        },
        "auth": _security(rules),
    }


def _forms(takes: type[Inputs]) -> tuple[str, ...]:
    """In which forms what it takes may come. All are read everywhere, but no more is promised than can be
    said: parts, in which files come, cannot tell null from nothing, and OpenAPI knows no brackets, in
    which other forms have what is in an object."""
    fields = takes().fields.values()
    if any(isinstance(field, serializers.FileField) for field in fields):
        return ("multipart/form-data",)
    if any(isinstance(one, serializers.Serializer) for one in map(_one_of, fields)):
        return ("application/json",)
    return ("application/json", "application/x-www-form-urlencoded")


def _one_of(field: Any) -> Any:
    return getattr(field, "child", field)


def _security(rules: Any) -> list[dict[str, list[str]]]:
    with_token = [{"token": [one]} for one in rules.scopes] or [{"token": list[str]()}]
    return with_token if rules.caller.value != "anyone" else [{}, *with_token]


def type_schema(hint: Any) -> Schema:
    """A type in the words of JSON Schema; a ``TypedDict`` by reference."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is typing.Annotated:
        told: SchemaHints = args[1]
        return type_schema(args[0]) | told.schema
    if hint in BASIC_SCHEMAS:
        return dict(BASIC_SCHEMAS[hint])
    if origin is typing.Literal:
        return {"type": "string", "enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [type_schema(one) for one in args]}
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
        _components[name] = {}  # it may hold others of its own kind
        hints = get_type_hints(hint, include_extras=True)
        _components[name] = {
            "type": "object",
            "description": (hint.__doc__ or "").strip(),
            "properties": {field: type_schema(_bare(one)) for field, one in hints.items()},
            "required": sorted(hint.__required_keys__),
        }
    return {"$ref": f"#/components/schemas/{name}"}


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in (typing.NotRequired, typing.Required) else hint


def complete_schema(result: Schema, generator: Any, request: Any, public: bool) -> Schema:
    """Hook: components, what ids look like in paths, and what all answer if something is wrong."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(_components)
    error = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ERROR_COMPONENT}"}}}
    for operations in result["paths"].values():
        for operation in operations.values():
            for status, why in ERROR_STATUSES.items():
                operation["responses"].setdefault(status, {"description": why, "content": error})
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and re.search(r"(^|_)(id|uid)$", parameter["name"]):
                    parameter["schema"] = dict(ID_SCHEMA)
    return result


class PathSchema(AutoSchema):
    def get_operation_id(self) -> str:
        """Addresses are unique, names of functions are not."""
        words = re.findall(r"\w+", self.path.removeprefix("/api/"))
        return "_".join([self.method.lower(), *words])


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.api.authentication.BearerAuthentication"
    match_subclasses = True
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> Schema:
        scopes = {name: str(words) for name, words in SCOPES.items()}
        at = {"tokenUrl": "/oauth/token", "scopes": scopes}
        return {
            "type": "oauth2",
            "flows": {
                "authorizationCode": {"authorizationUrl": "/oauth/authorize", **at},
                "clientCredentials": at,
            },
        }


class BooleanExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """The words that forms have for it are taken in JSON, too: many clients send the same in both."""

    target_class = serializers.BooleanField
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> Schema:
        field = self.target
        known = {*field.TRUE_VALUES, *field.FALSE_VALUES}
        words: list[Any] = sorted(one for one in known if isinstance(one, str))
        if field.allow_null:
            words += ["", "null"]
        return {"anyOf": [{"type": "boolean"}, {"enum": [0, 1, *words]}]}
