"""Direct posts as conversations."""

from accounts.services.blocks_and_mutes import mute_user
from tests.api.api_client import Api, link
from tests.factories import publish


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


def test_a_conversation_can_be_read_but_not_deleted(alice, bob, carol):
    post, public = publish(alice, "@bob psst", "direct"), publish(alice)
    read = Api(bob).post(f"conversations/{post}/read").json()
    assert [account["username"] for account in read["accounts"]] == ["alice"]
    assert Api(bob).delete(f"conversations/{post}").status_code == 422
    for viewer, post_id in ((carol, post), (bob, public), (bob, 404)):
        assert Api(viewer).post(f"conversations/{post_id}/read").status_code == 404
