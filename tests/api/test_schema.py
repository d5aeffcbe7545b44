"""Everything that the description of the API allows, and much that it does not, tried by schemathesis.

So many examples of each operation as ``SCHEMA_EXAMPLES`` says; ``make soak`` tries many more.
"""

import json
import os

import schemathesis
from hypothesis import HealthCheck, settings

from accounts.api import description
from accounts.models import User
from socialsite.wsgi import application
from tests.api.calling import EVERYTHING, token_of

EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "3"))
bounded = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="SCHEMA_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)


schema = schemathesis.openapi.from_dict(json.loads(description.described()))
schema.app = application


@schema.parametrize()
@bounded
def test_a_visitor_gets_what_is_described(case):
    case.call_and_validate()


@schema.parametrize()
@bounded
def test_a_person_gets_what_is_described(case):
    user, _made = User.objects.get_or_create(username="alice")
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    case.call_and_validate(headers={"Authorization": f"Bearer {token}"})
