"""Subscribers: followers who are notified of each post of an author."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.selectors.follow_graph import subscribed_followees, subscribers_after
from accounts.services.blocks_and_mutes import block_user, mute_user, unblock_user
from accounts.services.follow_requests import accept_follow_request
from accounts.services.follow_settings import set_subscription
from accounts.services.follows import follow_user, unfollow_user
from accounts.services.profiles import set_private
from accounts.store.collections import follow_edges
from feed.selectors.visible_posts import visible_post
from feed.services.moderation import set_post_hidden
from feed.services.posts import delete_post
from notifications import tasks
from notifications.services import subscribers
from notifications.services.boxes import mark_read
from notifications.store.collections import subscriber_deliveries
from notifications.store.preferences import save_kinds
from tests.actions import add_comment, publish_post, share_post
from tests.api.api_client import Api
from tests.at_once import at_once
from tests.factories import follow, follow_in_bulk, follow_many, people, publish
from tests.feed.query_plans import examined, plan_of

from .notification_lists import REVIEW, notifications_by_user

PATH = "/@bob/notify/"


def subscribe(follower, followee):
    follow(follower, followee)
    assert set_subscription(follower=follower.pk, followee=followee.pk, is_on=True)


def relationship(viewer, other):
    (row,) = Api(viewer).get("accounts/relationships", id=other.pk).json()
    return row


def posts_notified(recipient):
    """Return the actors of the recipient's notifications of new posts."""
    rows = notifications_by_user().get(recipient.username, [])
    return [actor for kind, actor in rows if kind == "post"]


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture(autouse=True)
def worker(monkeypatch):
    """A worker that notifies subscribers at once."""

    def run(*, kwargs, **_):
        tasks.notify_subscribers(**kwargs)

    monkeypatch.setattr(tasks.notify_subscribers, "apply_async", run)


@pytest.fixture
def queued(monkeypatch):
    """The posts whose subscribers a worker must notify. No task runs."""
    post_ids = []
    monkeypatch.setattr(
        tasks.notify_subscribers,
        "apply_async",
        lambda *, kwargs, **_: post_ids.append(kwargs["post_id"]),
    )
    return post_ids


# --- Turning it on and off -----------------------------------------------------------------------
def test_the_button_on_the_profile_turns_notifications_on_and_off(as_alice, alice, bob):
    assert "Notify me when" not in as_alice.get("/@bob/").content.decode()
    follow(alice, bob)
    page = as_alice.get("/@bob/").content.decode()
    assert "Notify me when Bob Brown posts" in page
    assert 'aria-pressed="false"' in page
    for _click in range(2):
        response = as_alice.post(PATH, {"is_on": "1"}, follow=True)
        assert "You will be notified when Bob Brown posts." in response.content.decode()
        assert relationship(alice, bob)["notifying"]
    assert 'aria-pressed="true"' in as_alice.get("/@bob/").content.decode()
    response = as_alice.post(PATH, {"is_on": "0"}, follow=True)
    assert "no longer notified" in response.content.decode()
    assert not relationship(alice, bob)["notifying"]


def test_bad_requests_change_nothing(as_alice, alice, bob):
    assert as_alice.post(PATH, {"is_on": "1"}, follow=True).status_code == 200
    assert not relationship(alice, bob)["notifying"]
    follow(alice, bob)
    for data in ({}, {"is_on": "x"}):
        assert "Choose whether" in as_alice.post(PATH, data, follow=True).content.decode()
    assert not relationship(alice, bob)["notifying"]
    assert as_alice.get(PATH).status_code == 405
    assert as_alice.post("/@nobody/notify/", {"is_on": "1"}).status_code == 404
    assert Client().post(PATH, {"is_on": "1"})["Location"].startswith("/accounts/login/")


def test_apps_turn_notifications_on_and_off(alice, bob):
    api, path = Api(alice), f"accounts/{bob.pk}/follow"
    assert api.post(path, notify=True).json()["notifying"]
    for data in ({}, {"reblogs": False}, {"notify": None}):
        answer = api.post(path, **data).json()
        assert (answer["following"], answer["notifying"]) == (True, True)
    assert not answer["showing_reblogs"]
    assert not api.post(path, notify=False).json()["notifying"]
    assert api.post(path, notify="perhaps").status_code == 422


def test_a_subscription_ends_with_the_follow(alice, bob):
    subscribe(alice, bob)
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert not relationship(alice, bob)["notifying"]
    follow(alice, bob)
    assert not relationship(alice, bob)["notifying"]
    set_subscription(follower=alice.pk, followee=bob.pk, is_on=True)
    block_user(owner=alice.pk, other=bob.pk)
    unblock_user(owner=alice.pk, other=bob.pk)
    assert relationship(alice, bob)["following"]
    assert not relationship(alice, bob)["notifying"]


def test_a_follow_request_keeps_the_choice_until_it_is_accepted(alice, bob):
    set_private(uid=bob.pk, is_private=True)
    answer = Api(alice).post(f"accounts/{bob.pk}/follow", notify=True).json()
    assert (answer["requested"], answer["following"], answer["notifying"]) == (True, False, True)
    publish(bob)
    assert posts_notified(alice) == []
    accept_follow_request(followee=bob.pk, follower=alice.pk)
    assert relationship(alice, bob)["notifying"]
    publish(bob)
    assert posts_notified(alice) == ["bob"]


def test_a_left_over_request_keeps_the_choice(alice, bob):
    set_private(uid=bob.pk, is_private=True)
    Api(alice).post(f"accounts/{bob.pk}/follow", notify=True)
    set_private(uid=bob.pk, is_private=False)
    assert follow_user(follower=alice.pk, followee=bob.pk)
    assert relationship(alice, bob)["notifying"]


# --- Notifications -------------------------------------------------------------------------------
def test_subscribers_are_notified_of_each_post(alice, bob, carol):
    subscribe(alice, bob)
    follow(carol, bob)
    post = publish(bob, "Fresh bread")
    assert (posts_notified(alice), posts_notified(carol)) == (["bob"], [])
    (row,) = [row for row in Api(alice).get("notifications").json() if row["type"] == "status"]
    assert (row["status"]["id"], row["account"]["username"]) == (str(post), "bob")
    assert row["socialsite"]["kind"] == "post"
    client = Client()
    client.force_login(alice)
    page = client.get("/notifications/").content.decode()
    assert "published a post" in page
    assert "Fresh bread" in page
    publish(bob)
    assert posts_notified(alice) == ["bob", "bob"]
    delete_post(post_id=post, actor=bob)
    assert posts_notified(alice) == ["bob"]


def test_shares_comments_and_reports_of_actions_notify_no_subscriber(alice, bob, carol, settings):
    settings.FEED_HOME_KINDS = ["note", "share", "comment", "follow"]
    subscribe(alice, bob)
    post = publish(carol)
    share_post(post_id=post, actor=bob)
    add_comment(post_id=post, actor=bob, text="Nice")
    follow(bob, carol)
    assert posts_notified(alice) == []
    assert subscriber_deliveries().count_documents({}) == 0


def test_only_subscribers_who_may_read_the_post_are_notified(alice, bob, carol):
    (dave,) = people(1)
    for subscriber in (alice, carol, dave):
        subscribe(subscriber, bob)
    mute_user(owner=carol.pk, other=bob.pk, until=None)
    publish(bob, "for followers", visibility="followers")
    assert [posts_notified(user) for user in (alice, carol, dave)] == [["bob"], [], ["bob"]]
    publish(bob, "psst @alice", visibility="direct")
    assert [posts_notified(user) for user in (alice, carol, dave)] == [["bob"], [], ["bob"]]
    dave.is_active = False
    dave.save()
    publish(bob)
    assert len(posts_notified(dave)) == 1


def test_mentioned_subscribers_and_reviewers_get_one_notification(alice, bob):
    subscribe(alice, bob)
    mark_read(recipient=alice.pk, ids=[])
    publish(bob, "Hello @alice")
    review = {"text": "", "kind": "review", "details": REVIEW}
    publish_post(author=alice.pk, **review)
    publish_post(author=bob.pk, **review)
    assert [row for row in notifications_by_user()["alice"] if row[1] == "bob"] == [
        ("mention", "bob"),
        ("reviewed", "bob"),
    ]


def test_a_quoted_subscriber_gets_one_notification(alice, bob):
    subscribe(alice, bob)
    quoted = visible_post(post_id=publish(alice), viewer=bob.pk)
    publish_post(author=bob.pk, text="Look at this", quoted=quoted)
    rows = [row for row in notifications_by_user()["alice"] if row[1] == "bob"]
    assert rows == [("quote", "bob")]


def test_a_post_that_waits_for_review_notifies_once_it_is_approved(alice, bob, monkeypatch):
    subscribe(alice, bob)
    monkeypatch.setattr(
        "feed.services.posts.initial_hidden_state", lambda **_: "pending", raising=True
    )
    post = publish(bob)
    assert posts_notified(alice) == []
    for state in ("", "removed", ""):
        set_post_hidden(post_id=post, state=state)
    assert posts_notified(alice) == ["bob"]


def test_the_kind_can_be_turned_off(alice, bob):
    subscribe(alice, bob)
    save_kinds(recipient=alice.pk, disabled_kinds=["post"], filters=[])
    publish(bob)
    assert posts_notified(alice) == []


# --- Many subscribers ----------------------------------------------------------------------------
def test_a_worker_notifies_in_batches_and_each_subscriber_once(bob, queued, monkeypatch):
    monkeypatch.setattr(subscribers, "CHUNK_SIZE", 2)
    users = people(5)
    for user in users:
        subscribe(user, bob)
    post = publish(bob)
    assert queued == [post]
    assert notifications_by_user().keys() == {"bob"}
    for _run in range(2):
        tasks.notify_subscribers(post_id=post)
    assert [posts_notified(user) for user in users] == [["bob"]] * 5
    assert subscriber_deliveries().count_documents({}) == 0


def test_a_dead_worker_and_a_lost_task_lose_no_notification(bob, queued, monkeypatch):
    monkeypatch.setattr(subscribers, "CHUNK_SIZE", 2)
    users = people(5)
    for user in users:
        subscribe(user, bob)
    post = publish(bob)
    real, calls = subscribers.notify, []

    def die_at_the_second_batch(**arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise RuntimeError("killed")
        return real(**arguments)

    monkeypatch.setattr(subscribers, "notify", die_at_the_second_batch)
    with pytest.raises(RuntimeError):
        tasks.notify_subscribers(post_id=post)
    queued.clear()
    tasks.resume_subscriber_deliveries()
    assert queued == []  # the worker may still be alive
    subscriber_deliveries().update_one({}, {"$set": {"due_at": timezone.now()}})
    tasks.resume_subscriber_deliveries()
    assert queued == [post]
    tasks.notify_subscribers(post_id=post)
    assert [posts_notified(user) for user in users] == [["bob"]] * 5
    # The resumed worker repeats the interrupted batch, but not the finished one.
    assert [list(call["recipients"]) for call in calls[2:]] == [
        [user.pk for user in users[2:4]],
        [users[4].pk],
    ]


def test_two_workers_at_once_notify_each_subscriber_once(bob, queued):
    users = people(3)
    for user in users:
        subscribe(user, bob)
    post = publish(bob)
    at_once(*[lambda: tasks.notify_subscribers(post_id=post)] * 3)
    assert [posts_notified(user) for user in users] == [["bob"]] * 3


def test_a_deleted_post_notifies_nobody(alice, bob, queued):
    subscribe(alice, bob)
    post = publish(bob)
    delete_post(post_id=post, actor=bob)
    assert subscriber_deliveries().count_documents({}) == 0
    tasks.notify_subscribers(post_id=post)
    assert posts_notified(alice) == []


def test_finding_subscribers_does_not_depend_on_the_number_of_followers(bob, record_commands):
    users = people(40)
    follow_many(users, bob)
    for user in users[:3]:
        set_subscription(follower=user.pk, followee=bob.pk, is_on=True)
    with record_commands() as commands:
        page = subscribers_after(followee=bob.pk, cursor=0, limit=1000)
    assert [uid for _cursor, uid in page] == [user.pk for user in users[:3]]
    ((_name, command),) = commands
    assert examined(plan_of(command)) == 3
    (first_cursor, _uid), *rest = page
    assert subscribers_after(followee=bob.pk, cursor=first_cursor, limit=1000) == rest


def test_publishing_costs_the_same_for_authors_without_subscribers(bob, record_commands):
    follow_in_bulk(bob, people(2))
    with record_commands() as commands:
        publish(bob)
    assert not [name for name, command in commands if command.get(name) == "follow_edges"]
    assert follow_edges().count_documents({"notify": True}) == 0
    assert subscribed_followees(follower=bob.pk) == set()
