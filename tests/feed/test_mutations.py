"""The comparison of histories finds mistakes: each of these, applied alone, makes it fail."""

import os

import pytest
from hypothesis import HealthCheck, Phase, seed
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from tests.factories import people
from tests.feed.histories.machine import PEOPLE, Histories
from tests.feed.histories.mutations import HARDER, MUTATIONS
from tests.feed.histories.site import small_sizes

SOAK = "HISTORIES" in os.environ
TRIES = 3000 if SOAK else 300
PLANTED = MUTATIONS + HARDER if SOAK else MUTATIONS


@pytest.mark.parametrize(
    ("mutation", "seed_of_it"), PLANTED, ids=[one.__name__ for one, _ in PLANTED]
)
def test_this_mistake_is_found(mutation, seed_of_it, settings):
    settings.FEED_STRATEGY = "buckets"
    machine = seed(seed_of_it)(type("Histories", (Histories,), {"people": people(PEOPLE, "m")}))
    tries = hypothesis_settings(
        max_examples=TRIES,
        stateful_step_count=30,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
        report_multiple_bugs=False,
    )
    with small_sizes(), mutation(), pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=tries)
