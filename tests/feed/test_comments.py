"""Comments: add, reply, edit, delete, like, count and page in both directions."""

from functools import partial

import pytest
from django.http import Http404

from feed import signals
from feed.models import Post
from feed.selectors import comments as selectors_comments
from feed.selectors.visible_posts import visible_post
from feed.services.comments import unlike_comment
from feed.store import comment_rows, comments
from feed.store.collections import comment_buckets
from tests.actions import add_comment, delete_comment, edit_comment, like_comment
from tests.at_once import at_once
from tests.factories import add_conversation, people, publish
from tests.feed.comment_helpers import ids, page, say, stored_comments

SIGNAL_NAMES = ("published", "edited", "deleted", "liked", "unliked")


@pytest.fixture
def sent_signals():
    """Collect the signals of comments in the order they are sent."""
    received, receivers = [], []
    for name in SIGNAL_NAMES:
        signal = getattr(signals, f"comment_{name}")

        def record(signal, name=name, **ids):
            del ids["sender"]
            received.append((name, ids))

        signal.connect(record)
        receivers.append((signal, record))
    yield received
    for signal, record in receivers:
        signal.disconnect(record)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(comment_rows, "CAPACITY", 3)
    monkeypatch.setattr(selectors_comments, "PAGE_SIZE", 4)


@pytest.fixture
def post(alice):
    return publish(alice, "what do you say?")


def test_a_comment_is_shown_with_its_author(alice, bob, post, sent_signals):
    comment = say(post, bob, "I do")
    assert stored_comments(post) == {0: [comment]}
    (result,) = page(post, alice).comments
    assert (result.id, result.author.username, result.text) == (comment, "bob", "I do")
    ids_sent = {"comment": comment, "post": post, "author": bob.pk, "post_author": alice.pk}
    no_parent = {"parent": 0, "parent_author": 0, "is_direct": False}
    everyone = {"visibility": "", "recipients": []}
    assert sent_signals == [("published", {**ids_sent, **no_parent, **everyone, "text": "I do"})]


def test_replies_are_shown_below_their_thread(alice, bob, carol, post):
    first = say(post, bob)
    answer = say(post, carol, parent=first)
    further = say(post, alice, parent=answer)
    assert stored_comments(post) == {0: [first], first: [answer, further]}
    (result,) = page(post, bob).comments
    assert [reply.id for reply in result.first_replies] == [answer, further]
    assert [reply.reply_to and reply.reply_to.username for reply in result.first_replies] == [
        None,
        "carol",
    ]
    assert result.first_replies[1].is_by_post_author
    assert ids(page(post, bob, thread_id=first)) == [answer, further]


def test_a_long_thread_shows_its_first_replies_and_the_number_of_others(bob, post):
    first = say(post, bob)
    answers = [say(post, bob, parent=first) for _ in range(5)]
    (result,) = page(post, bob).comments
    assert [reply.id for reply in result.first_replies] == answers[:3]
    assert (result.reply_count, result.remaining_replies) == (5, 2)


def test_pages_continue_in_both_directions_without_gaps(small, bob, post):
    comment_ids = [say(post, bob, str(n)) for n in range(11)]
    stored_comments(post)
    seen, result = [], page(post, bob)
    assert result.older_cursor is None
    while True:
        seen += ids(result)
        if result.newer_cursor is None:
            break
        result = page(post, bob, after=int(result.newer_cursor))
    assert seen == comment_ids
    seen, result = [], page(post, bob, is_at_end=True)
    assert result.newer_cursor is None
    while True:
        seen = ids(result) + seen
        if result.older_cursor is None:
            break
        result = page(post, bob, before=int(result.older_cursor))
    assert seen == comment_ids


def test_a_page_from_any_comment_has_both_cursors(small, bob, post):
    comment_ids = [say(post, bob, str(n)) for n in range(11)]
    for start, comment in enumerate(comment_ids):
        result = page(post, bob, after=comment)
        assert ids(result) == comment_ids[start + 1 : start + 5], start
        earlier = page(post, bob, before=int(result.older_cursor))
        end = start + 1 if ids(result) else start
        assert ids(earlier) == comment_ids[max(0, end - 4) : end], start
        assert (result.newer_cursor is not None) == (start + 5 < 11), start


def test_pages_skip_deleted_comments_in_one_step(small, alice, bob, post):
    comment_ids = add_conversation(post, comments=[(bob, str(n)) for n in range(14)])
    for comment in comment_ids[2:12]:
        delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert stored_comments(post) == {0: [*comment_ids[:2], *comment_ids[12:]]}
    result = page(post, alice)
    assert ids(result) == [*comment_ids[:2], *comment_ids[12:]]
    assert ids(page(post, alice, is_at_end=True)) == [*comment_ids[:2], *comment_ids[12:]]
    assert result.newer_cursor is None


def test_a_deleted_comment_with_replies_stays_as_a_placeholder(
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
    stored_comments(post)
    for parent in (first, 404):
        with pytest.raises(Http404):
            say(post, carol, parent=parent)
    delete_comment(post_id=post, comment_id=answer, actor=carol)
    assert page(post, alice).comments == ()
    assert sent_signals[-1] == ("deleted", {"comment": answer, "post": post, "author": carol.pk})


def test_a_comment_can_be_deleted_once(bob, post, sent_signals):
    comment = say(post, bob)
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    with pytest.raises(Http404):
        delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert stored_comments(post) == {0: []}
    assert [name for name, _ in sent_signals] == ["published", "deleted"]


def test_authors_and_moderators_may_delete_a_comment(alice, bob, carol, admin_user, post):
    """The comment's author, the post's author and moderators may delete a comment."""
    for actor in (bob, alice, admin_user):
        comment = say(post, bob)
        with pytest.raises(Http404):
            delete_comment(post_id=post, comment_id=comment, actor=carol)
        delete_comment(post_id=post, comment_id=comment, actor=actor)
    assert stored_comments(post) == {0: []}


def test_only_the_author_can_edit_a_comment(alice, bob, post, sent_signals):
    comment = say(post, bob, "teh words")
    with pytest.raises(Http404):
        edit_comment(post_id=post, comment_id=comment, actor=alice, text="mine now")
    edit_comment(post_id=post, comment_id=comment, actor=bob, text="the words")
    edit_comment(post_id=post, comment_id=comment, actor=bob, text="the words")
    (result,) = page(post, alice).comments
    assert result.text == "the words"
    assert result.edited_at is not None
    stored_comments(post)
    assert [name for name, _ in sent_signals] == ["published", "edited"]


def test_the_post_keeps_its_newest_comments_after_edits_and_deletions(bob, post):
    comment_ids = [say(post, bob, f"word {n}") for n in range(6)]
    stored_comments(post)
    edit_comment(post_id=post, comment_id=comment_ids[4], actor=bob, text="better word")
    delete_comment(post_id=post, comment_id=comment_ids[5], actor=bob)
    delete_comment(post_id=post, comment_id=comment_ids[1], actor=bob)
    stored_comments(post)
    view = visible_post(post_id=post, viewer=bob.pk)
    assert [comment.text for comment in view.newest_comments] == ["word 2", "word 3", "better word"]
    for comment in comment_ids[2:5]:
        delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert stored_comments(post) == {0: comment_ids[:1]}


def test_comments_are_liked_once_and_unliked_once(alice, bob, carol, post, sent_signals):
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
def test_concurrent_comments_and_likes_keep_counters_correct(small, alice, post, number):
    fans = people(number, "fan")
    first = say(post, alice)

    def interact(fan, number):
        comment = say(post, fan, "one")
        reply = say(post, fan, "two", parent=first)
        like_comment(post_id=post, comment_id=first, actor=fan)
        edit_comment(post_id=post, comment_id=comment, actor=fan, text="three")
        if number % 2:
            delete_comment(post_id=post, comment_id=comment, actor=fan)
            delete_comment(post_id=post, comment_id=reply, actor=fan)
            unlike_comment(post_id=post, comment_id=first, actor=fan)

    at_once(*(partial(interact, fan, n) for n, fan in enumerate(fans)))
    seen = stored_comments(post)
    assert (len(seen[0]), len(seen[first])) == (number // 2 + 1, number // 2)
    assert comments.get_comment(post=post, id=first).likes == number // 2


def test_submitting_a_form_twice_adds_one_comment(bob, post, sent_signals):
    add_once = partial(add_comment, post_id=post, actor=bob, text="once", idempotency_key="k")
    at_once(*[add_once] * 5)
    assert add_once() == stored_comments(post)[0][0]
    assert len(stored_comments(post)[0]) == len(sent_signals) == 1
    add_comment(post_id=post, actor=bob, text="twice", idempotency_key="other")
    assert len(stored_comments(post)[0]) == 2


def test_a_deleted_comment_can_be_submitted_again_by_the_same_form(bob, post):
    add_once = partial(add_comment, post_id=post, actor=bob, text="once", idempotency_key="k")
    delete_comment(post_id=post, comment_id=add_once(), actor=bob)
    again = add_once()
    assert stored_comments(post) == {0: [again]}


def test_editing_a_comment_always_writes_to_the_post(alice, post, record_commands):
    """Without a write to the post, a concurrent deletion of a comment could restore the old text."""
    comment_ids = [say(post, alice, str(number)) for number in range(5)]
    with record_commands() as commands:
        edit_comment(post_id=post, comment_id=comment_ids[0], actor=alice, text="new")
    written = [command for name, command in commands if name == "findAndModify"]
    assert [command["findAndModify"] for command in written] == ["feed_post"]
    assert "new" not in [comment["text"] for comment in Post.objects.get(pk=post).newest_comments]
