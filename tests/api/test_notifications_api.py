"""What one was told, through the API: one by one, in groups, held, and who may be heard at once."""

import pytest
from django.core.cache import caches

from accounts.services.blocks_and_mutes import block_user, mute_user
from notifications.services.delivery import notify
from notifications.services.preferences import save_preferences
from notifications.store import boxes, dismissals, expressions, history
from notifications.store.collections import notification_boxes, notification_history
from tests.actions import add_comment, like_post, share_post
from tests.api.api_client import Api, link
from tests.factories import add_conversation, follow, people, publish
from tests.feed.post_helpers import write_posts


def told(api, **query):
    return [
        (notification["type"], notification["account"]["username"])
        for notification in listed(api, **query)
    ]


def listed(api, **query):
    return api.get("notifications", **query).json()


@pytest.fixture
def post(alice):
    return publish(alice, "What do you think?")


@pytest.fixture
def all_sorts(alice, bob, carol, post):
    """One of each."""
    like_post(post_id=post, actor=bob)
    share_post(post_id=post, actor=carol)
    comment = add_comment(post_id=post, actor=bob, text="This")
    own = add_comment(post_id=post, actor=alice, text="And that", parent_id=comment)
    add_comment(post_id=post, actor=carol, text="No", parent_id=own)
    follow(bob, alice)
    publish(carol, "Ask @alice")
    notify(kind="notice", actor=0, recipients=[alice.pk], text="Be kind.")
    notify(kind="accepted", actor=bob.pk, recipients=[alice.pk])


def test_each_kind_is_of_the_type_that_apps_know(alice, bob, post, all_sorts):
    api = Api(alice)
    every = listed(api)
    assert [(status["type"], status["socialsite"]["kind"]) for status in every] == [
        ("moderation_warning", "notice"),
        ("mention", "mention"),
        ("follow", "follow"),
        ("mention", "reply"),
        ("mention", "comment"),
        ("reblog", "share"),
        ("favourite", "like"),
    ]
    assert every[0]["moderation_warning"]["text"] == "Be kind."
    assert every[0]["account"]["username"] == "alice"
    assert every[3]["status"]["content"] == "<p>No</p>"
    assert every[3]["status"]["account"]["username"] == "carol"
    assert every[6]["status"]["id"] == str(post)
    assert "status" not in every[2]
    assert api.get(f"notifications/{every[4]['id']}").json() == every[4]
    assert Api(bob).get(f"notifications/{every[4]['id']}").status_code == 404


def test_a_list_may_be_of_some_types_or_of_one_person(alice, carol, all_sorts):
    api = Api(alice)
    assert told(api, **{"types[]": ["favourite", "follow"]}) == [
        ("follow", "bob"),
        ("favourite", "bob"),
    ]
    but = ["mention", "moderation_warning", "favourite"]
    assert told(api, **{"exclude_types[]": but, "account_id": str(carol.pk)}) == [
        ("reblog", "carol")
    ]
    assert told(api, **{"types[]": ["poll", "nothing"]}) == []


def test_reading_the_list_marks_nothing_as_read(alice, all_sorts):
    api = Api(alice)
    assert api.get("notifications/unread_count").json() == {"count": 7}
    listed(api)
    assert api.get("notifications/unread_count", **{"types[]": ["mention"]}).json() == {"count": 3}
    assert api.get("notifications/unread_count", limit=2).json() == {"count": 2}
    assert not any(notification["socialsite"]["is_read"] for notification in listed(api))


def filled(alice, number):
    """Mentions of Alice by many, so many that the history has most of them; the newest first."""
    for user in people(number, prefix="m"):
        notify(kind="mention", actor=user.pk, recipients=[alice.pk])
        history.seal_overflow(recipients=[alice.pk])
    return [f"m{n}" for n in reversed(range(number))]


def test_paging_goes_on_into_the_history_and_back(alice, monkeypatch):
    """A box holds 100 and a bucket 50 outside tests; here they are ten times smaller."""
    for module in (expressions, history):
        monkeypatch.setattr(module, "BUCKET_SIZE", 5)
    for module in (expressions, boxes, dismissals):
        monkeypatch.setattr(module, "BOX_SIZE", 10)
    names = filled(alice, 23)
    assert notification_history().count_documents({"owner": alice.pk}) >= 2
    api = Api(alice)
    answer = first = api.get("notifications", limit=4)
    seen = [status["account"]["username"] for status in answer.json()]
    while path := link(answer, "next"):
        answer = api.get(path)
        seen += [status["account"]["username"] for status in answer.json()]
    assert seen == names
    back = []
    path = link(answer, "prev") or link(api.get("notifications", max_id=1), "prev")
    while path and (result := (answer := api.get(path)).json()):
        back = [status["account"]["username"] for status in result] + back
        path = link(answer, "prev")
    assert back == names[: len(back)]
    assert len(back) >= 20
    assert api.get(link(first, "prev")).json() == []
    oldest = listed(api, min_id=1, limit=3)
    assert [status["account"]["username"] for status in oldest] == names[-3:]
    row = oldest[0]["id"]
    assert api.get(f"notifications/{row}").status_code == 200
    for _ in range(2):
        assert api.post(f"notifications/{row}/dismiss").json() == {}
    assert api.get(f"notifications/{row}").status_code == 404


def test_what_is_dismissed_or_cleared_is_gone(alice, all_sorts):
    api = Api(alice)
    first = listed(api)[0]["id"]
    for _ in range(2):
        assert api.post(f"notifications/{first}/dismiss").status_code == 200
    assert first not in [notification["id"] for notification in listed(api)]
    for _ in range(2):
        assert api.post("notifications/clear").json() == {}
    assert listed(api) == []


def test_what_one_may_not_see_any_more_is_left_out(alice, bob, carol, all_sorts):
    api = Api(alice)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert {name for _type, name in told(api)} == {"carol", "alice"}
    block_user(owner=alice.pk, other=carol.pk)
    assert {name for _type, name in told(api)} == {"alice"}


@pytest.mark.parametrize("path", ["notifications", "/api/v2/notifications"])
def test_many_cost_as_many_commands_as_few(alice, bob, path, record_commands):
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


def groups(api, **query):
    body = api.get("/api/v2/notifications", **query).json()
    names = {account["id"]: account["username"] for account in body["accounts"]}
    return [
        (group["type"], [names[uid] for uid in group["sample_account_ids"]])
        for group in body["notification_groups"]
    ]


def test_likes_of_one_post_are_one_group(alice, post, monkeypatch):
    others = people(3)
    for other in others:
        like_post(post_id=post, actor=other)
    publish(others[0], "@alice")
    api = Api(alice)
    assert groups(api) == [("mention", ["p0"]), ("favourite", ["p2", "p1", "p0"])]
    assert groups(api, **{"grouped_types[]": ["reblog"]})[1:] == [
        ("favourite", [name]) for name in ("p2", "p1", "p0")
    ]
    body = api.get("/api/v2/notifications", expand_accounts="partial_avatars").json()
    assert body["partial_accounts"] == []
    likes = body["notification_groups"][1]
    assert likes["notifications_count"] == 3
    assert likes["status_id"] == str(post)
    assert [status["id"] for status in body["statuses"]][1:] == [str(post)]
    assert {notification["group_key"] for notification in listed(api)[1:]} == {likes["group_key"]}
    path = f"/api/v2/notifications/{likes['group_key']}"
    assert api.get(path).json()["notification_groups"][0]["notifications_count"] == 3
    assert [account["username"] for account in api.get(f"{path}/accounts").json()] == [
        "p2",
        "p1",
        "p0",
    ]
    assert api.get("/api/v2/notifications/unread_count").json() == {"count": 2}
    for _ in range(2):
        assert api.post(f"{path}/dismiss").json() == {}
    assert groups(api) == [("mention", ["p0"])]
    assert api.get(path).status_code == 404


def test_groups_go_on_to_the_first_and_back(alice, post):
    for user in people(7):
        publish(user, "@alice")
    api = Api(alice)
    answer, seen = api.get("/api/v2/notifications", limit=3), []
    while True:
        seen += [group["sample_account_ids"] for group in answer.json()["notification_groups"]]
        if not (path := link(answer, "next")):
            break
        answer = api.get(path)
    assert len(seen) == 7
    back = api.get("/api/v2/notifications", limit=3, min_id=1).json()["notification_groups"]
    assert [group["sample_account_ids"] for group in back] == seen[-3:]


def test_who_is_not_heard_at_once_asks_to_be_heard(alice, bob, carol):
    api = Api(alice)
    policy = api.patch("/api/v2/notifications/policy", for_not_following="filter").json()
    assert policy["for_not_following"] == "filter"
    assert policy["for_not_followers"] == "accept"
    publish(bob, "@alice, one")
    post = publish(bob, "@alice, two")
    publish(carol, "@alice")
    assert listed(api) == []
    assert told(api, include_filtered=True) == [
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
    assert told(api) == [("mention", "bob")] * 2
    assert api.get("notifications/requests").json() == []
    assert api.get(f"notifications/requests/{bob.pk}").status_code == 404
    assert api.get("notifications/requests/merged").json() == {"merged": True}
    put = api.put("notifications/policy", filter_not_following=False, filter_new_accounts=True)
    assert put.json()["filter_not_following"] is False
    assert api.get("/api/v2/notifications/policy").json()["for_new_accounts"] == "filter"


def test_requests_are_paged(alice):
    save_preferences(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    others = people(5)
    for other in others:
        publish(other, "@alice")
    api = Api(alice)
    answer, seen = api.get("notifications/requests", limit=2), []
    while True:
        seen += [status["id"] for status in answer.json()]
        if not (path := link(answer, "next")):
            break
        answer = api.get(path)
    assert seen == [str(other.pk) for other in reversed(others)]
    back = api.get(link(answer, "prev"))
    assert [status["id"] for status in back.json()] == seen[2:4]


def test_a_muted_conversation_is_heard_of_no_more(alice, bob, post):
    api = Api(alice)
    comment = add_comment(post_id=post, actor=bob, text="This")
    for _ in range(2):
        assert api.post(f"statuses/{comment}/mute").json()["muted"] is True
    add_comment(post_id=post, actor=bob, text="That")
    assert len(listed(api)) == 1
    for path in (f"statuses?id[]={post}&id[]={comment}", f"accounts/{alice.pk}/statuses"):
        assert {status["muted"] for status in api.get(path).json()} == {True}
        assert {status["muted"] for status in Api(bob).get(path).json()} == {False}
    around = api.get(f"statuses/{post}/context").json()["descendants"]
    assert [status["muted"] for status in around] == [True, True]
    assert api.post(f"statuses/{post}/unmute").json()["muted"] is False
    add_comment(post_id=post, actor=bob, text="Again")
    assert len(listed(api)) == 2
    assert api.post("statuses/1/mute").status_code == 404


def test_a_full_box_of_unread_ones_changes_with_each_that_comes(alice):
    for row in people(101, prefix="f"):
        notify(kind="follow", actor=row.pk, recipients=[alice.pk])
    before = notification_boxes().find_one({"_id": alice.pk})
    notify(kind="like", actor=row.pk, recipients=[alice.pk])
    after = notification_boxes().find_one({"_id": alice.pk})
    assert before["unread"] == after["unread"] == 100
    assert after["last_arrival"] > before["last_arrival"]


@pytest.mark.parametrize(
    ("method", "path", "sent", "status"),
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
def test_hostile_words_get_a_clear_answer(alice, method, path, sent, status):
    answer = getattr(Api(alice), method)(path, **sent)
    assert answer.status_code == status, answer.content
    assert status == 200 or answer.json()["error"]


def test_it_takes_the_right_token(alice, post):
    reads, writes = Api(alice, "read:notifications"), Api(alice, "write:notifications")
    assert writes.get("notifications").status_code == 403
    assert writes.get("/api/v2/notifications").status_code == 403
    assert reads.post("notifications/clear").status_code == 403
    assert reads.patch("/api/v2/notifications/policy").status_code == 403
    assert Api().get("notifications").status_code == 401
