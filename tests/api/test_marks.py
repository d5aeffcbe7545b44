"""What people do with posts and comments through the API, and the lists of that."""

import itertools

from accounts.user_cards import forget_all
from feed import services
from feed.models import Post
from tests.api.calling import Api, link
from tests.factories import publish
from tests.feed.talking import say


def ids(answer):
    return [one["id"] for one in answer.json()]


def both_ways(api, path):
    """All ids of a list, page by page; and that each page is above the next."""
    answers = [api.get(path, limit=2)]
    while further := link(answers[-1], "next"):
        answers.append(api.get(further))
    for upper, lower in itertools.pairwise(answers):
        assert ids(api.get(link(lower, "prev"))) == ids(upper)
    assert api.get(link(answers[0], "prev")).json() == []
    return [one for answer in answers for one in ids(answer)]


def test_posts_and_comments_are_kept_and_liked_alike(alice, bob):
    api, other, post = Api(bob), publish(alice, "other"), publish(alice, "hello")
    comment = say(post, alice, "more")
    for mark, undo, told, path in (
        ("bookmark", "unbookmark", "bookmarked", "bookmarks"),
        ("favourite", "unfavourite", "favourited", "favourites"),
    ):
        for one in (other, post, comment):
            for _ in range(2):
                assert api.post(f"statuses/{one}/{mark}").json()[told] is True
        assert both_ways(api, path) == [str(comment), str(post), str(other)]
        assert api.get(path).json()[0][told] is True
        for one in (post, comment):
            for _ in range(2):
                assert api.post(f"statuses/{one}/{undo}").json()[told] is False
        assert both_ways(api, path) == [str(other)]
        assert api.get(path, min_id="0", max_id="9" * 19).status_code == 200
    assert api.post("statuses/404/bookmark").status_code == 404
    assert Api(alice).get("bookmarks").json() == []


def test_lists_of_many_cost_as_much_as_those_of_two(alice, bob, record_commands):
    posts = [publish(alice, "hello @bob") for _ in range(10)]
    comments = [say(post, alice, "see @bob") for post in posts]
    api, costs = Api(bob), []
    for number in (1, 10):
        for one in posts[:number]:
            services.bookmark_post(post_id=one, actor=bob)
            services.like_post(post_id=one, actor=bob)
        for post, one in zip(posts[:number], comments, strict=False):
            services.bookmark_comment(post_id=post, comment_id=one, actor=bob)
            services.like_comment(post_id=post, comment_id=one, actor=bob)
        for path in ("bookmarks", "favourites"):
            api.get(path)
            forget_all()
            with record_commands() as commands:
                assert len(api.get(path).json()) == 2 * number
            costs.append([name for name, _ in commands])
    assert costs[:2] == costs[2:]


def test_only_ones_own_posts_are_pinned(alice, bob):
    api, post = Api(alice), publish(alice)
    for _ in range(2):
        assert api.post(f"statuses/{post}/pin").json()["pinned"] is True
    for _ in range(2):
        assert api.post(f"statuses/{post}/unpin").json()["pinned"] is False
    assert Api(bob).post(f"statuses/{post}/pin").status_code == 404
    assert api.post(f"statuses/{say(post, alice)}/pin").status_code == 422
    direct = publish(alice, "@bob psst", "direct")
    assert "cannot be pinned" in api.post(f"statuses/{direct}/pin").json()["error"]


def test_deleting_a_share_leaves_the_post(alice):
    api, post = Api(alice), publish(alice)
    share = api.post(f"statuses/{post}/reblog").json()["id"]
    assert api.delete(f"statuses/{share}").status_code == 200
    assert api.get(f"statuses/{share}").status_code == 404
    assert [one.pk for one in Post.objects.all()] == [post]


def test_what_the_site_cannot_do_with_a_post_is_said(alice):
    api = Api(alice)
    for sent in (
        {"poll": {"options": ["a", "b"], "expires_in": 60}},
        {"scheduled_at": "2099-01-01T00:00:00Z"},
        {"quoted_status_id": str(publish(alice))},
    ):
        assert api.post("statuses", status="x", **sent).status_code == 422
    nothing = dict.fromkeys(("media_ids", "poll", "spoiler_text", "in_reply_to_id", "scheduled_at"))
    made = api.post("statuses", status="x", language="de", sensitive=None, **nothing).json()
    assert made["language"] is None
    assert api.put(f"statuses/{made['id']}", status="").status_code == 422
    assert api.put(f"statuses/{made['id']}", spoiler_text="w").json()["content"] == "<p>x</p>"
