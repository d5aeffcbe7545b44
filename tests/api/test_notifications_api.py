"""Notifications through the API: single, grouped and filtered notifications, and the policy."""

import pytest
from django.core.cache import caches

from accounts.services.blocks_and_mutes import block_user, mute_user
from notifications.services.delivery import notify
from notifications.store import boxes, dismissals, expressions, history
from notifications.store.collections import notification_boxes, notification_history
from notifications.store.preferences import save_kinds
from tests.actions import add_comment, like_post, share_post
from tests.api.api_client import Api, link
from tests.factories import add_conversation, follow, people, publish
from tests.feed.post_helpers import write_posts


def types_and_names(api, **query):
    return [
        (notification["type"], notification["account"]["username"])
        for notification in get_notifications(api, **query)
    ]


def get_notifications(api, **query):
    return api.get("notifications", **query).json()


@pytest.fixture
def post(alice):
    return publish(alice, "What do you think?")


@pytest.fixture
def notification_of_each_kind(alice, bob, carol, post):
    """Create a notification of each kind for alice."""
    like_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=carol)
    comment = add_comment(post_id=post, actor=bob, text="This")
    own = add_comment(post_id=post, actor=alice, text="And that", parent_id=comment)
    add_comment(post_id=post, actor=carol, text="No", parent_id=own)
    follow(bob, alice)
    publish(carol, "Ask @alice")
    notify(kind="notice", actor=0, recipients=[alice.pk], text="Be kind.")
    notify(kind="accepted", actor=bob.pk, recipients=[alice.pk])


def test_each_kind_has_a_mastodon_type(alice, bob, post, notification_of_each_kind):
    api = Api(alice)
    notifications = get_notifications(api)
    assert [(status["type"], status["socialsite"]["kind"]) for status in notifications] == [
        ("moderation_warning", "notice"),
        ("mention", "mention"),
        ("follow", "follow"),
        ("mention", "reply"),
        ("mention", "comment"),
        ("reblog", "share"),
        ("favourite", "like"),
    ]
    assert notifications[0]["moderation_warning"]["text"] == "Be kind."
    assert notifications[0]["account"]["username"] == "alice"
    assert notifications[3]["status"]["content"] == "<p>No</p>"
    assert notifications[3]["status"]["account"]["username"] == "carol"
    assert notifications[6]["status"]["id"] == str(post)
    assert "status" not in notifications[2]
    assert api.get(f"notifications/{notifications[4]['id']}").json() == notifications[4]
    assert Api(bob).get(f"notifications/{notifications[4]['id']}").status_code == 404


def test_notifications_are_filtered_by_type_and_account(alice, carol, notification_of_each_kind):
    api = Api(alice)
    assert types_and_names(api, **{"types[]": ["favourite", "follow"]}) == [
        ("follow", "bob"),
        ("favourite", "bob"),
    ]
    excluded_types = ["mention", "moderation_warning", "favourite"]
    assert types_and_names(
        api, **{"exclude_types[]": excluded_types, "account_id": str(carol.pk)}
    ) == [("reblog", "carol")]
    assert types_and_names(api, **{"types[]": ["poll", "nothing"]}) == []


def test_listing_notifications_does_not_mark_them_as_read(alice, notification_of_each_kind):
    api = Api(alice)
    assert api.get("notifications/unread_count").json() == {"count": 7}
    get_notifications(api)
    assert api.get("notifications/unread_count", **{"types[]": ["mention"]}).json() == {"count": 3}
    assert api.get("notifications/unread_count", limit=2).json() == {"count": 2}
    assert not any(notification["socialsite"]["is_read"] for notification in get_notifications(api))


def notify_many(alice, number):
    """Notify alice of mentions by different users. Return the usernames, newest mention first.

    Most of these notifications move to the history.
    """
    for user in people(number, prefix="m"):
        notify(kind="mention", actor=user.pk, recipients=[alice.pk])
        history.seal_overflow(recipients=[alice.pk])
    return [f"m{n}" for n in reversed(range(number))]


def test_paging_continues_into_the_history_and_back(alice, monkeypatch):
    # Make boxes and buckets ten times smaller, so that few notifications fill the history.
    for module in (expressions, history):
        monkeypatch.setattr(module, "BUCKET_SIZE", 5)
    for module in (expressions, boxes, dismissals):
        monkeypatch.setattr(module, "BOX_SIZE", 10)
    names = notify_many(alice, 23)
    assert notification_history().count_documents({"owner": alice.pk}) >= 2
    api = Api(alice)
    response = first = api.get("notifications", limit=4)
    seen = [status["account"]["username"] for status in response.json()]
    while path := link(response, "next"):
        response = api.get(path)
        seen += [status["account"]["username"] for status in response.json()]
    assert seen == names
    back = []
    path = link(response, "prev") or link(api.get("notifications", max_id=1), "prev")
    while path and (result := (response := api.get(path)).json()):
        back = [status["account"]["username"] for status in result] + back
        path = link(response, "prev")
    assert back == names[: len(back)]
    assert len(back) >= 20
    assert api.get(link(first, "prev")).json() == []
    oldest = get_notifications(api, min_id=1, limit=3)
    assert [status["account"]["username"] for status in oldest] == names[-3:]
    notification_id = oldest[0]["id"]
    assert api.get(f"notifications/{notification_id}").status_code == 200
    for _ in range(2):
        assert api.post(f"notifications/{notification_id}/dismiss").json() == {}
    assert api.get(f"notifications/{notification_id}").status_code == 404


def test_notifications_are_dismissed_and_cleared(alice, notification_of_each_kind):
    api = Api(alice)
    first = get_notifications(api)[0]["id"]
    for _ in range(2):
        assert api.post(f"notifications/{first}/dismiss").status_code == 200
    assert first not in [notification["id"] for notification in get_notifications(api)]
    for _ in range(2):
        assert api.post("notifications/clear").json() == {}
    assert get_notifications(api) == []


def test_notifications_by_muted_and_blocked_users_are_hidden(
    alice, bob, carol, notification_of_each_kind
):
    api = Api(alice)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert {name for _type, name in types_and_names(api)} == {"carol", "alice"}
    block_user(owner=alice.pk, other=carol.pk)
    assert {name for _type, name in types_and_names(api)} == {"alice"}


@pytest.mark.parametrize("path", ["notifications", "/api/v2/notifications"])
def test_many_notifications_cost_as_many_commands_as_few(alice, bob, path, record_commands):
    costs = []
    for number in (3, 10):
        authors = people(number, prefix=f"c{number}x")
        posts = write_posts((author, "@alice") for author in authors)
        for author, post in zip(authors, posts, strict=True):
            notify(kind="mention", actor=author.pk, recipients=[alice.pk], post=post)
            (comment,) = add_conversation(post, comments=[(author, "Look, @alice")])
            notify(
                kind="mention",
                actor=author.pk,
                recipients=[alice.pk],
                post=post,
                comment=comment,
            )
        caches["default"].clear()
        api = Api(alice)
        api.get(path)
        with record_commands() as commands:
            api.get(path, limit=40)
        costs.append(len(commands))
    assert costs[0] == costs[1]
    assert costs[1] <= 30, costs


def get_groups(api, **query):
    body = api.get("/api/v2/notifications", **query).json()
    names = {account["id"]: account["username"] for account in body["accounts"]}
    return [
        (group["type"], [names[uid] for uid in group["sample_account_ids"]])
        for group in body["notification_groups"]
    ]


def test_likes_of_a_post_form_a_group(alice, post, monkeypatch):
    others = people(3)
    for other in others:
        like_post(post_id=post, actor=other)
    publish(others[0], "@alice")
    api = Api(alice)
    assert get_groups(api) == [("mention", ["p0"]), ("favourite", ["p2", "p1", "p0"])]
    assert get_groups(api, **{"grouped_types[]": ["reblog"]})[1:] == [
        ("favourite", [name]) for name in ("p2", "p1", "p0")
    ]
    body = api.get("/api/v2/notifications", expand_accounts="partial_avatars").json()
    assert body["partial_accounts"] == []
    likes = body["notification_groups"][1]
    assert likes["notifications_count"] == 3
    assert likes["status_id"] == str(post)
    assert [status["id"] for status in body["statuses"]][1:] == [str(post)]
    assert {notification["group_key"] for notification in get_notifications(api)[1:]} == {
        likes["group_key"]
    }
    path = f"/api/v2/notifications/{likes['group_key']}"
    assert api.get(path).json()["notification_groups"][0]["notifications_count"] == 3
    for bounds in ({"limit": 1, "types[]": ["favourite"]}, {"max_id": likes["page_max_id"]}):
        (group,) = api.get("/api/v2/notifications", **bounds).json()["notification_groups"]
        assert group["notifications_count"] == 3
    assert [account["username"] for account in api.get(f"{path}/accounts").json()] == [
        "p2",
        "p1",
        "p0",
    ]
    assert api.get("/api/v2/notifications/unread_count").json() == {"count": 2}
    for _ in range(2):
        assert api.post(f"{path}/dismiss").json() == {}
    assert get_groups(api) == [("mention", ["p0"])]
    assert api.get(path).status_code == 404


def test_groups_are_paged_in_both_directions(alice, post):
    for user in people(7):
        publish(user, "@alice")
    api = Api(alice)
    response, seen = api.get("/api/v2/notifications", limit=3), []
    while True:
        seen += [group["sample_account_ids"] for group in response.json()["notification_groups"]]
        if not (path := link(response, "next")):
            break
        response = api.get(path)
    assert len(seen) == 7
    back = api.get("/api/v2/notifications", limit=3, min_id=1).json()["notification_groups"]
    assert [group["sample_account_ids"] for group in back] == seen[-3:]


def test_filtered_notifications_become_notification_requests(alice, bob, carol):
    api = Api(alice)
    policy = api.patch("/api/v2/notifications/policy", for_not_following="filter").json()
    assert policy["for_not_following"] == "filter"
    assert policy["for_not_followers"] == "accept"
    publish(bob, "@alice, one")
    post = publish(bob, "@alice, two")
    publish(carol, "@alice")
    assert get_notifications(api) == []
    assert types_and_names(api, include_filtered=True) == [
        ("mention", name) for name in ("carol", "bob", "bob")
    ]
    first, second = api.get("notifications/requests").json()
    assert (first["account"]["username"], second["id"]) == ("carol", str(bob.pk))
    assert second["notifications_count"] == "2"
    assert second["last_status"]["id"] == str(post)
    assert api.get(f"notifications/requests/{bob.pk}").json() == second
    summary = api.get("/api/v2/notifications/policy").json()["summary"]
    assert summary == {"pending_requests_count": 2, "pending_notifications_count": 3}
    assert api.get("notifications/policy").json()["filter_not_following"] is True
    for _ in range(2):
        assert api.post(f"notifications/requests/{bob.pk}/accept").json() == {}
        assert api.post("notifications/requests/dismiss", id=[str(carol.pk)]).json() == {}
    assert types_and_names(api) == [("mention", "bob")] * 2
    assert api.get("notifications/requests").json() == []
    assert api.get(f"notifications/requests/{bob.pk}").status_code == 404
    assert api.get("notifications/requests/merged").json() == {"merged": True}
    policy_response = api.put(
        "notifications/policy", filter_not_following=False, filter_new_accounts=True
    )
    assert policy_response.json()["filter_not_following"] is False
    assert api.get("/api/v2/notifications/policy").json()["for_new_accounts"] == "filter"


def test_notification_requests_are_paged(alice):
    save_kinds(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    others = people(5)
    for other in others:
        publish(other, "@alice")
    api = Api(alice)
    response, seen = api.get("notifications/requests", limit=2), []
    while True:
        seen += [status["id"] for status in response.json()]
        if not (path := link(response, "next")):
            break
        response = api.get(path)
    assert seen == [str(other.pk) for other in reversed(others)]
    back = api.get(link(response, "prev"))
    assert [status["id"] for status in back.json()] == seen[2:4]


def test_muted_threads_send_no_notifications(alice, bob, post):
    api = Api(alice)
    comment = add_comment(post_id=post, actor=bob, text="This")
    for _ in range(2):
        assert api.post(f"statuses/{comment}/mute").json()["muted"] is True
    add_comment(post_id=post, actor=bob, text="That")
    assert len(get_notifications(api)) == 1
    for path in (f"statuses?id[]={post}&id[]={comment}", f"accounts/{alice.pk}/statuses"):
        assert {status["muted"] for status in api.get(path).json()} == {True}
        assert {status["muted"] for status in Api(bob).get(path).json()} == {False}
    descendants = api.get(f"statuses/{post}/context").json()["descendants"]
    assert [status["muted"] for status in descendants] == [True, True]
    assert api.post(f"statuses/{post}/unmute").json()["muted"] is False
    add_comment(post_id=post, actor=bob, text="Again")
    assert len(get_notifications(api)) == 2
    assert api.post("statuses/1/mute").status_code == 404


def test_a_full_box_of_unread_notifications_records_new_arrivals(alice):
    for follower in people(101, prefix="f"):
        notify(kind="follow", actor=follower.pk, recipients=[alice.pk])
    before = notification_boxes().find_one({"_id": alice.pk})
    notify(kind="like", actor=follower.pk, recipients=[alice.pk])
    after = notification_boxes().find_one({"_id": alice.pk})
    assert before["unread"] == after["unread"] == 100
    assert after["last_arrival"] > before["last_arrival"]


@pytest.mark.parametrize(
    ("method", "path", "data", "status"),
    [
        ("get", "notifications", {"limit": "x"}, 422),
        ("get", "notifications", {"max_id": "99999999999999999999"}, 422),
        ("get", "notifications", {"max_id": "9" * 19}, 200),
        ("get", "notifications", {"min_id": "9" * 19}, 200),
        ("get", "notifications", {"limit": "10000"}, 200),
        ("get", "notifications", {"types": ["x" * 60]}, 422),
        ("get", "/api/v2/notifications/ungrouped-99999999999999999999", {}, 404),
        ("get", "/api/v2/notifications/ungrouped-" + "9" * 19, {}, 404),
        ("get", "/api/v2/notifications/favourite-%00-1", {}, 404),
        ("post", "/api/v2/notifications/nothing/dismiss", {}, 200),
        ("post", "notifications/requests/accept", {"id": ["x"]}, 422),
        ("post", "notifications/requests/1/accept", {}, 200),
        ("get", "notifications/requests", {"max_id": "9" * 19, "min_id": "9" * 19}, 200),
        ("patch", "/api/v2/notifications/policy", {"for_new_accounts": "never"}, 422),
    ],
)
def test_invalid_input_gets_a_json_error(alice, method, path, data, status):
    response = getattr(Api(alice), method)(path, **data)
    assert response.status_code == status, response.content
    assert status == 200 or response.json()["error"]


def test_notifications_require_the_matching_scope(alice, post):
    reads, writes = Api(alice, "read:notifications"), Api(alice, "write:notifications")
    assert writes.get("notifications").status_code == 403
    assert writes.get("/api/v2/notifications").status_code == 403
    assert reads.post("notifications/clear").status_code == 403
    assert reads.patch("/api/v2/notifications/policy").status_code == 403
    assert Api().get("notifications").status_code == 401
