"""The example dashboard and the alert rules use only metrics that exist, with labels that exist."""

import json
import re
from pathlib import Path

import pytest
import yaml
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from accounts.infra.metrics import CACHE_READS, FAILURES, MAILS, PUSHES, REQUESTS
from socialsite.monitoring import exposition, readiness

FOLDER = Path(__file__).parents[3] / "docs" / "monitoring"
NAME = re.compile(r"\bsocialsite_\w+")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
LABELS = {
    "route",
    "method",
    "status",
    "le",
    "outcome",
    "cache",
    "result",
    "kind",
    "check",
    "process",
    "queue",
}


def dashboard_expressions():
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def alert_expressions():
    (group,) = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return [rule["expr"] for rule in group["rules"]]


@pytest.fixture
def metric_names(clean_site):
    """Return the names of all samples in ``/metrics``, with one sample of each labelled metric."""
    REQUESTS.labels("home", "GET", "200")
    for metric, labels in ((MAILS, ["sent"]), (PUSHES, ["sent"]), (FAILURES, ["task"])):
        metric.labels(*labels)
    CACHE_READS.labels("brand", "hit")
    for name in ("socialsite_request_seconds", "socialsite_request_commands"):
        REGISTRY._names_to_collectors[name].labels("home")
    readiness.clear_cached_readiness()
    text = exposition.metrics_text().decode()
    readiness.clear_cached_readiness()
    return {
        sample.name for family in text_string_to_metric_families(text) for sample in family.samples
    }


@pytest.mark.parametrize(
    "expressions", [dashboard_expressions(), alert_expressions()], ids=["dashboard", "alerts"]
)
def test_each_metric_exists(expressions, metric_names):
    used = {name for expression in expressions for name in NAME.findall(expression)}
    assert len(used) > 5
    assert used - metric_names - {"socialsite_heartbeat_age_seconds"} == set()


def test_the_dashboard_shows_every_metric_of_the_site(metric_names):
    used = set(NAME.findall(" ".join(dashboard_expressions())))
    ignored = ("_created", "_sum", "_count")
    own = {name for name in metric_names if name.startswith("socialsite_")}
    assert {name for name in own if not name.endswith(ignored)} <= used


@pytest.mark.parametrize("expression", dashboard_expressions() + alert_expressions())
def test_each_label_exists(expression):
    grouped = {label.strip() for group in GROUPED.findall(expression) for label in group.split(",")}
    assert grouped <= LABELS
