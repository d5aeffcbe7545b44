"""Direct posts as conversations: the list, the page of each conversation, and what starts one."""

import re

import pytest
from django.urls import reverse

from accounts import user_cards
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user, mute_user
from feed.models import Post
from feed.selectors import messages
from feed.services.moderation import hide_comment, restore_comment, set_post_hidden
from feed.services.posts import delete_post
from feed.store import conversations
from feed.store.collections import conversations as collection
from feed.tasks import clean_up_post
from notifications.services.preferences import mute_thread
from tests.actions import add_comment, delete_comment, edit_comment, edit_post
from tests.factories import UserFactory, publish

LIST = "/messages/"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def view_of(client):
    def read(user, path=LIST):
        client.force_login(user)
        response = client.get(path)
        assert response.status_code == 200, path
        return response

    return read


def listed(response):
    """Return (post, last text, whether it is unread) of each listed conversation."""
    return [
        (view.post.id, view.last_text, view.is_unread)
        for view in response.context["page"].conversations
    ]


def texts(response):
    page = response.context["page"]
    return [page.post.text, *(comment.text for comment in page.comments)]


def page_of(post_id):
    return reverse("conversation", args=[post_id])


def hide_form(response):
    """Return the path and the data that the button to hide the conversation sends."""
    pattern = r'formaction="([^"]+/hide/)" name="(\w+)" value="(\d+)"'
    path, name, value = re.search(pattern, response.content.decode()).groups()
    return path, {name: value}


def test_the_list_shows_the_newest_activity_first_with_unread_marks(
    view_of, alice, bob, carol, record_commands
):
    to_alice = publish(bob, "@alice good morning", "direct")
    to_both = publish(carol, "@alice @bob dinner?", "direct")
    publish(bob, "@carol not for alice", "direct")
    publish(bob, "for everybody")
    assert listed(view_of(alice)) == [
        (to_both, "@alice @bob dinner?", True),
        (to_alice, "@alice good morning", True),
    ]
    add_comment(post_id=to_alice, actor=alice, text="Morning!")
    assert listed(view_of(alice))[0] == (to_alice, "Morning!", False)
    add_comment(post_id=to_alice, actor=bob, text="Coffee?")
    response = view_of(alice)
    assert listed(response)[0] == (to_alice, "Coffee?", True)
    html = response.content.decode()
    assert "Bob" in html
    assert "Carol" in html
    assert "2 unread conversations" in html
    assert listed(view_of(bob))[0] == (to_alice, "Coffee?", False)
    costs = []
    for extra in (0, 1):
        for number in range(extra):
            add_comment(post_id=publish(bob, f"@alice {number}", "direct"), actor=alice, text="yes")
        view_of(alice)
        user_cards.clear_cards()
        with record_commands() as commands:
            view_of(alice)
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_pages_continue_in_both_directions(view_of, alice, bob, monkeypatch):
    monkeypatch.setattr("feed.views.conversations.PAGE_SIZE", 2)
    posts = [publish(bob, f"@alice {number}", "direct") for number in range(5)]
    first = view_of(alice).context["page"]
    assert first.newer_cursor is None
    second = view_of(alice, f"{LIST}?max_id={first.older_cursor}").context["page"]
    third = view_of(alice, f"{LIST}?max_id={second.older_cursor}").context["page"]
    assert third.older_cursor is None
    pages = (first, second, third)
    assert [view.post.id for page in pages for view in page.conversations] == posts[::-1]
    back = view_of(alice, f"{LIST}?min_id={third.newer_cursor}").context["page"]
    assert back.conversations == second.conversations
    for bad in ("x", "-1", "9" * 30):
        assert view_of(alice, f"{LIST}?max_id={bad}").status_code == 200


def test_messages_of_a_blocked_user_do_not_empty_the_page(view_of, alice, bob, carol, monkeypatch):
    monkeypatch.setattr("feed.views.conversations.PAGE_SIZE", 1)
    posts = [publish(bob, f"@alice {number}", "direct") for number in range(2)]
    for number in range(3):
        publish(carol, f"@alice {number}", "direct")
    block_user(owner=alice.pk, other=carol.pk)
    first = view_of(alice).context["page"]
    assert [view.post.id for view in first.conversations] == [posts[1]]
    second = view_of(alice, f"{LIST}?max_id={first.older_cursor}").context["page"]
    assert [view.post.id for view in second.conversations] == [posts[0]]
    assert second.older_cursor is None


def test_opening_a_conversation_shows_it_in_reading_order_and_marks_it_as_read(view_of, alice, bob):
    post = publish(bob, "@alice good morning", "direct")
    first = add_comment(post_id=post, actor=bob, text="first")
    add_comment(post_id=post, actor=alice, text="second", parent_id=first)
    add_comment(post_id=post, actor=bob, text="third")
    assert "1 unread conversation" in view_of(alice, "/").content.decode()
    response = view_of(alice, page_of(post))
    assert texts(response) == ["@alice good morning", "first", "second", "third"]
    html = response.content.decode()
    assert "Only @bob and you can read this" in html
    assert "unread conversation" not in html
    assert listed(view_of(alice)) == [(post, "third", False)]
    add_comment(post_id=post, actor=bob, text="fourth")
    assert listed(view_of(alice)) == [(post, "fourth", True)]
    view_of(alice, f"/@bob/{post}/")
    assert listed(view_of(alice)) == [(post, "fourth", False)]


def test_long_conversations_have_pages(view_of, alice, bob, monkeypatch):
    monkeypatch.setattr(messages, "MESSAGES_PER_PAGE", 2)
    post = publish(bob, "@alice 0", "direct")
    ids = [add_comment(post_id=post, actor=bob, text=str(n)) for n in range(1, 6)]
    newest = view_of(alice, page_of(post))
    assert [comment.text for comment in newest.context["page"].comments] == ["4", "5"]
    assert "@alice 0" not in newest.content.decode().partition('id="comments"')[2]
    older = view_of(alice, f"{page_of(post)}?before={newest.context['page'].older_cursor}")
    assert [comment.text for comment in older.context["page"].comments] == ["2", "3"]
    oldest = view_of(alice, f"{page_of(post)}?before={older.context['page'].older_cursor}")
    assert [comment.text for comment in oldest.context["page"].comments] == ["1"]
    assert oldest.context["page"].older_cursor is None
    later = view_of(alice, f"{page_of(post)}?after={oldest.context['page'].newer_cursor}")
    assert [comment.text for comment in later.context["page"].comments] == ["2", "3"]
    around = view_of(alice, f"{page_of(post)}?at={ids[1]}")
    assert [comment.text for comment in around.context["page"].comments] == ["2", "3"]
    around = view_of(alice, f"{page_of(post)}?at={ids[4]}")
    assert [comment.text for comment in around.context["page"].comments] == ["4", "5"]


def test_an_answer_returns_to_the_conversation(as_alice, alice, bob):
    post = publish(bob, "@alice good morning", "direct")
    html = as_alice.get(page_of(post)).content.decode()
    assert 'class="composer direct"' in html
    assert "Write a message…" in html
    response = as_alice.post(f"/posts/{post}/comments/", {"text": "Morning!"}, follow=True)
    url, _status = response.redirect_chain[-1]
    assert url.startswith(f"{page_of(post)}?at=")
    assert texts(response) == ["@alice good morning", "Morning!"]


def test_a_third_person_sees_nothing(client, alice, bob, carol):
    post = publish(bob, "@alice good morning", "direct")
    public = publish(bob, "@alice hello")
    client.force_login(carol)
    assert client.get(LIST).context["page"].conversations == ()
    for post_id in (post, public, 404):
        assert client.get(page_of(post_id)).status_code == 404
        for action in ("unread", "hide"):
            assert client.post(f"{page_of(post_id)}{action}/").status_code == 404
    client.logout()
    for path in (LIST, "/messages/new/", page_of(post)):
        assert client.get(path).status_code == 302


def test_messages_of_blocked_and_muted_users_are_not_shown(view_of, client, alice, bob, carol):
    post = publish(alice, "@bob @carol dinner?", "direct")
    add_comment(post_id=post, actor=bob, text="yes")
    add_comment(post_id=post, actor=carol, text="no")
    assert listed(view_of(alice)) == [(post, "no", True)]
    block_user(owner=alice.pk, other=carol.pk)
    assert listed(view_of(alice)) == [(post, "yes", True)]
    assert texts(view_of(alice, page_of(post))) == ["@bob @carol dinner?", "yes"]
    # The blocked user no longer sees the conversation. Others still see all messages.
    assert listed(view_of(carol)) == []
    client.force_login(carol)
    assert client.get(page_of(post)).status_code == 404
    assert texts(view_of(bob, page_of(post))) == ["@bob @carol dinner?", "yes", "no"]
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert listed(view_of(alice)) == [(post, "@bob @carol dinner?", False)]
    mute_user(owner=bob.pk, other=alice.pk, until=None)
    assert listed(view_of(bob)) == []


def test_suspended_authors_and_hidden_posts_are_not_shown(view_of, alice, bob, carol):
    from_bob = publish(bob, "@alice from bob", "direct")
    publish(carol, "@alice from carol", "direct")
    suspend_user(uid=carol.pk)
    response = view_of(alice)
    assert listed(response) == [(from_bob, "@alice from bob", True)]
    assert "1 unread conversation" in response.content.decode()
    set_post_hidden(post_id=from_bob, state="removed")
    response = view_of(alice)
    assert listed(response) == []
    set_post_hidden(post_id=from_bob, state="")
    assert listed(view_of(alice)) == [(from_bob, "@alice from bob", False)]


def test_removed_comments_change_the_last_message(view_of, alice, bob):
    old = publish(bob, "@alice old", "direct")
    new = publish(bob, "@alice new", "direct")
    comment = add_comment(post_id=old, actor=bob, text="again")
    assert [post for post, _text, _unread in listed(view_of(alice))] == [old, new]
    hide_comment(post_id=old, comment_id=comment)
    view_of(alice, page_of(old))
    assert listed(view_of(alice)) == [(new, "@alice new", True), (old, "@alice old", False)]
    restore_comment(post_id=old, comment_id=comment)
    assert listed(view_of(alice))[0] == (old, "again", False)
    edit_comment(post_id=old, comment_id=comment, actor=bob, text="edited")
    assert listed(view_of(alice))[0] == (old, "edited", False)
    delete_comment(post_id=old, comment_id=comment, actor=bob)
    assert [post for post, _text, _unread in listed(view_of(alice))] == [new, old]
    delete_post(post_id=new, actor=bob)
    assert listed(view_of(alice)) == [(old, "@alice old", False)]
    clean_up_post(post_id=new)
    assert collection().distinct("post") == [old]


def test_an_edit_adds_people_with_the_whole_conversation(view_of, alice, bob, carol):
    post = publish(alice, "@bob dinner?", "direct")
    add_comment(post_id=post, actor=bob, text="yes")
    edit_post(post_id=post, actor=alice, text="@bob @carol dinner?")
    assert listed(view_of(carol)) == [(post, "yes", True)]
    assert (
        "Only @alice, @bob and you can read this" in view_of(carol, page_of(post)).content.decode()
    )
    # A mention that is removed later does not remove the person, who has read the message.
    edit_post(post_id=post, actor=alice, text="@bob dinner!")
    assert listed(view_of(carol)) == [(post, "yes", False)]


def test_a_hidden_conversation_returns_with_the_next_message(as_alice, alice, bob):
    post = publish(bob, "@alice good morning", "direct")
    form = hide_form(as_alice.get(page_of(post)))
    for _ in range(2):
        response = as_alice.post(*form, follow=True)
        assert listed(response) == []
    assert "unread conversation" not in as_alice.get("/").content.decode()
    assert texts(as_alice.get(page_of(post))) == ["@alice good morning"]
    add_comment(post_id=post, actor=bob, text="Hello?")
    assert listed(as_alice.get(LIST)) == [(post, "Hello?", True)]


def test_a_conversation_with_a_newer_message_is_not_hidden(as_alice, alice, bob, monkeypatch):
    post = publish(bob, "@alice good morning", "direct")
    form = hide_form(as_alice.get(page_of(post)))
    add_comment(post_id=post, actor=bob, text="Hello?")
    response = as_alice.post(*form)
    assert response.url == page_of(post)
    page = as_alice.get(LIST)
    assert listed(page) == [(post, "Hello?", True)]
    assert "has a new message, so it was not hidden" in page.content.decode()
    form = hide_form(as_alice.get(page_of(post)))
    hide = conversations.hide

    def hide_before_a_message(**arguments):
        is_hidden = hide(**arguments)
        add_comment(post_id=post, actor=bob, text="Are you there?")
        return is_hidden

    monkeypatch.setattr(conversations, "hide", hide_before_a_message)
    assert as_alice.post(*form).url == LIST
    assert listed(as_alice.get(LIST)) == [(post, "Are you there?", True)]


def test_the_readers_own_message_does_not_count_as_newer(as_alice, alice, bob):
    post = publish(bob, "@alice good morning", "direct")
    form = hide_form(as_alice.get(page_of(post)))
    for text in ("Hello", "Bye"):
        add_comment(post_id=post, actor=alice, text=text)
    assert listed(as_alice.post(*form, follow=True)) == []
    add_comment(post_id=post, actor=bob, text="Wait")
    add_comment(post_id=post, actor=alice, text="Yes?")
    assert as_alice.post(*form).url == page_of(post)


def test_a_conversation_is_hidden_from_each_of_its_pages(
    as_alice, alice, bob, carol, monkeypatch, record_commands
):
    monkeypatch.setattr(messages, "MESSAGES_PER_PAGE", 1)
    post = publish(alice, "@bob @carol dinner?", "direct")
    ids = [add_comment(post_id=post, actor=bob, text=str(number)) for number in range(3)]
    newest = add_comment(post_id=post, actor=carol, text="no")
    block_user(owner=alice.pk, other=carol.pk)
    for query in ("", f"?before={ids[1]}", f"?after={ids[0]}", f"?at={ids[0]}"):
        form = hide_form(as_alice.get(f"{page_of(post)}{query}"))
        assert form == (f"{page_of(post)}hide/", {"newest": str(newest)})
    with record_commands() as commands:
        as_alice.get(page_of(post))
    assert [command.get("aggregate") for _name, command in commands].count("comment_buckets") == 1
    assert listed(as_alice.post(*form, follow=True)) == []


def test_hiding_needs_the_id_of_the_newest_message(as_alice, alice, bob):
    post = publish(bob, "@alice good morning", "direct")
    for data in ({}, {"newest": ""}, {"newest": "x"}, {"newest": "-1"}, {"newest": "9" * 30}):
        response = as_alice.post(f"{page_of(post)}hide/", data, follow=True)
        assert response.redirect_chain == [(page_of(post), 302)]
        assert "Something went wrong" in response.content.decode()
    assert listed(as_alice.get(LIST)) == [(post, "@alice good morning", False)]


def test_a_conversation_can_be_marked_as_unread(as_alice, alice, bob):
    post = publish(bob, "@alice good morning", "direct")
    as_alice.get(page_of(post))
    for _ in range(2):
        response = as_alice.post(f"{page_of(post)}unread/", follow=True)
        assert listed(response) == [(post, "@alice good morning", True)]
    assert "1 unread conversation" in response.content.decode()


def test_a_muted_conversation_does_not_become_unread(view_of, alice, bob):
    post = publish(bob, "@alice good morning", "direct")
    mute_thread(uid=alice.pk, post_id=post)
    assert listed(view_of(alice)) == [(post, "@alice good morning", False)]
    add_comment(post_id=post, actor=bob, text="Hello?")
    assert listed(view_of(alice)) == [(post, "Hello?", False)]
    assert "Muted" in view_of(alice).content.decode()


def test_a_new_message_starts_with_its_recipient(as_alice, alice, bob):
    assert f"/messages/new/?to={bob.username}" in as_alice.get("/@bob/").content.decode()
    assert 'name="to"' in as_alice.get("/messages/new/").content.decode()
    for name, error in (
        ("nobody_here", "There is no user with this name."),
        ("alice", "You cannot send messages to yourself."),
        ("", "This field is required."),
        ("x" * 300, "at most"),
        ("\x00", "This field is required."),
    ):
        response = as_alice.get("/messages/new/", {"to": name})
        assert response.status_code == 422
        assert error in response.content.decode(), name
    html = as_alice.get("/messages/new/?to=@Bob").content.decode()
    assert "Only @bob and you can read this" in html
    assert ">\n@bob </textarea>" in html


def test_sending_a_message_publishes_a_direct_post_once(as_alice, alice, bob):
    data = {"text": "@bob dinner?", "idempotency_key": "once", "visibility": "public"}
    for _ in range(2):
        response = as_alice.post("/messages/new/?to=bob", data)
        post = Post.objects.get()
        assert response.url == page_of(post.pk)
    assert (post.visibility, post.recipients) == ("direct", [bob.pk])
    for text, error in (
        ("", "Enter some text."),
        ("to nobody", "Mention at least one person"),
        ("x" * 501, "too long"),
    ):
        refused = as_alice.post("/messages/new/?to=bob", {"text": text})
        assert refused.status_code == 422
        assert error in refused.content.decode()
    block_user(owner=bob.pk, other=alice.pk)
    refused = as_alice.post("/messages/new/?to=bob", {"text": "@bob hello"})
    assert refused.status_code == 422
    assert "You cannot send direct posts to @bob." in refused.content.decode()
    assert Post.objects.count() == 1


def test_direct_posts_are_distinguished_from_public_posts(view_of, alice, bob):
    publish(bob, "for everybody")
    post = publish(alice, "@bob psst", "direct")
    html = view_of(alice, "/").content.decode()
    assert html.count('class="post direct"') == 1
    assert "<span>Message</span>" in html
    assert f'href="{page_of(post)}"' in view_of(alice, f"/@alice/{post}/").content.decode()
    notifications = view_of(bob, "/notifications/").content.decode()
    assert "sent you a message" in notifications
    assert f'data-href="{page_of(post)}"' in notifications
    add_comment(post_id=post, actor=bob, text="yes?")
    assert "replied to your message" in view_of(alice, "/notifications/").content.decode()


def test_every_page_reads_both_unread_counts_with_one_command(client, alice, bob, record_commands):
    publish(bob, "@alice psst", "direct")
    client.force_login(alice)
    client.get("/")
    with record_commands() as commands:
        html = client.get("/").content.decode()
    assert "1 unread conversation" in html
    assert "1 unread notification" in html
    on_boxes = [name for name, command in commands if command[name] == "notification_boxes"]
    assert on_boxes == ["find"]
    notifications = client.get("/notifications/")
    assert "1 unread conversation" in notifications.content.decode()


def test_deleted_accounts_leave_a_readable_conversation(view_of, alice, bob):
    dora = UserFactory(username="dora")
    post = publish(alice, "@dora hello", "direct")
    suspend_user(uid=dora.pk)
    assert "Only you can read this" in view_of(alice, page_of(post)).content.decode()
    assert "Nobody else" in view_of(alice).content.decode()


def test_the_form_says_who_reads_the_message(view_of, alice, bob, carol):
    post = publish(alice, "@bob @carol psst", "direct")
    comment = add_comment(post_id=post, actor=carol, text="yes?")
    thread = reverse("comment_thread", args=["alice", post, comment])
    for path in (page_of(post), thread):
        html = view_of(bob, path).content.decode()
        assert html.count("Only @alice, @carol and you can read this") == 1
        assert html.index("can read this") < html.index("<textarea")
