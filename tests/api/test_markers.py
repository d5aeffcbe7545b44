"""Markers: the reading positions that apps and the site share."""

import pytest

from accounts.infra.cursors import PageBounds
from feed.timeline.home import advance_home_position, home_page
from notifications.services.boxes import mark_seen
from notifications.services.delivery import notify
from notifications.store.boxes import unread_counts
from tests.api.api_client import Api
from tests.factories import people, publish

BOTH_TIMELINES = {"timeline[]": ["home", "notifications"]}


def test_there_are_no_markers_before_reading(alice):
    assert Api(alice).get("markers", **BOTH_TIMELINES).json() == {}
    assert Api(alice).get("markers").json() == {}


def test_the_home_marker_is_the_reading_position_of_the_site(alice):
    api, first, second = Api(alice), publish(alice), publish(alice)
    markers = api.post("markers", home={"last_read_id": str(first)}).json()
    assert list(markers) == ["home"]
    assert (markers["home"]["last_read_id"], markers["home"]["version"]) == (str(first), 1)
    assert markers["home"]["updated_at"].endswith("Z")
    assert home_page(viewer=alice.pk, bounds=PageBounds(limit=5)).position == first
    advance_home_position(viewer=alice.pk, position=second)
    current_markers = api.get("markers", **BOTH_TIMELINES).json()
    assert (current_markers["home"]["last_read_id"], current_markers["home"]["version"]) == (
        str(second),
        2,
    )
    assert api.post("markers", home={"last_read_id": str(first)}).json() == current_markers
    form = api.form("/api/v1/markers", {"home[last_read_id]": str(second)})
    assert form.json() == current_markers


def test_the_notifications_marker_marks_older_notifications_as_read(alice, bob):
    for actor in people(3):
        notify(kind="follow", actor=actor.pk, recipients=[alice.pk])
    api = Api(alice)
    newest, middle, _oldest = [
        notification["id"] for notification in api.get("notifications").json()
    ]
    markers = api.post("markers", notifications={"last_read_id": middle}).json()
    assert markers["notifications"]["last_read_id"] == middle
    assert markers["notifications"]["version"] == 1
    assert unread_counts(recipient=alice.pk).notifications == 1
    assert api.get("notifications/unread_count").json() == {"count": 1}
    mark_seen(recipient=alice.pk, ids=[int(newest)])
    assert api.get("markers", **BOTH_TIMELINES).json()["notifications"]["last_read_id"] == newest


def test_a_marker_is_not_ahead_of_the_newest_possible_id(alice, bob):
    api = Api(alice)
    ahead = {"last_read_id": "9" * 19}
    assert api.post("markers", home=ahead, notifications=ahead).status_code == 200
    notify(kind="follow", actor=bob.pk, recipients=[alice.pk])
    assert unread_counts(recipient=alice.pk).notifications == 1
    (notification,) = api.get("notifications").json()
    api.post("markers", notifications={"last_read_id": notification["id"]})
    assert unread_counts(recipient=alice.pk).notifications == 0


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"home": {"last_read_id": "x"}}, 422),
        ({"home": "x"}, 422),
        ({"home": {}}, 200),
        ({"elsewhere": {"last_read_id": "1"}}, 200),
    ],
)
def test_invalid_markers_are_rejected_or_ignored(alice, data, status):
    response = Api(alice).post("markers", **data)
    assert response.status_code == status
    assert status == 422 or response.json() == {}


def test_markers_require_the_matching_scope(alice):
    assert Api(alice, "write:statuses").get("markers", **BOTH_TIMELINES).status_code == 403
    assert Api(alice, "read:statuses").post("markers").status_code == 403
    assert Api(alice).get("markers", **{"timeline[]": "elsewhere"}).status_code == 422
