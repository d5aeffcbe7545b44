"""Notifications, markers and the notification policy with Mastodon.py."""

import pytest
from mastodon import Mastodon

from tests.actions import add_comment, like_post
from tests.api.api_client import token_of
from tests.factories import people, publish


@pytest.fixture
def client(site, alice):
    return Mastodon(
        access_token=token_of(alice),
        api_base_url=site,
        mastodon_version="4.3.0",
        version_check_mode="none",
    )


def test_notifications_are_read_and_marked_as_read(client, alice, bob):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    comment = add_comment(post_id=post, actor=bob, text="Nice")
    mention, like = client.notifications()
    assert mention.type == "mention"
    assert (int(mention.status.id), int(mention.status.in_reply_to_id)) == (comment, post)
    assert [notification.id for notification in client.notifications(types=["favourite"])] == [
        like.id
    ]
    assert client.notifications(like.id).account.username == "bob"
    assert [
        notification.id for notification in client.fetch_next(client.notifications(limit=1))
    ] == [like.id]
    assert client.notifications_unread_count().count == 2
    client.markers_set("notifications", [mention.id])
    assert client.notifications_unread_count().count == 0
    assert client.markers_get("notifications").notifications.last_read_id == mention.id
    assert client.status_mute(post).muted
    assert not client.status_unmute(post).muted
    client.notifications_dismiss(like.id)
    client.notifications_clear()
    assert client.notifications() == []


def test_grouped_notifications_are_read(client, alice, bob, carol):
    post = publish(alice)
    add_comment(post_id=post, actor=bob, text="Nice")
    for user in (bob, carol):
        like_post(post_id=post, actor=user)
    result = client.grouped_notifications()
    likes, mention = result.notification_groups
    assert (likes.type, likes.notifications_count, mention.type) == ("favourite", 2, "mention")
    assert {account.username for account in result.accounts} == {"bob", "carol"}
    assert [int(status.id) for status in result.statuses if int(status.id) == post] == [post]
    single = client.grouped_notification(likes.group_key)
    assert [group.group_key for group in single.notification_groups] == [likes.group_key]
    names = [account.username for account in client.grouped_notification_accounts(likes.group_key)]
    assert names == ["carol", "bob"]
    assert client.unread_grouped_notifications_count() == 2
    client.dismiss_grouped_notification(likes.group_key)
    assert [notification.type for notification in client.notifications()] == ["mention"]


def test_notification_requests_are_accepted_and_dismissed(client):
    assert client.notifications_policy().for_not_following == "accept"
    policy = client.update_notifications_policy(for_not_following="filter")
    assert policy.for_not_following == "filter"
    first, second, third, *others = people(6)
    for row in (first, second, third, *others):
        publish(row, "Hello @alice")
    requests = client.notification_requests()
    assert [request.account.username for request in requests] == [
        f"p{number}" for number in range(5, -1, -1)
    ]
    assert client.notifications_policy().summary.pending_requests_count == 6
    assert client.notification_request(requests[-1].id).account.username == first.username
    client.accept_notification_request(requests[-1].id)
    client.dismiss_notification_request(requests[-2].id)
    client.accept_multiple_notification_requests([requests[0].id, requests[1].id])
    client.dismiss_multiple_notification_requests([requests[2].id, requests[3].id])
    assert client.notifications_merged()
    assert client.notification_requests() == []
    assert {notification.account.username for notification in client.notifications()} == {
        "p0",
        "p4",
        "p5",
    }
