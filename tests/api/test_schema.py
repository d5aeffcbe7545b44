"""Everything that the description of the API allows, and much that it does not, tried by schemathesis.

So many examples of each operation as ``SCHEMA_EXAMPLES`` says; ``make soak`` tries many more, and the edges
of every field besides.
"""

import json
import os

import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

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
# Numbers are taken for texts and texts for numbers, as clients send them; and much that has the right form
# cannot be done for other reasons, which 422 says.
LENIENT = [negative_data_rejection, positive_data_acceptance]

everything = schemathesis.openapi.from_dict(json.loads(description.described()))
everything.app = application
everything.config.phases.coverage.enabled = IS_SOAK
# Streams do not end: ``test_streaming`` listens to them.
schema = everything.exclude(path_regex=r"^/api/v1/streaming/(?!health)")


@schema.parametrize()
@bounded
def test_a_visitor_gets_what_is_described(case, settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, "")
    case.call_and_validate(excluded_checks=LENIENT)


@schema.parametrize()
@bounded
def test_a_person_gets_what_is_described(case, settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, "")
    user, _made = User.objects.get_or_create(username="alice")
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    sent = {"Authorization": f"Bearer {token}"}
    case.call_and_validate(headers=sent, excluded_checks=LENIENT)
