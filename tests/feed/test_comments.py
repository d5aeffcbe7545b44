"""Comments: add, reply, edit, delete, like, count and page in both directions."""

from functools import partial

import pytest
from django.http import Http404

from feed import signals
from feed.models import Post
from feed.selectors import comments as selectors_comments
from feed.selectors.lists import visible_post
from feed.services.comments import unlike_comment
from feed.store import comments
from feed.store.collections import comment_buckets
from tests.actions import add_comment, delete_comment, edit_comment, like_comment
from tests.at_once import at_once
from tests.factories import add_conversation, people, publish
from tests.feed.comment_helpers import held, ids, page, say

HEARD = ("published", "edited", "deleted", "liked", "unliked")


@pytest.fixture
def sent_signals():
    """What is announced, in order."""
    heard, hearers = [], []
    for name in HEARD:
        signal = getattr(signals, f"comment_{name}")

        def hear(signal, name=name, **ids):
            del ids["sender"]
            heard.append((name, ids))

        signal.connect(hear)
        hearers.append((signal, hear))
    yield heard
    for signal, hear in hearers:
        signal.disconnect(hear)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(comments, "CAPACITY", 3)
    monkeypatch.setattr(selectors_comments, "PAGE_SIZE", 4)


@pytest.fixture
def post(alice):
    return publish(alice, "what do you say?")


def test_what_is_said_is_read_with_who_said_it(alice, bob, post, sent_signals):
    comment = say(post, bob, "I do")
    assert held(post) == {0: [comment]}
    (result,) = page(post, alice).comments
    assert (result.id, result.author.username, result.text) == (comment, "bob", "I do")
    ids_sent = {"comment": comment, "post": post, "author": bob.pk, "post_author": alice.pk}
    no_parent = {"parent": 0, "parent_author": 0}
    assert sent_signals == [("published", {**ids_sent, **no_parent, "text": "I do"})]


def test_answers_stand_under_what_began_the_thread(alice, bob, carol, post):
    first = say(post, bob)
    answer = say(post, carol, parent=first)
    further = say(post, alice, parent=answer)
    assert held(post) == {0: [first], first: [answer, further]}
    (result,) = page(post, bob).comments
    assert [reply.id for reply in result.first_replies] == [answer, further]
    assert [reply.reply_to and reply.reply_to.username for reply in result.first_replies] == [
        None,
        "carol",
    ]
    assert result.first_replies[1].is_by_post_author
    assert ids(page(post, bob, thread_id=first)) == [answer, further]


def test_of_a_long_thread_the_first_answers_are_shown_and_how_many_more(bob, post):
    first = say(post, bob)
    answers = [say(post, bob, parent=first) for _ in range(5)]
    (result,) = page(post, bob).comments
    assert [reply.id for reply in result.first_replies] == answers[:3]
    assert (result.reply_count, result.remaining_replies) == (5, 2)


def test_pages_go_on_in_both_directions_and_leave_nothing_out(small, bob, post):
    results = [say(post, bob, str(n)) for n in range(11)]
    held(post)
    seen, result = [], page(post, bob)
    assert result.older_cursor is None
    while True:
        seen += ids(result)
        if result.newer_cursor is None:
            break
        result = page(post, bob, after=int(result.newer_cursor))
    assert seen == results
    seen, result = [], page(post, bob, should_start_at_end=True)
    assert result.newer_cursor is None
    while True:
        seen = ids(result) + seen
        if result.older_cursor is None:
            break
        result = page(post, bob, before=int(result.older_cursor))
    assert seen == results


@pytest.mark.parametrize("start", range(-1, 12))
def test_a_page_from_anywhere_tells_what_is_before_and_behind(small, bob, post, start):
    results = [say(post, bob, str(n)) for n in range(11)]
    result = page(post, bob, after=start)
    assert ids(result) == results[start + 1 : start + 5]
    if result.older_cursor is not None:
        end = min(start + 1, 11)
        assert (
            ids(page(post, bob, before=int(result.older_cursor))) == results[max(0, end - 4) : end]
        )
    else:
        assert start == -1
    assert (result.newer_cursor is not None) == (start + 5 < 11)


def test_pages_pass_over_what_was_deleted_in_one_step(small, alice, bob, post):
    written = add_conversation(post, comments=[(bob, str(n)) for n in range(14)])
    for comment in written[2:12]:
        delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert held(post) == {0: [*written[:2], *written[12:]]}
    result = page(post, alice)
    assert ids(result) == [*written[:2], *written[12:]]
    assert ids(page(post, alice, should_start_at_end=True)) == [*written[:2], *written[12:]]
    assert result.newer_cursor is None


def test_a_deleted_comment_that_was_answered_keeps_its_place_empty(
    alice, bob, carol, post, sent_signals
):
    first = say(post, bob, "secret words")
    answer = say(post, carol, parent=first)
    delete_comment(post_id=post, comment_id=first, actor=bob)
    (result,) = page(post, alice).comments
    assert (result.author, result.text, result.id) == (None, "", first)
    assert [reply.id for reply in result.first_replies] == [answer]
    assert "secret words" not in str(list(comment_buckets().find()))
    assert "secret words" not in str(Post.objects.get(pk=post).newest_comments)
    assert bob.pk not in [
        comment["uid"] for bucket in comment_buckets().find() for comment in bucket["comments"]
    ]
    held(post)
    for parent in (first, 404):
        with pytest.raises(Http404):
            say(post, carol, parent=parent)
    delete_comment(post_id=post, comment_id=answer, actor=carol)
    assert page(post, alice).comments == ()
    assert sent_signals[-1] == ("deleted", {"comment": answer, "post": post, "author": carol.pk})


def test_deleting_twice_is_deleting_once(bob, post, sent_signals):
    comment = say(post, bob)
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    with pytest.raises(Http404):
        delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert held(post) == {0: []}
    assert [name for name, _ in sent_signals] == ["published", "deleted"]


def test_who_may_delete_a_comment(alice, bob, carol, admin_user, post):
    """Who wrote it, the author of the post, and moderators."""
    for actor in (bob, alice, admin_user):
        comment = say(post, bob)
        with pytest.raises(Http404):
            delete_comment(post_id=post, comment_id=comment, actor=carol)
        delete_comment(post_id=post, comment_id=comment, actor=actor)
    assert held(post) == {0: []}


def test_one_changes_ones_own_words_and_nobody_elses(alice, bob, post, sent_signals):
    comment = say(post, bob, "teh words")
    with pytest.raises(Http404):
        edit_comment(post_id=post, comment_id=comment, actor=alice, text="mine now")
    edit_comment(post_id=post, comment_id=comment, actor=bob, text="the words")
    edit_comment(post_id=post, comment_id=comment, actor=bob, text="the words")
    (result,) = page(post, alice).comments
    assert result.text == "the words"
    assert result.edited_at is not None
    held(post)
    assert [name for name, _ in sent_signals] == ["published", "edited"]


def test_the_newest_three_are_kept_in_the_post_whatever_becomes_of_them(bob, post):
    results = [say(post, bob, f"word {n}") for n in range(6)]
    held(post)
    edit_comment(post_id=post, comment_id=results[4], actor=bob, text="better word")
    delete_comment(post_id=post, comment_id=results[5], actor=bob)
    delete_comment(post_id=post, comment_id=results[1], actor=bob)
    held(post)
    view = visible_post(post_id=post, viewer=bob.pk)
    assert [comment.text for comment in view.newest_comments] == ["word 2", "word 3", "better word"]
    for row in results[2:5]:
        delete_comment(post_id=post, comment_id=row, actor=bob)
    assert held(post) == {0: results[:1]}


def test_comments_are_liked_once_and_taken_back(alice, bob, carol, post, sent_signals):
    comment = say(post, bob)
    like = partial(like_comment, post_id=post, comment_id=comment)
    assert [like(actor=alice), like(actor=alice), like(actor=carol)] == [True, False, True]
    (result,) = page(post, alice).comments
    assert (result.likes, result.is_liked) == (2, True)
    assert page(post, bob).comments[0].is_liked is False
    assert Post.objects.get(pk=post).likes == 0
    unlike = partial(unlike_comment, post_id=post, comment_id=comment, actor=alice)
    assert [unlike(), unlike()] == [True, False]
    assert page(post, alice).comments[0].likes == 1
    assert [name for name, _ in sent_signals[1:]] == ["liked", "liked", "unliked"]


@pytest.mark.parametrize("number", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_several_people_at_once_leave_every_number_right(small, alice, post, number):
    fans = people(number, "fan")
    first = say(post, alice)

    def talk(fan, number):
        mine = say(post, fan, "one")
        answer = say(post, fan, "two", parent=first)
        like_comment(post_id=post, comment_id=first, actor=fan)
        edit_comment(post_id=post, comment_id=mine, actor=fan, text="three")
        if number % 2:
            delete_comment(post_id=post, comment_id=mine, actor=fan)
            delete_comment(post_id=post, comment_id=answer, actor=fan)
            unlike_comment(post_id=post, comment_id=first, actor=fan)

    at_once(*(partial(talk, fan, n) for n, fan in enumerate(fans)))
    seen = held(post)
    assert (len(seen[0]), len(seen[first])) == (number // 2 + 1, number // 2)
    assert comments.get_comment(post=post, id=first).likes == number // 2


def test_a_double_click_says_it_once(bob, post, sent_signals):
    say_it = partial(add_comment, post_id=post, actor=bob, text="once", idempotency_key="k")
    at_once(*[say_it] * 5)
    assert say_it() == held(post)[0][0]
    assert len(held(post)[0]) == len(sent_signals) == 1
    add_comment(post_id=post, actor=bob, text="twice", idempotency_key="other")
    assert len(held(post)[0]) == 2


def test_what_was_deleted_can_be_said_again_by_the_same_form(bob, post):
    say_it = partial(add_comment, post_id=post, actor=bob, text="once", idempotency_key="k")
    delete_comment(post_id=post, comment_id=say_it(), actor=bob)
    again = say_it()
    assert held(post) == {0: [again]}


def test_rewording_writes_to_the_post_also_where_it_does_not_show_the_comment(
    alice, post, record_commands
):
    """Otherwise a deletion at the same moment could bring the old words back."""
    comments_made = [say(post, alice, str(number)) for number in range(5)]
    with record_commands() as commands:
        edit_comment(post_id=post, comment_id=comments_made[0], actor=alice, text="new")
    written = [command for name, command in commands if name == "findAndModify"]
    assert [command["findAndModify"] for command in written] == ["feed_post"]
    assert "new" not in [comment["text"] for comment in Post.objects.get(pk=post).newest_comments]
