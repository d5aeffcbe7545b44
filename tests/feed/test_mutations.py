"""The comparison of histories finds mistakes: each of these, applied alone, makes one fail."""

import os
from random import Random

import pytest

from tests.factories import people
from tests.feed.histories.machine import PEOPLE, Histories, random_history
from tests.feed.histories.mutations import HARDER, MUTATIONS
from tests.feed.histories.site import small_sizes

SOAK = "HISTORIES" in os.environ
TRIES = 3000 if SOAK else 200
PLANTED = MUTATIONS + HARDER if SOAK else MUTATIONS


def run(numbers):
    """Not by hypothesis, which tries what is simple at first and is no sooner there for a seed."""
    machine = type("Histories", (Histories,), {"people": people(PEOPLE, "m")})
    with small_sizes():
        for number in numbers:
            random_history(machine, steps=30, chance=Random(number))


@pytest.mark.parametrize(
    ("mutation", "first"), PLANTED, ids=[mutation.__name__ for mutation, _ in PLANTED]
)
def test_this_mistake_is_found(mutation, first, settings):
    settings.FEED_STRATEGY = "buckets"
    with mutation(), pytest.raises(AssertionError):
        run(range(first, first + TRIES))


def test_without_a_mistake_the_same_histories_are_right(settings):
    settings.FEED_STRATEGY = "buckets"
    run(sorted({first for _, first in MUTATIONS}))
