"""Everything that the description of the API allows, and much that it does not, tried by schemathesis.

So many examples of each operation as ``SCHEMA_EXAMPLES`` says; ``make soak`` tries many more.
"""

import json
import os

import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from accounts.api import description
from accounts.models import User
from socialsite.wsgi import application
from tests.api.calling import EVERYTHING, token_of

EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "3"))
bounded = hypothesis_settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="SCHEMA_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)

everything = schemathesis.openapi.from_dict(json.loads(description.described()))
everything.app = application
# Streams do not end: ``test_streaming`` listens to them.
schema = everything.exclude(path_regex=r"^/api/v1/streaming/(?!health)")


@schema.parametrize()
@bounded
def test_a_visitor_gets_what_is_described(case):
    case.call_and_validate()


@schema.parametrize()
@bounded
def test_a_person_gets_what_is_described(case, settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, "")
    user, _made = User.objects.get_or_create(username="alice")
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    case.call_and_validate(headers={"Authorization": f"Bearer {token}"})
