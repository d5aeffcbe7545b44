"""The API for measures, retention and dimensions of the site."""

from datetime import timedelta

import pytest
from django.utils import timezone

from feed import stats
from feed.store import stats as store
from tests.api.api_client import Api, token_of

from .moderator_client import report

DAY = timedelta(days=1)
SCOPES = "read admin:read"


@pytest.fixture
def api(administrator):
    return Api(token=token_of(administrator, SCOPES))


def span(days):
    now = timezone.now()
    return {"start_at": (now - (days - 1) * DAY).date().isoformat(), "end_at": now.isoformat()}


def store_count(subject, metric, days_ago, number):
    store.add_counts(counts={(subject, metric, timezone.now() - days_ago * DAY): number})


def test_measures_include_the_total_of_the_previous_period(api):
    for days_ago, number in ((0, 3), (2, 4), (3, 9), (6, 50)):
        store_count("site", "sign_ups", days_ago, number)
    (measure,) = api.post("admin/measures", keys=["new_users"], **span(3)).json()
    assert (measure["key"], measure["total"], measure["previous_total"]) == ("new_users", "7", "9")
    assert [day["value"] for day in measure["data"]] == ["4", "0", "3"]


def test_reports_and_interactions_are_measured(api, alice, bob):
    report(alice, "person", bob.pk)
    store_count("site", "likes", 0, 2)
    store_count("site", "shares", 0, 1)
    stats.flush()
    keys = ["interactions", "opened_reports", "resolved_reports", "active_users"]
    measures = api.post("admin/measures", keys=keys, **span(2)).json()
    assert {measure["key"]: measure["total"] for measure in measures} == {
        "interactions": "3",
        "opened_reports": "1",
        "resolved_reports": "0",
        "active_users": "0",
    }


def test_retention_is_the_share_of_active_users(api):
    first_day = timezone.now() - 2 * DAY
    store_count("site", "sign_ups", 2, 4)
    store_count(f"cohort {first_day:%Y-%m-%d}", "active", 2, 4)
    store_count(f"cohort {first_day:%Y-%m-%d}", "active", 0, 1)
    cohorts = api.post("admin/retention", frequency="day", **span(3)).json()
    assert [len(cohort["data"]) for cohort in cohorts] == [3, 2, 1]
    assert [day["rate"] for day in cohorts[0]["data"]] == [1.0, 0.0, 0.25]


def test_dimensions_contain_versions_and_disk_space(api):
    keys = ["software_versions", "space_usage"]
    versions, space = api.post("admin/dimensions", keys=keys).json()
    assert {datum["key"] for datum in versions["data"]} == {"python", "django", "mongodb"}
    assert int(space["data"][0]["value"]) > 0


REFUSED = (
    ("measures", {"keys": ["tag_servers"], **span(2)}),
    ("measures", {"keys": [], **span(2)}),
    ("measures", {"keys": ["new_users"]}),
    ("measures", {"keys": ["new_users"], "start_at": "soon", "end_at": "later"}),
    ("measures", {"keys": ["new_users"], "start_at": "2026-02-02", "end_at": "2026-01-01"}),
    ("measures", {"keys": ["new_users"], "start_at": "0001-01-01", "end_at": "9999-12-31"}),
    ("retention", {"frequency": "month", **span(2)}),
    ("retention", {"frequency": "day", **span(32)}),
    ("dimensions", {"keys": ["servers"]}),
)


def test_unknown_keys_and_invalid_periods_are_refused(api):
    for path, inputs in REFUSED:
        response = api.post(f"admin/{path}", **inputs)
        assert response.status_code == 422, inputs
        assert response.json()["error"]


def test_measures_are_for_moderators_only(alice):
    api = Api(token=token_of(alice, SCOPES))
    assert api.post("admin/measures", keys=["new_users"], **span(2)).status_code == 403
