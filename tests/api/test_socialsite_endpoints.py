"""Endpoints of this site that Mastodon does not have."""

from feed.timeline.home import advance_home_position
from tests.api.api_client import Api, link
from tests.factories import follow, publish


def ids(statuses):
    return [int(status["id"]) for status in statuses]


def test_home_collapses_long_runs_and_counts_unread_posts(alice, bob, carol):
    follow(alice, bob, carol)
    api, first = Api(alice), publish(carol)
    assert api.get("socialsite/timelines/home").json()["unread_count"] == 0
    posts = [publish(bob, str(number)) for number in range(5)]
    timeline = api.get("socialsite/timelines/home").json()
    assert (timeline["unread_count"], timeline["is_unread_exact"]) == (5, True)
    assert timeline["position"] == str(first)
    run, last = timeline["runs"]
    assert run["account_id"] == str(bob.pk)
    assert ids(run["statuses"]) + ids(run["collapsed"]) == posts[::-1]
    assert len(run["collapsed"]) == 3
    assert [author_run["is_caught_up"] for author_run in (run, last)] == [False, True]
    page = api.get("socialsite/timelines/home", limit=2).json()
    rest = api.get("socialsite/timelines/home", max_id=page["older_cursor"]).json()
    assert ids(rest["runs"][0]["statuses"])[0] == posts[2]


def test_unread_posts_come_oldest_first(alice, bob):
    follow(alice, bob)
    api = Api(alice)
    advance_home_position(viewer=alice.pk, position=publish(bob))
    posts = [publish(bob, str(number)) for number in range(3)]
    response = api.get("socialsite/timelines/unread", limit=2)
    assert ids(response.json()) == posts[:2]
    assert ids(api.get(link(response, "prev")).json()) == posts[2:]


def test_infrequent_posters_come_first(alice, bob, carol):
    follow(alice, bob, carol)
    carols_post = publish(carol)
    posts = [publish(bob, str(number)) for number in range(3)]
    response = Api(alice).get("socialsite/timelines/quiet", limit=1)
    assert ids(response.json()) == [carols_post]
    assert ids(Api(alice).get(link(response, "next")).json()) == posts[-1:]


def test_authors_see_the_delivery_progress_of_their_posts(alice, bob):
    follow(bob, alice)
    post = publish(alice)
    path = f"socialsite/statuses/{post}/delivery"
    assert Api(alice).get(path).json() == {"reached": 1, "followers": 1, "state": "done"}
    assert Api(bob).get(path).status_code == 404
