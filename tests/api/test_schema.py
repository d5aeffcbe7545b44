"""Everything that the description of the API allows, and much that it does not, tried by schemathesis.

So many examples of each operation as ``SCHEMA_EXAMPLES`` says; ``make soak`` tries many more, and the edges
of every field besides.
"""

import json
import os

import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.specs.openapi.checks import negative_data_rejection

from accounts.infra.api import schema_views
from accounts.models import User
from socialsite.wsgi import application
from tests.api.api_client import EVERYTHING, token_of

IS_SOAK = "SCHEMA_EXAMPLES" in os.environ
bounded = hypothesis_settings(
    max_examples=int(os.environ.get("SCHEMA_EXAMPLES", "2")),
    deadline=None,
    derandomize=not IS_SOAK,
    suppress_health_check=list(HealthCheck),
)
FORM = "application/x-www-form-urlencoded"
DESCRIBED = json.loads(schema_views.schema_json())
everything = schemathesis.openapi.from_dict(DESCRIBED)
everything.app = application
everything.config.phases.coverage.enabled = IS_SOAK
# Much that has the right form cannot be done for other reasons: a post without words, a name that is taken.
everything.config.checks.positive_data_acceptance.expected_statuses = [
    *("2xx", "401", "403", "404", "422"),
]
# Streams do not end: ``test_streaming`` listens to them.
schema = everything.exclude(path_regex=r"^/api/v1/streaming/(?!health)")


def checked(case, **sent):
    """With all checks, but that what cannot be told apart on its way need not be refused.

    In forms of parts, which only what takes files is described with, all is text: null or a list may be
    words or nothing. In the query and the other forms, null is sent as nothing at all, a list of one as one
    is, and of several words for what is one, the last counts.
    """
    is_right = case.media_type == "multipart/form-data" or _is_right_when_sent(case)
    case.call_and_validate(excluded_checks=[negative_data_rejection] if is_right else [], **sent)


def _is_right_when_sent(case):
    kinds, sent = _fields(case)
    for name, value in sent.items():
        is_list = "array" in kinds.get(name, {}).get("type", ())
        if name in kinds and (value is None or isinstance(value, list) != is_list):
            return True
    return False


def _fields(case):
    """How what is sent as words is described, and what is sent, by their names."""
    described = DESCRIBED["paths"][case.path].get(case.method.lower(), {})
    asked = [
        parameter for parameter in described.get("parameters", ()) if parameter["in"] == "query"
    ]
    kinds = {parameter["name"]: parameter["schema"] for parameter in asked}
    sent = dict(case.query or {})
    form = described.get("requestBody", {}).get("content", {}).get(FORM)
    if form and case.media_type == FORM and isinstance(case.body, dict | list):
        name = form["schema"]["$ref"].rsplit("/")[-1]
        kinds = DESCRIBED["components"]["schemas"][name]["properties"]
        pairs = case.body.items() if isinstance(case.body, dict) else case.body
        sent = {}
        for name, value in pairs:
            sent[name] = [sent[name], value] if name in sent else value
    return kinds, sent


@schema.parametrize()
@bounded
def test_a_visitor_gets_what_is_described(case, settings):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    checked(case)


@schema.parametrize()
@bounded
def test_a_person_gets_what_is_described(case, settings):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    user, _made = User.objects.get_or_create(username="alice")
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    sent = {"Authorization": f"Bearer {token}"}
    checked(case, headers=sent)
