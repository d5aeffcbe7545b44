"""What there is around a post or comment."""

import pytest

from accounts.infra.ids import new_id
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.user_cards import clear_cards
from feed.services.comments import delete_comment
from feed.services.likes import like_post
from feed.services.posts import edit_post
from feed.services.shares import share_post
from feed.store import bulk
from feed.store.comments import NewComment
from tests.api.calling import Api, link
from tests.factories import people, publish
from tests.feed.talking import say


@pytest.fixture
def talk(alice, bob, carol):
    """(post, the first comment, an answer, an answer to that, the second comment)"""
    post = publish(alice, "What do you think?")
    first = say(post, bob, "first")
    second = say(post, carol, "second")
    answer = say(post, carol, "answer", parent=first)
    deeper = say(post, alice, "deeper", parent=answer)
    say(post, bob, "beside", parent=first)
    return post, first, answer, deeper, second


def texts(statuses):
    return [one["content"].removeprefix("<p>").removesuffix("</p>") for one in statuses]


def context(viewer, status):
    found = Api(viewer).get(f"statuses/{status}/context").json()
    return texts(found["ancestors"]), texts(found["descendants"])


def test_a_post_has_all_its_comments_below_each_followed_by_its_answers(alice, talk):
    assert context(alice, talk[0]) == ([], ["first", "answer", "deeper", "beside", "second"])


def test_a_comment_has_what_it_answers_above_and_its_answers_below(alice, talk):
    _post, first, answer, deeper, second = talk
    assert context(None, deeper) == (["What do you think?", "first", "answer"], [])
    assert context(None, answer) == (["What do you think?", "first"], ["deeper"])
    assert context(None, first) == (["What do you think?"], ["answer", "deeper", "beside"])
    assert context(None, second) == (["What do you think?"], [])


def test_a_conversation_leaves_out_who_is_apart_and_what_is_gone(alice, bob, carol, talk):
    post, first, _answer, _deeper, _second = talk
    block_user(owner=alice.pk, other=carol.pk)
    assert context(alice, post) == ([], ["first", "deeper", "beside"])
    delete_comment(post_id=post, comment_id=first, actor=bob)
    assert context(bob, post)[1] == ["answer", "deeper", "beside", "second"]
    assert Api(carol).get(f"statuses/{post}/context").status_code == 404


def test_a_conversation_costs_the_same_however_long(alice, bob, carol, record_commands):
    costs = []
    for number in (2, 22):
        post = publish(alice)
        comments: list[tuple[int, NewComment]] = []
        for _ in range(number):
            first = new_id()
            answer = NewComment(post, carol.pk, "@bob that", thread_id=first, parent_id=first)
            comments += [(first, NewComment(post, bob.pk, "@carol what?")), (new_id(), answer)]
        bulk.replace_discussions(talks={post: bulk.Discussion(likers=[], comments=comments)})
        api = Api(alice)
        api.get(f"statuses/{post}/context")
        clear_cards()
        with record_commands() as commands:
            found = api.get(f"statuses/{post}/context").json()
        costs.append([name for name, _ in commands])
    assert len(found["descendants"]) == 44
    assert costs[0] == costs[1]


def test_visitors_get_the_first_of_a_long_conversation(alice, bob, monkeypatch, talk):
    monkeypatch.setattr("feed.api.status_details.MAX_ANONYMOUS_COMMENTS", 2)
    assert context(None, talk[0]) == ([], ["first", "second"])
    assert context(None, talk[3]) == (["What do you think?", "first", "answer"], [])
    assert context(None, talk[1]) == (["What do you think?"], ["answer", "deeper"])


def test_what_a_post_said_is_told_from_the_first_words_on(alice, bob):
    post = publish(alice, "one")
    edit_post(post_id=post, actor=alice, text="two", content_warning="Careful")
    edit_post(post_id=post, actor=alice, text="three")
    found = Api(bob).get(f"statuses/{post}/history").json()
    assert texts(found) == ["one", "two", "three"]
    assert [one["spoiler_text"] for one in found] == ["", "Careful", "Careful"]
    assert [one["created_at"] for one in found] == sorted(one["created_at"] for one in found)
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
def test_who_likes_and_shares_is_told_page_by_page_both_ways(alice, bob, name, service):
    post, crowd = publish(alice), people(7)
    for actor in crowd:
        service(post_id=post, actor=actor)
    seen, answers = [], [Api(bob).get(f"statuses/{post}/{name}", limit=3)]
    while path := link(answers[-1], "next"):
        answers.append(Api(bob).get(path))
    for answer in answers:
        seen += [one["username"] for one in answer.json()]
    assert seen == [actor.username for actor in reversed(crowd)]
    assert Api(bob).get(link(answers[-1], "prev")).json() == answers[-2].json()
    assert Api(bob).get(link(answers[0], "prev")).json() == []


def test_whoever_is_muted_or_apart_is_in_neither_list(alice, bob, carol):
    post, other = publish(alice), people(1)[0]
    for one in (bob, carol, other):
        like_post(post_id=post, actor=one)
        share_post(post_id=post, actor=one)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    block_user(owner=carol.pk, other=alice.pk)
    for name in ("favourited_by", "reblogged_by"):
        found = Api(alice).get(f"statuses/{post}/{name}").json()
        assert [one["username"] for one in found] == [other.username]


@LIKERS_AND_SHARERS
def test_seven_who_like_it_cost_as_much_as_two(alice, record_commands, name, service):
    post, crowd, costs = publish(alice), people(7), []
    for some in (crowd[:2], crowd):
        for actor in some:
            service(post_id=post, actor=actor)
        api = Api(alice)
        api.get(f"statuses/{post}/{name}")
        with record_commands() as commands:
            assert len(api.get(f"statuses/{post}/{name}").json()) == len(some)
        costs.append([command for command, _ in commands])
    assert costs[0] == costs[1]


def test_whom_a_comment_answers_is_told(alice, bob, carol, talk):
    post, first, answer, deeper, _second = talk
    expected = {first: (post, alice), answer: (first, bob), deeper: (answer, carol)}
    for comment, (to, author) in expected.items():
        found = Api().get(f"statuses/{comment}").json()
        told = found["in_reply_to_id"], found["in_reply_to_account_id"]
        assert told == (str(to), str(author.pk))


def test_several_are_told_at_once_posts_shares_and_comments(alice, bob, record_commands):
    posts = [publish(alice, str(number)) for number in range(3)]
    comments = [say(post, bob, f"to {post}") for post in posts]
    share = share_post(post_id=posts[0], actor=bob)
    secret = publish(alice, "mine", "followers")
    wanted = [comments[2], posts[1], share, comments[0]]
    api = Api(bob)
    found = api.get("/api/v1/statuses", **{"id[]": [*wanted, secret, 404]}).json()
    assert [one["id"] for one in found] == [str(one) for one in wanted]
    assert found[2]["reblog"]["id"] == str(posts[0])
    costs = []
    for some in ([posts[0], comments[0]], [*posts, *comments]):
        with record_commands() as commands:
            api.get("/api/v1/statuses", **{"id[]": some})
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_what_there_is_not_answers_as_an_empty_site_would(alice):
    post = publish(alice, "hello")
    api = Api(alice)
    assert api.get(f"statuses/{post}/card").json() == {}
    assert api.get(f"statuses/{post}/quotes").json() == []
    assert api.post(f"statuses/{post}/translate").status_code == 404
    for name in ("card", "quotes", "context", "history", "favourited_by", "reblogged_by"):
        assert api.get(f"statuses/404/{name}").status_code == 404
