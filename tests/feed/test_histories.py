"""Random histories for every strategy: home timelines always have the same entries as the model.

The same histories are repeated in each run. ``make soak`` sets ``HISTORIES=20000``: then hypothesis
generates that many new histories, and can shrink a history that fails.
"""

import os
from collections.abc import Sequence
from functools import partial
from random import Random

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from feed.timeline import delivery
from feed.timeline.strategies import STRATEGIES
from tests.factories import people
from tests.feed.histories.machine import PEOPLE, Histories, random_history
from tests.feed.histories.mutations import MUTATIONS
from tests.feed.histories.site import small_sizes

SHARDS = 3
DEFAULT = sorted({first for _, first in MUTATIONS})
"""Seeds of the histories for the default strategy, which together find all mutations."""

OTHERS = range(3)
SOAK = int(os.environ.get("HISTORIES", "0"))


def history_settings(number: int) -> hypothesis_settings:
    return hypothesis_settings(
        max_examples=number,
        stateful_step_count=30,
        database=None,
        suppress_health_check=list(HealthCheck),
        # Shrinking a failed history takes minutes, so hypothesis shrinks only with SHRINK=1.
        phases=(Phase.generate, *([Phase.shrink] if "SHRINK" in os.environ else [])),
        report_multiple_bugs=False,
        print_blob=True,
    )


def run_histories(strategy: str, seeds: Sequence[int], soak: int, settings) -> None:
    settings.FEED_STRATEGY = strategy
    machine = type("Histories", (Histories,), {"people": people(PEOPLE, "h")})
    with small_sizes():
        if SOAK:
            run_state_machine_as_test(machine, settings=history_settings(soak))
        else:
            # Hypothesis begins with simple histories, which find few bugs.
            for seed in seeds:
                random_history(machine, steps=30, chance=Random(seed))


@pytest.mark.parametrize("shard", range(SHARDS))
def test_pages_of_the_default_strategy_equal_the_model(shard, settings):
    run_histories("buckets", DEFAULT[shard::SHARDS], SOAK // SHARDS, settings)


def test_pages_after_deliveries_in_threads_equal_the_model(settings, monkeypatch):
    deliver_in_threads = partial(delivery._deliver_to, in_threads=True)
    monkeypatch.setattr(delivery, "_deliver_to", deliver_in_threads)
    run_histories("buckets", OTHERS, SOAK // 10, settings)


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"buckets"}))
def test_pages_of_the_other_strategies_equal_the_model(strategy, settings):
    run_histories(strategy, OTHERS, SOAK // 10, settings)
