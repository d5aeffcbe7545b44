"""Replying to a comment: in place with htmx, and on a separate page without htmx."""

import pytest

from feed.models import Post
from tests.actions import publish_post
from tests.factories import publish
from tests.feed.comment_helpers import say

HTMX = {"HX-Request": "true"}


@pytest.fixture
def post(bob):
    return publish(bob, "Hello")


@pytest.fixture
def comment(post, bob):
    return say(post, bob, "first")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def reply_path(post, comment):
    return f"/posts/{post}/comments/{comment}/reply/"


def test_the_link_opens_the_thread_or_the_form_with_htmx(as_alice, post, comment):
    html = as_alice.get(f"/@bob/{post}/").content.decode()
    thread = f"/@bob/{post}/comments/{comment}/?to={comment}#answer"
    assert f'href="{thread}" hx-get="{reply_path(post, comment)}"' in html
    assert f'id="replies-{comment}"' in html
    assert as_alice.get(reply_path(post, comment))["Location"] == thread


def test_the_form_in_place_publishes_a_reply_in_place(as_alice, post, comment):
    form = as_alice.get(reply_path(post, comment), headers=HTMX).content.decode()
    assert f'hx-target="#replies-{comment}"' in form
    assert f'name="parent" value="{comment}"' in form
    assert f'id="reply_{comment}_text"' in form
    assert "<html" not in form
    sent = {"text": "second", "parent": comment}
    published = as_alice.post(f"/posts/{post}/comments/", sent, headers=HTMX)
    html = published.content.decode()
    assert published.status_code == 200
    assert "second" in html
    assert "<html" not in html
    assert f"/comments/{comment}/?to=" in html, "a reply to the reply stays in the thread"
    assert Post.objects.get().comments == 2


def test_a_reply_in_place_says_where_it_belongs_and_how_many_comments_there_are(
    as_alice, bob, post, comment
):
    reply = say(post, bob, "second", parent=comment)
    sent = {"text": "third", "parent": reply, "idempotency_key": "k" * 20}
    for _ in range(2):
        published = as_alice.post(f"/posts/{post}/comments/", sent, headers=HTMX)
        html = published.content.decode()
        assert f'data-thread="{comment}" data-count="3" data-count-text="3 comments"' in html
    sent = {"text": "@bob fourth", "parent": comment, "visibility": "direct"}
    limited = as_alice.post(f"/posts/{post}/comments/", sent, headers=HTMX).content.decode()
    assert 'data-count-text="3 comments"' in limited


def test_an_invalid_reply_is_shown_again_with_its_error(as_alice, post, comment):
    sent = {"text": "x" * 501, "parent": comment}
    refused = as_alice.post(f"/posts/{post}/comments/", sent, headers=HTMX)
    html = refused.content.decode()
    assert refused.status_code == 422
    assert f'hx-target="#replies-{comment}"' in html
    assert "x" * 501 in html
    assert Post.objects.get().comments == 1


def test_submitting_a_reply_twice_adds_one_reply(as_alice, post, comment):
    sent = {"text": "second", "parent": comment, "idempotency_key": "k" * 20}
    for _ in range(2):
        assert as_alice.post(f"/posts/{post}/comments/", sent, headers=HTMX).status_code == 200
    assert Post.objects.get().comments == 2


def test_users_who_cannot_comment_get_no_form(as_alice, client, bob):
    post = publish_post(author=bob.pk, text="Hello", reply_policy="nobody")
    comment = say(post, bob, "mine")
    assert as_alice.get(reply_path(post, comment), headers=HTMX).status_code == 404
    assert f'id="replies-{comment}"' not in as_alice.get(f"/@bob/{post}/").content.decode()
    client.logout()
    assert client.get(reply_path(post, comment))["Location"].startswith("/accounts/login/")
    assert as_alice.get(reply_path(post, 404), headers=HTMX).status_code in (302, 404)
