"""Likes, bookmarks, pins and shares through the API."""

import itertools

import pytest

from accounts.user_cards import clear_cards
from feed.models import Post
from tests.actions import bookmark_comment, bookmark_post, like_comment, like_post
from tests.api.api_client import Api, link
from tests.factories import add_conversation, publish, publish_many
from tests.feed.comment_helpers import say
from tests.feed.post_helpers import write_posts


def ids(response):
    return [status["id"] for status in response.json()]


def paged_ids(api, path):
    """Follow the ``next`` links of a list. Return the ids of all pages.

    Assert that the ``prev`` link of each page leads back to the page before.
    """
    responses = [api.get(path, limit=2)]
    while next_path := link(responses[-1], "next"):
        responses.append(api.get(next_path))
    for upper, lower in itertools.pairwise(responses):
        assert ids(api.get(link(lower, "prev"))) == ids(upper)
    assert api.get(link(responses[0], "prev")).json() == []
    return [status_id for response in responses for status_id in ids(response)]


INTERACTIONS = pytest.mark.parametrize(
    ("action", "field", "path"),
    [("bookmark", "bookmarked", "bookmarks"), ("favourite", "favourited", "favourites")],
)


@INTERACTIONS
def test_posts_and_comments_are_bookmarked_and_liked_alike(alice, bob, action, field, path):
    api, (other, post) = Api(bob), publish_many(alice, 2)
    (comment,) = add_conversation(post, comments=[(alice, "more")])
    for status in (other, post, comment):
        for _ in range(2):
            assert api.post(f"statuses/{status}/{action}").json()[field] is True
    assert paged_ids(api, path) == [str(comment), str(post), str(other)]
    assert api.get(path).json()[0][field] is True


@INTERACTIONS
def test_bookmarks_and_likes_are_removed_alike(alice, bob, action, field, path):
    api, (other, post) = Api(bob), publish_many(alice, 2)
    (comment,) = add_conversation(post, comments=[(alice, "more")])
    for status in (other, post, comment):
        api.post(f"statuses/{status}/{action}")
    for status in (post, comment):
        for _ in range(2):
            assert api.post(f"statuses/{status}/un{action}").json()[field] is False
    assert paged_ids(api, path) == [str(other)]
    assert api.get(path, min_id="0", max_id="9" * 19).status_code == 200
    assert api.post(f"statuses/404/{action}").status_code == 404
    assert Api(alice).get(path).json() == []


@pytest.mark.parametrize(
    ("interact_with_post", "interact_with_comment", "path"),
    [
        (bookmark_post, bookmark_comment, "bookmarks"),
        (like_post, like_comment, "favourites"),
    ],
    ids=["bookmarks", "favourites"],
)
def test_long_lists_cost_as_many_commands_as_short_ones(
    alice, bob, record_commands, interact_with_post, interact_with_comment, path
):
    posts = write_posts([(alice, "hello @bob")] * 4)
    comments = [add_conversation(post, comments=[(alice, "see @bob")])[0] for post in posts]
    api, costs = Api(bob), []
    for number in (1, 4):
        for post, comment in list(zip(posts, comments, strict=True))[:number]:
            interact_with_post(post_id=post, actor=bob)
            interact_with_comment(post_id=post, comment_id=comment, actor=bob)
        api.get(path)
        clear_cards()
        with record_commands() as commands:
            assert len(api.get(path).json()) == 2 * number
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]


def test_users_pin_only_their_own_posts(alice, bob):
    api, post = Api(alice), publish(alice)
    for _ in range(2):
        assert api.post(f"statuses/{post}/pin").json()["pinned"] is True
    for _ in range(2):
        assert api.post(f"statuses/{post}/unpin").json()["pinned"] is False
    assert Api(bob).post(f"statuses/{post}/pin").status_code == 404
    assert api.post(f"statuses/{say(post, alice)}/pin").status_code == 422
    direct = publish(alice, "@bob psst", "direct")
    assert "cannot pin" in api.post(f"statuses/{direct}/pin").json()["error"]


def test_deleting_a_share_leaves_the_post(alice):
    api, post = Api(alice), publish(alice)
    share = api.post(f"statuses/{post}/reblog").json()["id"]
    assert api.delete(f"statuses/{share}").status_code == 200
    assert api.get(f"statuses/{share}").status_code == 404
    assert [stored_post.pk for stored_post in Post.objects.all()] == [post]


def test_unsupported_inputs_of_a_post_are_refused(alice):
    api = Api(alice)
    empty_inputs = dict.fromkeys(
        (
            *("media_ids", "poll", "spoiler_text", "in_reply_to_id", "scheduled_at"),
            *("quoted_status_id", "quote_approval_policy"),
        )
    )
    published = api.post(
        "statuses", status="x", language="de", sensitive=None, **empty_inputs
    ).json()
    assert published["language"] == "de"
    assert api.put(f"statuses/{published['id']}", status="").status_code == 422
    assert api.put(f"statuses/{published['id']}", spoiler_text="w").json()["content"] == "<p>x</p>"
