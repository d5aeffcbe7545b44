"""Measures, retention and dimensions of the site, as apps for administrators ask for them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from feed import stats
from feed.store import stats as store
from tests.api.calling import Api, token_of

from .desk import report

DAY = timedelta(days=1)
SCOPES = "read admin:read"


@pytest.fixture
def api(administrator):
    return Api(token=token_of(administrator, SCOPES))


def span(days):
    now = timezone.now()
    return {"start_at": (now - (days - 1) * DAY).date().isoformat(), "end_at": now.isoformat()}


def have(subject, metric, days_ago, number):
    store.add_counts(counts={(subject, metric, timezone.now() - days_ago * DAY): number})


def test_measures_compare_a_span_with_the_one_before(api):
    for days_ago, number in ((0, 3), (2, 4), (3, 9), (6, 50)):
        have("site", "sign_ups", days_ago, number)
    (measure,) = api.post("admin/measures", keys=["new_users"], **span(3)).json()
    assert (measure["key"], measure["total"], measure["previous_total"]) == ("new_users", "7", "9")
    assert [day["value"] for day in measure["data"]] == ["4", "0", "3"]


def test_reports_and_interactions_are_measured(api, alice, bob):
    report(alice, "person", bob.pk)
    have("site", "likes", 0, 2)
    have("site", "shares", 0, 1)
    stats.flush()
    keys = ["interactions", "opened_reports", "resolved_reports", "active_users"]
    answer = api.post("admin/measures", keys=keys, **span(2)).json()
    assert {one["key"]: one["total"] for one in answer} == {
        "interactions": "3",
        "opened_reports": "1",
        "resolved_reports": "0",
        "active_users": "0",
    }


def test_retention_is_the_share_that_came_back(api):
    first = timezone.now() - 2 * DAY
    have("site", "sign_ups", 2, 4)
    have(f"cohort {first:%Y-%m-%d}", "active", 2, 4)
    have(f"cohort {first:%Y-%m-%d}", "active", 0, 1)
    cohorts = api.post("admin/retention", frequency="day", **span(3)).json()
    assert [len(cohort["data"]) for cohort in cohorts] == [3, 2, 1]
    assert [day["rate"] for day in cohorts[0]["data"]] == [1.0, 0.0, 0.25]


def test_dimensions_tell_versions_and_room(api):
    keys = ["software_versions", "space_usage"]
    versions, space = api.post("admin/dimensions", keys=keys).json()
    assert {one["key"] for one in versions["data"]} == {"python", "django", "mongodb"}
    assert int(space["data"][0]["value"]) > 0


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("measures", {"keys": ["tag_servers"], **span(2)}),
        ("measures", {"keys": [], **span(2)}),
        ("measures", {"keys": ["new_users"]}),
        ("measures", {"keys": ["new_users"], "start_at": "soon", "end_at": "later"}),
        ("measures", {"keys": ["new_users"], "start_at": "2026-02-02", "end_at": "2026-01-01"}),
        ("measures", {"keys": ["new_users"], "start_at": "0001-01-01", "end_at": "9999-12-31"}),
        ("retention", {"frequency": "month", **span(2)}),
        ("retention", {"frequency": "day", **span(32)}),
        ("dimensions", {"keys": ["servers"]}),
    ],
)
def test_what_this_site_cannot_tell_is_refused(api, path, given):
    answer = api.post(f"admin/{path}", **given)
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_only_moderators_may_ask(alice):
    api = Api(token=token_of(alice, SCOPES))
    assert api.post("admin/measures", keys=["new_users"], **span(2)).status_code == 403
