"""Replies with a visibility and a content warning of their own."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.api.api_client import Api
from tests.factories import follow, publish


def reply(user, post_id, text="hi", **data):
    return Api(user).post("statuses", status=text, in_reply_to_id=str(post_id), **data)


@pytest.mark.parametrize(
    ("post", "sent", "returned", "is_read_by_carol"),
    [
        ("public", None, "public", True),
        ("public", "public", "public", True),
        ("public", "unlisted", "public", True),
        ("public", "private", "private", False),
        ("public", "direct", "direct", False),
        ("unlisted", "public", "unlisted", True),
        ("unlisted", "private", "private", False),
        ("followers", "public", "private", True),
        ("followers", "private", "private", True),
        ("followers", "direct", "direct", False),
        ("direct", None, "direct", True),
        ("direct", "public", "direct", True),
        ("direct", "direct", "direct", True),
    ],
)
def test_a_reply_keeps_its_visibility(alice, bob, carol, post, sent, returned, is_read_by_carol):
    follow(bob, alice)
    follow(carol, alice)
    post_id = publish(alice, "@bob @carol hello", post)
    text = "@alice @carol hi" if post == "direct" else "@alice hi"
    status = reply(bob, post_id, text, visibility=sent).json()
    assert status["visibility"] == returned
    expected = 200 if is_read_by_carol else 404
    assert Api(carol).get(f"statuses/{status['id']}").status_code == expected
    context = Api(carol).get(f"statuses/{post_id}/context").json()["descendants"]
    assert [descendant["id"] for descendant in context] == [status["id"]] * is_read_by_carol
    assert Api(alice).get(f"statuses/{status['id']}").json()["visibility"] == returned
    replies = Api(alice).get(f"statuses/{post_id}").json()["replies_count"]
    assert replies == int(is_read_by_carol)


def test_a_reply_that_leaves_out_readers_of_a_direct_comment_is_refused(alice, bob, carol):
    post_id = publish(alice)
    secret = reply(bob, post_id, "@alice @carol psst", visibility="direct").json()
    for extra in ({}, {"scheduled_at": (timezone.now() + timedelta(hours=1)).isoformat()}):
        refused = reply(alice, secret["id"], "@bob secretly", **extra)
        assert refused.status_code == 422
        assert "@carol can also read this message." in refused.json()["error"]
    for text, visibility in (("@bob @carol hi", None), ("hi", ""), ("@bob secretly", "direct")):
        assert reply(alice, secret["id"], text, visibility=visibility).status_code == 200


def test_names_in_addresses_are_no_readers(alice, bob, carol):
    text = "@carol example.com/日/@bob localhost:3000/@bob https://example.com/\u200b@bob"
    message = publish(alice, text, "direct")
    comment = reply(alice, publish(alice), text, visibility="direct").json()["id"]
    for status_id in (message, comment):
        assert Api(carol).get(f"statuses/{status_id}").status_code == 200
        assert Api(bob).get(f"statuses/{status_id}").status_code == 404


def test_a_direct_reply_names_its_readers(alice, bob, carol):
    post_id = publish(alice)
    secret = reply(bob, post_id, "@carol psst", visibility="direct").json()
    answer = reply(carol, secret["id"], "sure").json()
    assert (answer["visibility"], answer["in_reply_to_id"]) == ("direct", secret["id"])
    assert [mention["acct"] for mention in answer["mentions"]] == ["bob"]
    further = reply(bob, answer["id"], "great", visibility=None).json()
    assert [mention["acct"] for mention in further["mentions"]] == ["carol"]
    statuses = Api(carol).get(f"accounts/{bob.pk}/statuses").json()
    assert [status["id"] for status in statuses] == [further["id"], secret["id"]]
    for viewer in (Api(alice), Api()):
        assert viewer.get(f"accounts/{bob.pk}/statuses").json() == []


def test_a_direct_reply_without_mentions_is_refused(alice, bob):
    response = reply(bob, publish(alice), "psst", visibility="direct")
    assert response.status_code == 422
    assert "Mention at least one person" in response.json()["error"]


def test_a_reply_with_more_readers_than_the_comment_is_refused(alice, bob, carol):
    secret = reply(bob, publish(alice), "@carol psst", visibility="direct").json()
    for visibility in ("public", "private"):
        response = reply(carol, secret["id"], "loud", visibility=visibility)
        assert (response.status_code, "More people" in response.json()["error"]) == (422, True)


def test_notifications_and_bookmarks_follow_the_visibility(alice, bob, carol):
    post_id = publish(alice)
    secret = reply(bob, post_id, "@carol psst", visibility="direct").json()
    (notification,) = Api(carol).get("notifications").json()
    assert (notification["type"], notification["status"]["id"]) == ("mention", secret["id"])
    assert Api(alice).get("notifications").json() == []
    for path in ("bookmark", "favourite"):
        assert Api(carol).post(f"statuses/{secret['id']}/{path}").status_code == 200
        assert Api(alice).post(f"statuses/{secret['id']}/{path}").status_code == 404
    assert [status["id"] for status in Api(carol).get("bookmarks").json()] == [secret["id"]]
    assert Api(carol).get("conversations").json() == []


def test_a_reply_keeps_its_content_warning(alice, bob):
    post_id = publish(alice)
    status = reply(bob, post_id, "he dies", spoiler_text="The end").json()
    assert (status["spoiler_text"], status["sensitive"]) == ("The end", True)
    api, path = Api(bob), f"statuses/{status['id']}"
    assert api.get(f"{path}/source").json()["spoiler_text"] == "The end"
    edited = api.put(path, status="he lives", spoiler_text="The new end").json()
    assert (edited["spoiler_text"], edited["edited_at"] is None) == ("The new end", False)
    assert api.get(f"{path}/history").json()[0]["spoiler_text"] == "The new end"
    assert api.put(path, status="he lives").json()["spoiler_text"] == ""
