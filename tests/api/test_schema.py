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

from accounts.api import description
from accounts.models import User
from socialsite.wsgi import application
from tests.api.calling import EVERYTHING, token_of

IS_SOAK = "SCHEMA_EXAMPLES" in os.environ
bounded = hypothesis_settings(
    max_examples=int(os.environ.get("SCHEMA_EXAMPLES", "2")),
    deadline=None,
    derandomize=not IS_SOAK,
    suppress_health_check=list(HealthCheck),
)
DESCRIBED = json.loads(description.described())
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
    """With all checks, but that what cannot be told apart in forms need not be refused there.

    In forms of parts, which only what takes files is described with, all is text: null or a list may be
    words or nothing. In the others, null is sent as nothing at all, and a list of one as one is.
    """
    is_right = case.media_type == "multipart/form-data" or _is_right_when_sent(case)
    case.call_and_validate(excluded_checks=[negative_data_rejection] if is_right else [], **sent)


def _is_right_when_sent(case):
    if case.media_type != "application/x-www-form-urlencoded":
        return False
    sent = dict(case.body) if isinstance(case.body, dict | list) else {}
    takes = DESCRIBED["paths"][case.path][case.method.lower()]["requestBody"]["content"]
    name = takes[case.media_type]["schema"]["$ref"].rsplit("/")[-1]
    fields = DESCRIBED["components"]["schemas"][name]["properties"]
    lists = [field for field, kind in fields.items() if "array" in kind.get("type", ())]
    has_one = any(field in sent and not isinstance(sent[field], list) for field in lists)
    return has_one or any(sent[field] is None for field in fields if field in sent)


@schema.parametrize()
@bounded
def test_a_visitor_gets_what_is_described(case, settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, "")
    checked(case)


@schema.parametrize()
@bounded
def test_a_person_gets_what_is_described(case, settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, "")
    user, _made = User.objects.get_or_create(username="alice")
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    sent = {"Authorization": f"Bearer {token}"}
    checked(case, headers=sent)
