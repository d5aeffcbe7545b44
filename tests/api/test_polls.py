"""Polls in the API: https://docs.joinmastodon.org/methods/polls/."""

import pytest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.services.blocks_and_mutes import block_user
from feed.models import Post
from tests.actions import share_post, vote
from tests.factories import follow, publish
from tests.feed.poll_helpers import end, let_end, publish_poll, stored_poll

from .api_client import Api

POLL = {"options": ["Tea", "Coffee"], "expires_in": 3600}


def test_a_poll_is_published_and_read(alice, bob):
    published = Api(alice).post("statuses", status="Which?", poll=POLL).json()
    poll = published["poll"]
    assert published["content"] == "<p>Which?</p>"
    assert published["socialsite"]["details"] == {}
    assert poll == {
        "id": published["id"],
        "expires_at": poll["expires_at"],
        "expired": False,
        "multiple": False,
        "votes_count": 0,
        "voters_count": 0,
        "voted": True,
        "own_votes": [],
        "options": [{"title": name, "votes_count": 0} for name in POLL["options"]],
        "emojis": [],
    }
    seconds = (parse_datetime(poll["expires_at"]) - timezone.now()).total_seconds()
    assert 3500 < seconds <= 3600
    seen = Api(bob).get(f"polls/{poll['id']}").json()
    assert seen == {**poll, "voted": False}
    anonymous = Api().get(f"polls/{poll['id']}").json()
    assert "voted" not in anonymous
    assert "own_votes" not in anonymous


def test_a_poll_is_published_by_a_form_with_brackets(alice):
    published = Api(alice).form(
        "statuses",
        {
            "status": "Which?",
            "poll[options][]": ["Tea", " Coffee ", ""],
            "poll[expires_in]": "300",
            "poll[multiple]": "true",
            "poll[hide_totals]": "true",
        },
    )
    poll = published.json()["poll"]
    assert [option["title"] for option in poll["options"]] == ["Tea", "Coffee"]
    assert poll["multiple"] is True
    assert [option["votes_count"] for option in poll["options"]] == [None, None]


@pytest.mark.parametrize(
    "poll",
    [
        {"options": ["Tea"], "expires_in": 3600},
        {"options": ["Tea", ""], "expires_in": 3600},
        {"options": list("ABCDE"), "expires_in": 3600},
        {"options": ["x"] * 100, "expires_in": 3600},
        {"options": ["Tea", "Tea"], "expires_in": 3600},
        {"options": ["W" * 51, "Tea"], "expires_in": 3600},
        {"options": [1, {}], "expires_in": 3600},
        {"options": "Tea", "expires_in": 3600},
        {"options": ["Tea", "Coffee"]},
        {"options": ["Tea", "Coffee"], "expires_in": 299},
        {"options": ["Tea", "Coffee"], "expires_in": 2_629_747},
        {"options": ["Tea", "Coffee"], "expires_in": "soon"},
        ["Tea", "Coffee"],
        "Tea",
    ],
)
def test_an_invalid_poll_is_refused(alice, poll):
    response = Api(alice).post("statuses", status="Which?", poll=poll)
    assert response.status_code == 422
    assert response.json()["error"]
    assert not Post.objects.exists()


def test_a_poll_needs_a_question_and_is_not_for_comments(alice):
    api = Api(alice)
    assert api.post("statuses", status="", poll=POLL).status_code == 422
    post = publish(alice)
    reply = {"status": "Which?", "in_reply_to_id": str(post), "poll": POLL}
    assert "Comments cannot have polls" in api.post("statuses", **reply).json()["error"]
    poll = publish_poll(alice)
    assert api.put(f"statuses/{poll}", status="").status_code == 422


def test_a_repeated_request_publishes_one_poll(alice):
    api, headers = Api(alice), {"Idempotency-Key": "one"}
    ids = {api.post("statuses", headers, status="Which?", poll=POLL).json()["id"] for _ in range(2)}
    other = api.post("statuses", headers, status="Which?", poll={**POLL, "options": ["A", "B"]})
    assert len(ids | {other.json()["id"]}) == 2


def test_a_vote_is_counted_once(alice, bob):
    poll, api = publish_poll(bob, "A", "B", "C", is_multiple=True), Api(alice)
    voted = api.post(f"polls/{poll}/votes", choices=["2", "0", 2]).json()
    assert (voted["voted"], voted["own_votes"]) == (True, [0, 2])
    assert (voted["votes_count"], voted["voters_count"]) == (2, 1)
    assert api.get(f"statuses/{poll}").json()["poll"] == voted
    again = api.post(f"polls/{poll}/votes", choices=[1])
    assert again.status_code == 422
    assert "already voted" in again.json()["error"]
    assert stored_poll(poll) == ([1, 0, 1], 1)


@pytest.mark.parametrize(
    "choices", [[], [2], [-1], [0, 1], ["x"], [None], "x", {}, [10**30], list(range(99))]
)
def test_an_invalid_vote_is_refused(alice, bob, choices):
    poll = publish_poll(bob)
    response = Api(alice).post(f"polls/{poll}/votes", choices=choices)
    assert response.status_code == 422
    assert response.json()["error"]
    assert stored_poll(poll) == ([0, 0], 0)


def test_votes_that_are_not_allowed_are_refused(alice, bob):
    api = Api(alice)
    own, ended, blocked = publish_poll(alice), publish_poll(bob), publish_poll(bob)
    let_end(ended)
    assert "own poll" in api.post(f"polls/{own}/votes", choices=[0]).json()["error"]
    assert "has ended" in api.post(f"polls/{ended}/votes", choices=[0]).json()["error"]
    assert api.get(f"polls/{ended}").json()["expired"] is True
    block_user(owner=bob.pk, other=alice.pk)
    for path in (f"polls/{blocked}/votes", f"polls/{publish(alice)}/votes", "polls/1/votes"):
        assert api.post(path, choices=[0]).status_code == 404
    assert api.get(f"polls/{blocked}").status_code == 404
    assert Api(alice, "read").post(f"polls/{own}/votes", choices=[0]).status_code == 403


def test_hidden_totals_are_shown_at_the_end(alice, bob):
    poll, api = publish_poll(bob, hides_totals=True), Api(alice)
    vote(poll, alice, 1)
    for reader in (alice, bob):
        seen = Api(reader).get(f"statuses/{poll}").content.decode()
        assert '"votes_count":null' in seen
        assert "counts" not in seen.replace("votes_count", "").replace("voters_count", "")
    let_end(poll)
    options = api.get(f"polls/{poll}").json()["options"]
    assert [option["votes_count"] for option in options] == [0, 1]


def test_timelines_and_shares_have_the_poll_and_the_own_vote(alice, bob, carol):
    follow(alice, bob)
    poll = publish_poll(carol)
    share_post(post_id=poll, actor=bob)
    vote(poll, alice, 1)
    (share,) = Api(alice).get("timelines/home").json()
    assert share["poll"] is None
    assert share["reblog"]["poll"]["own_votes"] == [1]


def test_an_edit_without_a_poll_keeps_poll_and_votes(alice, bob):
    poll, api = publish_poll(alice), Api(alice)
    vote(poll, bob, 0)
    for unchanged_poll in (None, {"multiple": False}, {"options": []}):
        changed = api.put(f"statuses/{poll}", status="Now?", poll=unchanged_poll).json()
        assert (changed["content"], changed["poll"]["votes_count"]) == ("<p>Now?</p>", 1)
    assert stored_poll(poll) == ([1, 0], 1)


def test_an_edit_with_the_same_choices_keeps_the_votes(alice, bob):
    poll, api = publish_poll(alice), Api(alice)
    vote(poll, bob, 0)
    changed = api.put(
        f"statuses/{poll}", status="Tea or coffee?", poll={**POLL, "hide_totals": True}
    ).json()
    assert changed["poll"]["options"][0]["votes_count"] is None
    seconds = (parse_datetime(changed["poll"]["expires_at"]) - timezone.now()).total_seconds()
    assert seconds <= 3600
    assert stored_poll(poll) == ([1, 0], 1)
    end(poll)
    ended = api.put(f"statuses/{poll}", status="Tea or coffee?", poll=POLL).json()
    assert ended["poll"]["expired"] is True


@pytest.mark.parametrize("change", [{"options": ["Tea", "Water"]}, {"multiple": True}])
def test_an_edit_with_other_choices_deletes_the_votes(alice, bob, change):
    poll, api = publish_poll(alice), Api(alice)
    vote(poll, bob, 0)
    end(poll)
    changed = api.put(f"statuses/{poll}", status="Tea or coffee?", poll={**POLL, **change}).json()
    assert (changed["poll"]["votes_count"], changed["poll"]["expired"]) == (0, False)
    assert changed["edited_at"]
    assert stored_poll(poll) == ([0, 0], 0)
    vote(poll, bob, 1)
    assert stored_poll(poll) == ([0, 1], 1)


def test_a_poll_cannot_be_added_by_an_edit(alice):
    post = publish(alice)
    response = Api(alice).put(f"statuses/{post}", status="Which?", poll=POLL)
    assert response.status_code == 422
    assert "cannot add a poll" in response.json()["error"]
    assert Post.objects.get(pk=post).text == "Hello"


def test_the_instance_has_the_limits(client):
    for version in ("v1", "v2"):
        polls = client.get(f"/api/{version}/instance").json()["configuration"]["polls"]
        assert polls == {
            "max_options": 4,
            "max_characters_per_option": 50,
            "min_expiration": 300,
            "max_expiration": 2_629_746,
        }


def test_the_end_is_a_notification_of_type_poll(alice, bob):
    poll = publish_poll(bob)
    vote(poll, alice, 0)
    end(poll)
    (voted,) = Api(alice).get("notifications", **{"types[]": ["poll"]}).json()
    assert (voted["type"], voted["account"]["username"]) == ("poll", "bob")
    assert voted["status"]["poll"]["expired"] is True
    (own,) = Api(bob).get("notifications").json()
    assert (own["type"], own["account"]["username"]) == ("poll", "bob")
