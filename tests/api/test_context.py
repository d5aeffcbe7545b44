"""Details of a post or comment: thread, versions, likes and shares."""

import pytest

from accounts.infra.ids import new_id
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.user_cards import clear_cards
from feed.store import bulk
from feed.store.comment_rows import NewComment
from tests.actions import delete_comment, edit_post, like_post, share_post
from tests.api.api_client import Api, link
from tests.factories import people, publish
from tests.feed.comment_helpers import say


@pytest.fixture
def talk(alice, bob, carol):
    """Create a thread. Return the ids of the post, the first comment, a reply to the first comment, a
    reply to that reply, and the second comment.
    """
    post = publish(alice, "What do you think?")
    first = say(post, bob, "first")
    second = say(post, carol, "second")
    reply = say(post, carol, "answer", parent=first)
    nested_reply = say(post, alice, "deeper", parent=reply)
    say(post, bob, "beside", parent=first)
    return post, first, reply, nested_reply, second


def texts(statuses):
    return [status["content"].removeprefix("<p>").removesuffix("</p>") for status in statuses]


def context(viewer, status):
    thread = Api(viewer).get(f"statuses/{status}/context").json()
    return texts(thread["ancestors"]), texts(thread["descendants"])


def test_descendants_of_a_post_are_its_comments_each_followed_by_its_replies(alice, talk):
    assert context(alice, talk[0]) == ([], ["first", "answer", "deeper", "beside", "second"])


def test_a_comment_has_its_parents_as_ancestors_and_its_replies_as_descendants(alice, talk):
    _post, first, reply, nested_reply, second = talk
    assert context(None, nested_reply) == (["What do you think?", "first", "answer"], [])
    assert context(None, reply) == (["What do you think?", "first"], ["deeper"])
    assert context(None, first) == (["What do you think?"], ["answer", "deeper", "beside"])
    assert context(None, second) == (["What do you think?"], [])


def test_context_leaves_out_blocked_users_and_deleted_comments(alice, bob, carol, talk):
    post, first, _answer, _deeper, _second = talk
    block_user(owner=alice.pk, other=carol.pk)
    assert context(alice, post) == ([], ["first", "deeper", "beside"])
    delete_comment(post_id=post, comment_id=first, actor=bob)
    assert context(bob, post)[1] == ["answer", "deeper", "beside", "second"]
    assert Api(carol).get(f"statuses/{post}/context").status_code == 404


def test_context_costs_the_same_for_any_length(alice, bob, carol, record_commands):
    costs = []
    for number in (2, 22):
        post = publish(alice)
        comments: list[tuple[int, NewComment]] = []
        for _ in range(number):
            first = new_id()
            reply = NewComment(post, carol.pk, "@bob that", thread_id=first, parent_id=first)
            comments += [(first, NewComment(post, bob.pk, "@carol what?")), (new_id(), reply)]
        bulk.replace_discussions(discussions={post: bulk.Discussion(likers=[], comments=comments)})
        api = Api(alice)
        api.get(f"statuses/{post}/context")
        clear_cards()
        with record_commands() as commands:
            thread = api.get(f"statuses/{post}/context").json()
        costs.append([name for name, _ in commands])
    assert len(thread["descendants"]) == 44
    assert costs[0] == costs[1]


def test_anonymous_viewers_get_the_first_comments_only(alice, bob, monkeypatch, talk):
    monkeypatch.setattr("socialsite.api.status_details.MAX_ANONYMOUS_COMMENTS", 2)
    assert context(None, talk[0]) == ([], ["first", "second"])
    assert context(None, talk[3]) == (["What do you think?", "first", "answer"], [])
    assert context(None, talk[1]) == (["What do you think?"], ["answer", "deeper"])


def test_history_lists_versions_oldest_first(alice, bob):
    post = publish(alice, "one")
    edit_post(post_id=post, actor=alice, text="two", content_warning="Careful")
    edit_post(post_id=post, actor=alice, text="three")
    versions = Api(bob).get(f"statuses/{post}/history").json()
    assert texts(versions) == ["one", "two", "three"]
    assert [version["spoiler_text"] for version in versions] == ["", "Careful", "Careful"]
    assert [version["created_at"] for version in versions] == sorted(
        version["created_at"] for version in versions
    )
    source = Api(bob).get(f"statuses/{post}/source").json()
    assert source == {"id": str(post), "text": "three", "spoiler_text": "Careful"}
    comment = say(post, bob, "me")
    assert texts(Api().get(f"statuses/{comment}/history").json()) == ["me"]
    assert Api(alice).get(f"statuses/{comment}/source").json()["text"] == "me"


LIKERS_AND_SHARERS = pytest.mark.parametrize(
    ("name", "service"),
    [("favourited_by", like_post), ("reblogged_by", share_post)],
    ids=["likes", "shares"],
)


@LIKERS_AND_SHARERS
def test_likes_and_shares_are_paged_both_ways(alice, bob, name, service):
    post, users = publish(alice), people(7)
    for actor in users:
        service(post_id=post, actor=actor)
    seen, responses = [], [Api(bob).get(f"statuses/{post}/{name}", limit=3)]
    while path := link(responses[-1], "next"):
        responses.append(Api(bob).get(path))
    for reply in responses:
        seen += [account["username"] for account in reply.json()]
    assert seen == [actor.username for actor in reversed(users)]
    assert Api(bob).get(link(responses[-1], "prev")).json() == responses[-2].json()
    assert Api(bob).get(link(responses[0], "prev")).json() == []


def test_muted_and_blocked_users_are_in_neither_list(alice, bob, carol):
    post, other = publish(alice), people(1)[0]
    for user in (bob, carol, other):
        like_post(post_id=post, actor=user)
        share_post(post_id=post, actor=user)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    block_user(owner=carol.pk, other=alice.pk)
    for name in ("favourited_by", "reblogged_by"):
        accounts = Api(alice).get(f"statuses/{post}/{name}").json()
        assert [account["username"] for account in accounts] == [other.username]


@LIKERS_AND_SHARERS
def test_seven_likes_cost_as_many_commands_as_two(alice, record_commands, name, service):
    post, users, costs = publish(alice), people(7), []
    for actors in (users[:2], users):
        for actor in actors:
            service(post_id=post, actor=actor)
        api = Api(alice)
        api.get(f"statuses/{post}/{name}")
        with record_commands() as commands:
            assert len(api.get(f"statuses/{post}/{name}").json()) == len(actors)
        costs.append([command for command, _ in commands])
    assert costs[0] == costs[1]


def test_comments_name_the_status_and_user_they_reply_to(alice, bob, carol, talk):
    post, first, reply, nested_reply, _second = talk
    expected = {first: (post, alice), reply: (first, bob), nested_reply: (reply, carol)}
    for comment, (to, author) in expected.items():
        comment_status = Api().get(f"statuses/{comment}").json()
        reply_to = comment_status["in_reply_to_id"], comment_status["in_reply_to_account_id"]
        assert reply_to == (str(to), str(author.pk))


def test_posts_shares_and_comments_are_returned_by_their_ids(alice, bob, record_commands):
    posts = [publish(alice, str(number)) for number in range(3)]
    comments = [say(post, bob, f"to {post}") for post in posts]
    share = share_post(post_id=posts[0], actor=bob)
    secret = publish(alice, "mine", "followers")
    wanted = [comments[2], posts[1], share, comments[0]]
    api = Api(bob)
    statuses = api.get("/api/v1/statuses", **{"id[]": [*wanted, secret, 404]}).json()
    assert [status["id"] for status in statuses] == [str(status_id) for status_id in wanted]
    assert statuses[2]["reblog"]["id"] == str(posts[0])
    costs = []
    for actors in ([posts[0], comments[0]], [*posts, *comments]):
        with record_commands() as commands:
            api.get("/api/v1/statuses", **{"id[]": actors})
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_unsupported_details_return_empty_values(alice):
    post = publish(alice, "hello")
    api = Api(alice)
    assert api.get(f"statuses/{post}/card").json() == {}
    assert api.get(f"statuses/{post}/quotes").json() == []
    assert api.post(f"statuses/{post}/translate").status_code == 404
    for name in ("card", "quotes", "context", "history", "favourited_by", "reblogged_by"):
        assert api.get(f"statuses/404/{name}").status_code == 404
