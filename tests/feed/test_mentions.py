"""Mentions with a dot: the dot ends a sentence unless a user has the username with the dot."""

import pytest

from accounts.services.account_status import suspend_user
from feed import attributes
from feed.models import Post
from feed.services.posts import CannotPublish
from feed.text.renderer import to_html
from notifications.store import boxes
from tests.actions import add_comment, edit_comment
from tests.api.api_client import Api
from tests.factories import UserFactory, follow, publish

BOB = '<a href="/@bob/">@bob</a>'


def mentions_of(user):
    return sum(row.kind == "mention" for row in boxes.get(recipient=user.pk).recent)


@pytest.fixture
def dotted():
    return UserFactory(username="bob.great")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("thanks @bob.Great work", "bob"),
        ("@bob.great.Really", "bob"),
        ("@bob", "bob"),
        ("@bob.", "bob"),
        ("@BOB.x", "bob"),
        (f"@bob.{'x' * 40}", "bob"),
        ("@nobody.Great", None),
    ],
)
def test_the_part_before_a_dot_is_mentioned_if_the_whole_name_is_unknown(alice, bob, text, name):
    uids = attributes.mentioned_uids(text=text)
    assert uids == ([bob.pk] if name else [])


def test_the_longest_name_is_mentioned(bob, dotted):
    assert attributes.mentioned_uids(text="@bob.Great work") == [dotted.pk]
    assert attributes.mentioned_uids(text="@bob.Great.Work") == [dotted.pk]
    assert attributes.mentioned_uids(text="@bob. Great") == [bob.pk]


def test_suspended_users_are_not_mentioned(bob, dotted):
    suspend_user(uid=dotted.pk)
    assert attributes.mentioned_uids(text="@bob.Great work") == [bob.pk]


def test_pages_link_only_the_user_name(client, alice, bob):
    post = publish(alice, "thanks @bob.Great work")
    assert Post.objects.get().attributes == [{"kind": "mention", "value": bob.pk}]
    add_comment(post_id=post, actor=alice, text="and @bob.Again @nobody.Else")
    html = client.get(f"/@alice/{post}/").content.decode()
    assert f"thanks {BOB}.Great work" in html
    assert f"and {BOB}.Again" in html
    assert '<a href="/@nobody.else/">@nobody.Else</a>' in html


def test_pages_link_the_whole_name_if_it_exists(client, alice, bob, dotted):
    post = publish(alice, "thanks @bob.Great work")
    html = client.get(f"/@alice/{post}/").content.decode()
    assert '<a href="/@bob.great/">@bob.Great</a> work' in html


def test_the_api_links_and_lists_only_the_user_name(alice, bob):
    status = Api(alice).post("statuses", status="thanks @bob.Great work").json()
    reply_fields = {"status": "@bob.Again", "in_reply_to_id": status["id"]}
    reply = Api(alice).post("statuses", **reply_fields).json()
    for data in (status, reply):
        assert 'class="u-url mention">@bob</a>.' in data["content"]
        assert "bob" in [mention["acct"] for mention in data["mentions"]]


def test_mentioned_users_are_notified(alice, bob):
    post = publish(alice, "thanks @bob.Great work")
    add_comment(post_id=post, actor=alice, text="@bob.Again")
    assert mentions_of(bob) == 2


def test_a_direct_post_goes_to_the_mentioned_users(client, alice, bob):
    publish(alice, "thanks @bob.Great work", "direct")
    assert Post.objects.get().recipients == [bob.pk]
    with pytest.raises(CannotPublish, match=r"@nobody\.great"):
        publish(alice, "thanks @nobody.Great work", "direct")


def test_an_edited_comment_notifies_only_newly_mentioned_users(alice, bob, carol):
    post = publish(alice)
    comment = add_comment(post_id=post, actor=carol, text="@bob.Great")
    edit_comment(post_id=post, comment_id=comment, actor=carol, text="@bob.Greater")
    assert mentions_of(bob) == 1


def test_a_page_with_dotted_mentions_looks_up_no_names(client, alice, bob, record_commands):
    follow(bob, alice)
    publish(alice, "thanks @bob. Great work")
    client.force_login(bob)
    costs = []
    for text in (None, "thanks @bob.Great work", "and @bob.Really and @carol.Too"):
        if text:
            publish(alice, text)
        client.get("/")
        with record_commands() as commands:
            client.get("/")
        costs.append(len(commands))
    assert costs[0] == costs[1] == costs[2]


def test_only_known_names_are_linked():
    assert to_html(text="@bob.Great") == '<a href="/@bob.great/">@bob.Great</a>'
    assert to_html(text="@bob.Great", dotted_usernames={"bob"}) == f"{BOB}.Great"
    assert to_html(text="@bob.Great", known_usernames={"bob"}) == f"{BOB}.Great"
    assert to_html(text="@bob.Great", known_usernames={"carol"}) == "@bob.Great"
