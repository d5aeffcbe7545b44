"""Direct posts as conversations."""

from datetime import timedelta

from django.utils import timezone

from accounts.services.blocks_and_mutes import block_user, mute_user
from tests.actions import add_comment, delete_comment
from tests.api.api_client import Api, link
from tests.factories import UserFactory, publish


def listed(user, **query):
    """Return (id, id of the last status, unread) of each conversation."""
    return [
        (
            int(conversation["id"]),
            int(conversation["last_status"]["id"]),
            conversation["unread"],
        )
        for conversation in Api(user).get("conversations", **query).json()
    ]


def test_each_direct_post_is_a_conversation(alice, bob, carol, record_commands):
    publish(alice, "@bob for everybody")
    to_both = publish(carol, "@alice @bob you two", "direct")
    to_bob = publish(alice, "@bob psst", "direct")
    publish(bob, "@carol not alice", "direct")
    api = Api(alice)
    conversations = api.get("conversations").json()
    assert [conversation["last_status"]["id"] for conversation in conversations] == [
        str(to_bob),
        str(to_both),
    ]
    assert [
        [account["username"] for account in conversation["accounts"]]
        for conversation in conversations
    ] == [
        ["bob"],
        ["carol", "bob"],
    ]
    response = api.get("conversations/", limit=1)
    assert response.json() == conversations[:1]
    assert api.get(link(response, "next")).json() == conversations[1:]
    costs = []
    for limit in (1, 2):
        with record_commands() as commands:
            api.get("conversations", limit=limit)
        costs.append(len(commands))
    assert costs[0] == costs[1]
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    assert api.get("conversations").json() == conversations[:1]


def test_the_last_status_is_the_last_comment(alice, bob, carol):
    post = publish(alice, "@bob @carol psst", "direct")
    other = publish(alice, "@bob later", "direct")
    assert listed(bob) == [(other, other, True), (post, post, True)]
    comment = add_comment(post_id=post, actor=carol, text="yes?")
    assert listed(bob) == [(post, comment, True), (other, other, True)]
    assert listed(carol) == [(post, comment, False)]
    (first,) = Api(bob).get("conversations", limit=1).json()
    assert first["last_status"]["in_reply_to_id"] == str(post)
    assert first["last_status"]["visibility"] == "direct"
    # The cursors are the ids of last statuses, as on Mastodon.
    assert listed(bob, max_id=comment) == [(other, other, True)]
    assert listed(bob, min_id=other) == [(post, comment, True)]
    assert listed(bob, since_id=comment) == []
    delete_comment(post_id=post, comment_id=comment, actor=carol)
    assert listed(bob) == [(other, other, True), (post, post, True)]
    block_user(owner=bob.pk, other=alice.pk)
    assert listed(bob) == []


def test_an_answer_by_an_app_belongs_to_the_conversation(alice, bob):
    post = publish(alice, "@bob psst", "direct")
    answer = Api(bob).post(
        "statuses", status="@alice yes?", in_reply_to_id=str(post), visibility="direct"
    )
    assert answer.status_code == 200, answer.json()
    assert listed(alice) == [(post, int(answer.json()["id"]), True)]
    assert listed(bob) == [(post, int(answer.json()["id"]), False)]


def test_a_conversation_is_marked_as_read_and_unread(alice, bob):
    post = publish(alice, "@bob psst", "direct")
    api = Api(bob)
    for _ in range(2):
        read = api.post(f"conversations/{post}/read").json()
        assert [account["username"] for account in read["accounts"]] == ["alice"]
        assert read["unread"] is False
        assert listed(bob) == [(post, post, False)]
    for _ in range(2):
        assert api.post(f"conversations/{post}/unread").json() == {**read, "unread": True}
        assert listed(bob) == [(post, post, True)]


def test_a_deleted_conversation_returns_with_the_next_message(alice, bob):
    post = publish(alice, "@bob psst", "direct")
    for _ in range(2):
        response = Api(bob).delete(f"conversations/{post}")
        assert (response.status_code, response.json()) == (200, {})
        assert listed(bob) == []
    assert listed(alice) == [(post, post, False)]
    comment = add_comment(post_id=post, actor=alice, text="hello?")
    assert listed(bob) == [(post, comment, True)]
    assert Api(bob).delete(f"conversations/{post}").status_code == 200
    assert listed(bob) == []


def test_a_third_person_finds_no_conversation(alice, bob, carol):
    post, public = publish(alice, "@bob psst", "direct"), publish(alice)
    comment = add_comment(post_id=post, actor=bob, text="yes?")
    for viewer, post_id in ((carol, post), (bob, public), (bob, comment), (bob, 404)):
        api = Api(viewer)
        assert api.post(f"conversations/{post_id}/read").status_code == 404
        assert api.post(f"conversations/{post_id}/unread").status_code == 404
        assert api.delete(f"conversations/{post_id}").status_code == 404


def test_messages_mention_everybody_in_the_conversation(alice, bob, carol):
    post = publish(alice, "@bob @carol psst", "direct")
    comment = add_comment(post_id=post, actor=carol, text="yes?")
    answer = Api(bob).post("statuses", status="No mentions", in_reply_to_id=str(post)).json()
    mentions = {
        status_id: {
            user["username"] for user in Api(bob).get(f"statuses/{status_id}").json()["mentions"]
        }
        for status_id in (post, comment, int(answer["id"]))
    }
    assert mentions == {
        post: {"bob", "carol"},
        comment: {"alice", "bob"},
        int(answer["id"]): {"alice", "carol"},
    }


def test_a_message_that_leaves_out_participants_is_refused(alice, bob, carol):
    UserFactory(username="dave")
    post = publish(alice, "@bob @carol psst", "direct")
    parent = add_comment(post_id=post, actor=carol, text="yes?")
    api = Api(bob)
    in_an_hour = (timezone.now() + timedelta(hours=1)).isoformat()
    for target, extra in ((post, {}), (parent, {"scheduled_at": in_an_hour})):
        reply = {"in_reply_to_id": str(target), **extra}
        refused = api.post("statuses", status="@alice secretly", **reply)
        assert refused.status_code == 422
        assert "@carol can also read this message." in refused.json()["error"]
        refused = api.post("statuses", status="@dave look", **reply)
        assert "@alice, @carol can also read" in refused.json()["error"]
    for text in ("@alice @carol to all", "@nobody_here hello"):
        reply = {"status": text, "in_reply_to_id": str(parent)}
        assert api.post("statuses", **reply).status_code == 200
    pair = publish(alice, "@bob only you", "direct")
    assert api.post("statuses", status="@alice hi", in_reply_to_id=str(pair)).status_code == 200
