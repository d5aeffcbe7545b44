"""Test every operation of the API schema with valid and invalid input from schemathesis.

The environment variable ``SCHEMA_EXAMPLES`` sets the number of examples per operation. ``make soak`` sets
a higher number, and also tests the edge cases of every field.
"""

import json
import os

import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.specs.openapi.checks import negative_data_rejection

from accounts.models import User
from socialsite.api.plumbing import openapi
from socialsite.wsgi import application
from tests.api.api_client import EVERYTHING, token_of

IS_SOAK = "SCHEMA_EXAMPLES" in os.environ
bounded = hypothesis_settings(
    max_examples=int(os.environ.get("SCHEMA_EXAMPLES", "2")),
    derandomize=not IS_SOAK,
    suppress_health_check=list(HealthCheck),
)
FORM = "application/x-www-form-urlencoded"
SCHEMA = json.loads(openapi.schema_json())
full_schema = schemathesis.openapi.from_dict(SCHEMA)
full_schema.app = application
full_schema.config.phases.coverage.enabled = IS_SOAK
# Input that matches the schema may be rejected, for example if a post is empty or a username is taken.
full_schema.config.checks.positive_data_acceptance.expected_statuses = [
    *("2xx", "401", "403", "404", "422"),
]
# Another process serves the streams. ``test_streaming`` tests them.
schema = full_schema.exclude(path_regex=r"^/api/v1/streaming")


def check_case(case, **sent):
    """Run a case with all checks, unless the encoding may turn invalid input into valid input.

    In that case, skip the check that invalid input is rejected:

    - Multipart forms contain only text, so null and lists may become text or be omitted.
    - Queries and other forms omit null, and encode a list with one value like a single value.
    - If a query or form repeats a single value, the server uses the last value.
    """
    is_valid = case.media_type == "multipart/form-data" or _is_valid_when_encoded(case)
    case.call_and_validate(excluded_checks=[negative_data_rejection] if is_valid else [], **sent)


def _is_valid_when_encoded(case):
    schemas, sent = _fields(case)
    for name, value in sent.items():
        is_list = "array" in schemas.get(name, {}).get("type", ())
        if name in schemas and (value is None or isinstance(value, list) != is_list):
            return True
    return False


def _fields(case):
    """Return the schemas and the sent values of the query or form inputs. Both are dicts by name."""
    operation = SCHEMA["paths"][case.path].get(case.method.lower(), {})
    query_parameters = [
        parameter for parameter in operation.get("parameters", ()) if parameter["in"] == "query"
    ]
    schemas = {parameter["name"]: parameter["schema"] for parameter in query_parameters}
    sent = dict(case.query or {})
    form = operation.get("requestBody", {}).get("content", {}).get(FORM)
    if form and case.media_type == FORM and isinstance(case.body, dict | list):
        name = form["schema"]["$ref"].rsplit("/")[-1]
        schemas = SCHEMA["components"]["schemas"][name]["properties"]
        pairs = case.body.items() if isinstance(case.body, dict) else case.body
        sent = {}
        for name, value in pairs:
            sent[name] = [sent[name], value] if name in sent else value
    return schemas, sent


def is_open(context):
    """Return whether the operation can be called without a token, or is the example of a refusal."""
    operation = context.operation
    return {} in operation.definition.raw["security"] or operation.path == "/api/v1/bookmarks"


def has_inputs(context):
    """Return whether the operation has more inputs than the ids in its path."""
    operation = context.operation.definition.raw
    parameters = operation.get("parameters", ())
    return "requestBody" in operation or any(value["in"] == "query" for value in parameters)


def check_with_token(case, settings):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    user, _is_new = User.objects.get_or_create(username="alice")
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    check_case(case, headers={"Authorization": f"Bearer {token}"})


one_example = hypothesis_settings(bounded, max_examples=bounded.max_examples if IS_SOAK else 1)


# ``test_matrix`` tests that the other operations refuse requests without a token.
@schema.include(is_open).parametrize()
@one_example
def test_anonymous_responses_match_the_schema(case, settings):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    check_case(case)


def test_every_operation_documents_the_refusal_of_a_token():
    for path, operations in SCHEMA["paths"].items():
        assert all("401" in operation["responses"] for operation in operations.values()), path


@schema.include(has_inputs).parametrize()
@bounded
def test_responses_to_inputs_match_the_schema(case, settings):
    check_with_token(case, settings)


@schema.exclude(has_inputs).parametrize()
@one_example
def test_responses_without_inputs_match_the_schema(case, settings):
    check_with_token(case, settings)
