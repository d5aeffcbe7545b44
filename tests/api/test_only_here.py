"""What this site has beyond Mastodon, through the API."""

from feed.timeline.positions import advance_home_position
from tests.api.calling import Api, link
from tests.factories import follow, publish


def ids(statuses):
    return [int(one["id"]) for one in statuses]


def test_long_runs_of_one_person_are_folded_and_what_is_new_is_counted(alice, bob, carol):
    follow(alice, bob, carol)
    api, first = Api(alice), publish(carol)
    assert api.get("socialsite/timelines/home").json()["unread"] == 0
    posts = [publish(bob, str(number)) for number in range(5)]
    found = api.get("socialsite/timelines/home").json()
    assert (found["unread"], found["unread_is_exact"]) == (5, True)
    assert found["position"] == str(first)
    run, last = found["runs"]
    assert run["account_id"] == str(bob.pk)
    assert ids(run["statuses"]) + ids(run["folded"]) == posts[::-1]
    assert len(run["folded"]) == 3
    assert [one["caught_up"] for one in (run, last)] == [False, True]
    page = api.get("socialsite/timelines/home", limit=2).json()
    rest = api.get("socialsite/timelines/home", max_id=page["older"]).json()
    assert ids(rest["runs"][0]["statuses"])[0] == posts[2]


def test_what_is_new_comes_from_the_oldest_on(alice, bob):
    follow(alice, bob)
    api = Api(alice)
    advance_home_position(viewer=alice.pk, position=publish(bob))
    posts = [publish(bob, str(number)) for number in range(3)]
    answer = api.get("socialsite/timelines/unread", limit=2)
    assert ids(answer.json()) == posts[:2]
    assert ids(api.get(link(answer, "prev")).json()) == posts[2:]


def test_the_quiet_come_first(alice, bob, carol):
    follow(alice, bob, carol)
    said = publish(carol)
    posts = [publish(bob, str(number)) for number in range(3)]
    answer = Api(alice).get("socialsite/timelines/quiet", limit=1)
    assert ids(answer.json()) == [said]
    assert ids(Api(alice).get(link(answer, "next")).json()) == posts[-1:]


def test_authors_see_how_far_a_post_has_come(alice, bob):
    follow(bob, alice)
    post = publish(alice)
    path = f"socialsite/statuses/{post}/delivery"
    assert Api(alice).get(path).json() == {"reached": 1, "people": 1, "state": "done"}
    assert Api(bob).get(path).status_code == 404
