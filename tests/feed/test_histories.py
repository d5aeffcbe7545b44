"""Random histories for every strategy: home timelines always have the same entries as the model.

``make soak`` sets ``HISTORIES=20000`` to run many more histories.
"""

import os
from functools import partial

import pytest
from hypothesis import HealthCheck, Phase, seed
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from feed.timeline import delivery
from feed.timeline.strategies import STRATEGIES
from tests.factories import people
from tests.feed.histories.machine import PEOPLE, Histories
from tests.feed.histories.site import small_sizes

DEFAULT, DEFAULT_SHARDS, OTHERS = 120, 3, 15
SOAK = int(os.environ.get("HISTORIES", "0"))


def history_settings(number: int) -> hypothesis_settings:
    return hypothesis_settings(
        max_examples=number,
        stateful_step_count=30 if SOAK else 20,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        # Shrinking a failed history takes minutes, so hypothesis shrinks only with SHRINK=1.
        phases=(Phase.generate, *([Phase.shrink] if "SHRINK" in os.environ else [])),
        report_multiple_bugs=False,
        print_blob=True,
    )


def run_histories(strategy: str, number: int, settings, *, shard: int = 0) -> None:
    settings.FEED_STRATEGY = strategy

    machine = type("Histories", (Histories,), {"people": people(PEOPLE, "h")})
    if not SOAK:
        machine = seed(shard)(machine)  # repeat the same histories in each run
    with small_sizes():
        run_state_machine_as_test(machine, settings=history_settings(number))


@pytest.mark.parametrize("shard", range(DEFAULT_SHARDS))
def test_pages_of_the_default_strategy_equal_the_model(shard, settings):
    number = max(SOAK, DEFAULT) // DEFAULT_SHARDS
    run_histories("buckets", number, settings, shard=shard)


def test_pages_after_deliveries_in_threads_equal_the_model(settings, monkeypatch):
    deliver_in_threads = partial(delivery._deliver_to, in_threads=True)
    monkeypatch.setattr(delivery, "_deliver_to", deliver_in_threads)
    run_histories("buckets", max(SOAK // 10, OTHERS), settings)


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"buckets"}))
def test_pages_of_the_other_strategies_equal_the_model(strategy, settings):
    run_histories(strategy, max(SOAK // 10, OTHERS), settings)
