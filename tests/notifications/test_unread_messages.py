"""Which messages are unread: exact counts in the box of each participant."""

import threading

import pytest
from django.db import connection

from accounts.services.blocks_and_mutes import block_user, mute_user
from feed.services import conversations
from feed.services.moderation import hide_comment, set_post_hidden
from feed.services.posts import delete_post
from notifications.services.preferences import mute_thread
from notifications.store import threads, unread_messages
from notifications.store.boxes import unread_counts
from notifications.store.collections import notification_boxes
from notifications.store.preferences import save_kinds
from tests.actions import add_comment, delete_comment
from tests.factories import publish


def unread(user):
    """Return the ids of the unread messages, after checking the number of conversations."""
    box = notification_boxes().find_one({"_id": user.pk}) or {}
    messages = box.get("unread_messages", [])
    count = unread_counts(recipient=user.pk).conversations
    assert count == len({message["post"] for message in messages})
    return [message["id"] for message in messages]


def test_each_message_is_unread_for_all_other_participants(alice, bob, carol):
    post = publish(alice, "@bob @carol dinner?", "direct")
    assert (unread(alice), unread(bob), unread(carol)) == ([], [post], [post])
    yes = add_comment(post_id=post, actor=bob, text="yes")
    assert (unread(alice), unread(bob), unread(carol)) == ([yes], [], [post, yes])
    conversations.mark_read(post_id=post, reader=carol.pk)
    assert unread(carol) == []
    publish(alice, "@bob for everybody")
    add_comment(post_id=publish(bob), actor=alice, text="a public comment")
    assert unread(bob) == []


def test_removed_messages_are_no_longer_unread(alice, bob):
    post, other = publish(bob, "@alice one", "direct"), publish(bob, "@alice two", "direct")
    first, second = (add_comment(post_id=post, actor=bob, text=text) for text in "ab")
    assert unread(alice) == [post, other, first, second]
    delete_comment(post_id=post, comment_id=first, actor=bob)
    hide_comment(post_id=post, comment_id=second)
    assert unread(alice) == [post, other]
    delete_post(post_id=post, actor=bob)
    set_post_hidden(post_id=other, state="removed")
    assert unread(alice) == []


@pytest.mark.parametrize("separate", [block_user, mute_user])
def test_messages_of_blocked_and_muted_users_are_not_unread(alice, bob, carol, separate):
    options = {"until": None} if separate is mute_user else {}
    own, from_carol = (
        publish(alice, "@bob @carol dinner?", "direct"),
        publish(carol, "@alice @bob lunch?", "direct"),
    )
    yes = add_comment(post_id=own, actor=bob, text="yes")
    add_comment(post_id=own, actor=carol, text="no")
    add_comment(post_id=from_carol, actor=bob, text="where?")
    separate(owner=alice.pk, other=carol.pk, **options)
    assert unread(alice) == [yes]
    add_comment(post_id=from_carol, actor=bob, text="hello?")
    if separate is mute_user:
        add_comment(post_id=own, actor=carol, text="sorry")
        publish(carol, "@alice please", "direct")
    assert unread(alice) == [yes]


def test_muted_and_filtered_conversations_do_not_become_unread(alice, bob, carol):
    post = publish(bob, "@alice one", "direct")
    mute_thread(uid=alice.pk, post_id=post)
    add_comment(post_id=post, actor=bob, text="again")
    assert unread(alice) == []
    threads.unmute_thread(uid=alice.pk, post=post)
    again = add_comment(post_id=post, actor=bob, text="and again")
    assert unread(alice) == [again]
    save_kinds(recipient=alice.pk, disabled_kinds=["mention"], filters=["strangers"])
    publish(carol, "@alice from a stranger", "direct")
    assert unread(alice) == [again]
    save_kinds(recipient=alice.pk, disabled_kinds=["mention"], filters=[])
    wanted = publish(carol, "@alice once more", "direct")
    assert unread(alice) == [again, wanted]


def test_a_repeated_delivery_changes_nothing(alice, bob, carol):
    post = publish(bob, "@alice one", "direct")
    message = unread_messages.Message(post, 0, bob.pk, bob.pk)
    unread_messages.deliver(message=message, classes_by_recipient={alice.pk: ()}, sender=bob.pk)
    assert unread(alice) == [post]
    for _ in range(2):
        conversations.mark_unread(post_id=post, reader=alice.pk, message_id=post)
        unread_messages.mark_unread(recipient=carol.pk, message=message)
    assert unread(alice) == unread(carol) == [post]
    assert notification_boxes().find_one({"_id": carol.pk})["unread"] == 0


def test_a_full_box_drops_the_oldest_messages(alice, bob, monkeypatch):
    monkeypatch.setattr(unread_messages, "MAX_UNREAD_MESSAGES", 3)
    posts = [publish(bob, f"@alice {number}", "direct") for number in range(5)]
    assert unread(alice) == posts[2:]


@pytest.mark.slow
def test_messages_sent_at_the_same_time_are_all_counted(alice, bob, carol):
    post = publish(alice, "@bob @carol dinner?", "direct")
    conversations.mark_read(post_id=post, reader=bob.pk)
    conversations.mark_read(post_id=post, reader=carol.pk)

    def write(user):
        try:
            for number in range(5):
                add_comment(post_id=post, actor=user, text=str(number))
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(user,)) for user in (bob, carol)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(unread(alice)) == 10
    newest = max(unread(alice))
    stored = connection.database["conversations"].distinct("newest", {"post": post})
    assert stored == [newest]
