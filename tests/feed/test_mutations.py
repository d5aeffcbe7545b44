"""Comparing random histories with the model finds each mutation of the timeline engine.

``test_histories`` runs the same histories without a mutation.
"""

import os
from random import Random

import pytest

from tests.factories import people
from tests.feed.histories.machine import PEOPLE, Histories, random_history
from tests.feed.histories.mutations import MUTATIONS, RARE_MUTATIONS
from tests.feed.histories.site import small_sizes

SOAK = "HISTORIES" in os.environ
TRIES = 3000 if SOAK else 200
APPLIED_MUTATIONS = MUTATIONS + RARE_MUTATIONS if SOAK else MUTATIONS


def run(numbers):
    """Run random histories with these numbers as seeds.

    Hypothesis is not used, because it begins with simple histories that find few bugs.
    """
    machine = type("Histories", (Histories,), {"people": people(PEOPLE, "m")})
    with small_sizes():
        for number in numbers:
            random_history(machine, steps=30, chance=Random(number))


@pytest.mark.parametrize(
    ("mutation", "first"),
    APPLIED_MUTATIONS,
    ids=[mutation.__name__ for mutation, _ in APPLIED_MUTATIONS],
)
def test_the_comparison_finds_the_mutation(mutation, first, settings):
    settings.FEED_STRATEGY = "buckets"
    with mutation(), pytest.raises(AssertionError):
        run(range(first, first + TRIES))
