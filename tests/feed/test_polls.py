"""Polls: the composer, votes, results, the end, moderation, erasure and the cost of a page."""

import pytest
from django.http import Http404
from django.test import Client
from django.utils import timezone

from accounts import user_cards
from accounts.services.blocks_and_mutes import block_user
from accounts.services.erasure import erase_user
from feed import tasks
from feed.activities import AnswersClosed, CannotAnswer, HasAnswered
from feed.kinds.polls import PollView
from feed.models import Post
from feed.selectors.visible_posts import visible_post
from feed.services.answers import answer
from feed.services.filters import add_phrase_filter
from feed.services.posts import delete_post
from feed.store import answers, likes
from feed.store.collections import answer_buckets, posts
from notifications.store import boxes
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import post_subject
from tests.actions import share_post, vote
from tests.api.api_client import Api
from tests.at_once import at_once
from tests.factories import UserFactory, follow, people, publish
from tests.feed.poll_helpers import end, let_end, publish_poll, stored_poll
from tests.feed.reading_html import words
from tests.feed.workers import work

HTMX = {"HX-Request": "true"}


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def form(**changed):
    return {
        "kind": "poll",
        "text": "Tea or coffee?",
        "choice_1": "Tea",
        "choice_2": "Coffee",
        "duration": "3600",
        **changed,
    }


def notified(user):
    return [(row.kind, row.actor, row.post_id) for row in boxes.get(recipient=user.pk).recent]


def announce(asked):
    """Run the periodic job and the tasks that it enqueues."""
    asked.clear()
    tasks.end_polls()
    work(asked)


# --- The composer ------------------------------------------------------------------------------
def test_the_composer_publishes_a_poll_without_javascript(as_alice):
    page = as_alice.get("/posts/?kind=poll").content.decode()
    assert page.index('name="text"') < page.index('name="choice_1"')
    assert page.count('name="choice_') == 4
    assert as_alice.post("/posts/", form(choice_4="Water", hides_totals="on")).status_code == 302
    post = Post.objects.get()
    assert (post.kind, post.text) == ("poll", "Tea or coffee?")
    assert post.details["choices"] == ["Tea", "Coffee", "Water"]
    assert (post.details["is_multiple"], post.details["hides_totals"]) == (False, True)
    assert 3590 < post.details["ends_at"] - post.created_at.timestamp() < 3610


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"text": ""}, "text"),
        ({"choice_2": ""}, "choice_2"),
        ({"choice_2": "Tea"}, "choice_2"),
        ({"choice_3": "W" * 51}, "choice_3"),
        ({"duration": "301"}, "duration"),
        ({"duration": "x"}, "duration"),
    ],
)
def test_a_poll_that_cannot_be_published_keeps_what_was_typed(as_alice, changed, field):
    response = as_alice.post("/posts/", form(choice_4="Water", **changed))
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {field}
    assert 'value="Water"' in response.content.decode()
    assert not Post.objects.exists()


def test_a_deleted_poll_can_be_written_again(as_alice, alice):
    poll = publish_poll(alice, "Tea", "Coffee", is_multiple=True)
    as_alice.post(f"/posts/{poll}/delete/", {"redraft": "1"})
    page = as_alice.get("/posts/?kind=poll").content.decode()
    assert 'value="Coffee"' in page
    assert 'name="is_multiple" id="id_is_multiple" checked' in page


def test_the_question_is_edited_and_cannot_be_empty(as_alice, alice, bob):
    poll = publish_poll(alice)
    vote(poll, bob, 1)
    assert as_alice.post(f"/posts/{poll}/edit/", {"text": ""}).status_code == 422
    assert as_alice.post(f"/posts/{poll}/edit/", {"text": "Now?"}).status_code == 302
    assert stored_poll(poll) == ([0, 1], 1)


def test_choices_are_edited_on_the_page_and_reset_the_votes(as_alice, alice, bob):
    poll = publish_poll(alice, "Tea", "Coffee", is_multiple=True)
    vote(poll, bob, 1)
    before = Post.objects.get(pk=poll)
    url = f"/posts/{poll}/edit/"
    page = as_alice.get(url).content.decode()
    assert "deletes all votes" in page
    assert 'value="Coffee"' in page
    # A duration is rounded up: "1 day" within the first second, "24 hours" after it.
    assert "Unchanged: 24 hours left" in page or "Unchanged: 1 day left" in page
    # The form as it is changes nothing.
    fields = {"text": "Tea or coffee?", "choice_1": "Tea", "choice_2": "Coffee", "is_multiple": "1"}
    assert as_alice.post(url, fields).status_code == 302
    assert stored_poll(poll) == ([0, 1], 1)
    assert Post.objects.get(pk=poll).edited_at is None
    # Other settings keep the votes.
    as_alice.post(url, {**fields, "duration": "300", "hides_totals": "1"})
    changed = Post.objects.get(pk=poll)
    assert changed.details["hides_totals"]
    assert changed.details["ends_at"] < before.details["ends_at"]
    assert stored_poll(poll) == ([0, 1], 1)
    response = as_alice.post(url, {**fields, "choice_2": "Cocoa", "choice_3": "Water"})
    assert response.status_code == 302
    assert stored_poll(poll) == ([0, 0, 0], 0)
    assert Post.objects.get(pk=poll).details["ends_at"] == changed.details["ends_at"]
    history = as_alice.get(f"/@alice/{poll}/history/").content.decode()
    assert history.index("Cocoa") < history.index("Coffee</bdi>")
    versions = Api(alice).get(f"statuses/{poll}/history").json()
    assert [[option["title"] for option in row["poll"]["options"]] for row in versions] == [
        ["Tea", "Coffee"],
        ["Tea", "Cocoa", "Water"],
    ]


@pytest.mark.parametrize(
    "change",
    [{"choice_2": ""}, {"choice_2": "Tea"}, {"choice_1": "x" * 51}, {"duration": "7"}],
)
def test_an_invalid_edit_of_a_poll_is_refused(as_alice, alice, bob, change):
    poll = publish_poll(alice)
    vote(poll, bob, 1)
    fields = {"text": "New", "choice_1": "Tea", "choice_2": "Coffee", **change}
    response = as_alice.post(f"/posts/{poll}/edit/", fields)
    assert response.status_code == 422
    assert 'name="choice_1"' in response.content.decode()
    assert stored_poll(poll) == ([0, 1], 1)
    assert Post.objects.get(pk=poll).text == "Tea or coffee?"


def test_an_ended_poll_keeps_its_result_or_begins_again(as_alice, alice, bob):
    poll = publish_poll(alice)
    vote(poll, bob, 1)
    end(poll)
    url = f"/posts/{poll}/edit/"
    assert "Unchanged" not in as_alice.get(url).content.decode()
    fields = {"text": "Still?", "choice_1": "Tea", "choice_2": "Coffee", "duration": "3600"}
    as_alice.post(url, fields)
    assert stored_poll(poll) == ([0, 1], 1)
    assert visible_post(post_id=poll, viewer=alice.pk).answer_card.is_over
    as_alice.post(url, {**fields, "choice_1": "Water"})
    assert stored_poll(poll) == ([0, 0], 0)
    assert not visible_post(post_id=poll, viewer=alice.pk).answer_card.is_over


def test_other_posts_have_no_poll_to_edit(as_alice, alice):
    post = publish(alice)
    assert "choice_1" not in as_alice.get(f"/posts/{post}/edit/").content.decode()
    as_alice.post(f"/posts/{post}/edit/", {"text": "Hi", "choice_1": "a", "choice_2": "b"})
    assert Post.objects.get(pk=post).kind == "note"


# --- Votes -------------------------------------------------------------------------------------
def test_a_vote_is_counted_and_shown_to_the_voter_only(as_alice, alice, bob, carol):
    follow(alice, bob)
    poll = publish_poll(bob)
    before = as_alice.get("/").content.decode()
    assert before.count(f'name="choice-{poll}"') == 2
    response = as_alice.post(f"/posts/{poll}/answer/", {f"choice-{poll}": "1", "next": "/"})
    assert response["Location"] == f"/#post-{poll}"
    assert stored_poll(poll) == ([0, 1], 1)
    after = as_alice.get("/").content.decode()
    assert f'name="choice-{poll}"' not in after
    assert "Tea 0% Coffee Your vote 100% 1 person voted" in words(after)
    other = Client()
    other.force_login(carol)
    seen = other.get(f"/@bob/{poll}/").content.decode()
    assert "Your vote" not in seen
    assert f'name="choice-{poll}"' in seen


def test_htmx_gets_the_results_or_a_message(as_alice, bob):
    poll = publish_poll(bob)
    url = f"/posts/{poll}/answer/"
    response = as_alice.post(url, headers=HTMX)
    assert response.status_code == 204
    assert "Choose an answer" in response["HX-Trigger"]
    response = as_alice.post(url, {f"choice-{poll}": "0"}, headers=HTMX)
    html = response.content.decode()
    assert "Tea Your vote 100%" in words(html)
    assert "autofocus" in html
    again = as_alice.post(url, {f"choice-{poll}": "1"}, headers=HTMX)
    assert "already voted" in again["HX-Trigger"]
    assert "Tea Your vote 100%" in words(again.content.decode())


@pytest.mark.parametrize("values", [[], ["2"], ["-1"], ["x"], ["0", "1"], ["\u0663"], ["9" * 5000]])
def test_an_invalid_vote_is_refused(as_alice, bob, values):
    poll = publish_poll(bob)
    response = as_alice.post(f"/posts/{poll}/answer/", {f"choice-{poll}": values})
    assert response.status_code == 302
    assert stored_poll(poll) == ([0, 0], 0)


def test_several_choices_count_once_each(alice, bob, carol):
    poll = publish_poll(bob, "A", "B", "C", is_multiple=True)
    vote(poll, alice, 2, 0, 2, 2)
    vote(poll, carol, 0)
    assert stored_poll(poll) == ([2, 0, 1], 2)
    shown = visible_post(post_id=poll, viewer=alice.pk).answer_card
    assert shown.own_choices == (0, 2)
    assert [choice.percent for choice in shown.choices] == [100, 0, 50]


@pytest.mark.parametrize("second", [0, 1])
def test_a_second_vote_is_refused(alice, bob, second):
    poll = publish_poll(bob)
    vote(poll, alice, 0)
    with pytest.raises(HasAnswered):
        vote(poll, alice, second)
    assert stored_poll(poll) == ([1, 0], 1)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1)])
def test_two_votes_at_the_same_time_count_once(alice, bob, first, second):
    poll, refusals = publish_poll(bob), []

    def vote_once(choice):
        try:
            vote(poll, alice, choice)
        except HasAnswered as refusal:
            refusals.append(refusal)

    at_once(lambda: vote_once(first), lambda: vote_once(second))
    assert len(refusals) == 1
    assert stored_poll(poll)[1] == 1


def test_many_voters_at_the_same_time_are_all_counted(bob, monkeypatch):
    monkeypatch.setattr(likes, "CAPACITY", 2)
    poll = publish_poll(bob)
    voters = people(5)
    at_once(*(lambda voter=voter: vote(poll, voter, voter.pk % 2) for voter in voters))
    assert stored_poll(poll)[1] == 5


def test_an_answer_that_is_not_final_replaces_the_one_before(alice, bob, monkeypatch):
    monkeypatch.setattr(PollView, "is_answer_final", False)
    poll = publish_poll(bob)
    post = visible_post(post_id=poll, viewer=alice.pk)
    for choice in (0, 1, 1):
        answer(post=post, choices=[choice], actor=alice)
    assert stored_poll(poll) == ([0, 1], 1)


def test_the_database_refuses_a_second_vote_in_another_bucket(alice, bob, monkeypatch):
    monkeypatch.setattr(likes, "CAPACITY", 1)
    poll = publish_poll(bob)
    post = visible_post(post_id=poll, viewer=alice.pk)
    vote(poll, alice, 0)
    for choice in (0, 1):
        with pytest.raises(HasAnswered):
            # ``post`` was read before the vote.
            answer(post=post, choices=[choice], actor=alice)
    assert stored_poll(poll) == ([1, 0], 1)


def test_nobody_votes_after_the_end(alice, bob):
    poll = publish_poll(bob)
    post = visible_post(post_id=poll, viewer=alice.pk)
    let_end(poll)
    with pytest.raises(AnswersClosed):
        vote(poll, alice, 0)
    with pytest.raises(AnswersClosed):
        answer(post=post, choices=[0], actor=alice)  # read before the end
    assert stored_poll(poll) == ([0, 0], 0)


def test_authors_cannot_vote_and_see_the_results(as_alice, alice, bob):
    poll = publish_poll(alice)
    vote(poll, bob, 0)
    with pytest.raises(CannotAnswer):
        vote(poll, alice, 1)
    page = as_alice.get(f"/@alice/{poll}/").content.decode()
    assert "Tea 100% Coffee 0%" in words(page)
    assert f'name="choice-{poll}"' not in page


def test_only_viewers_of_the_post_can_vote(as_alice, alice, bob):
    blocked = publish_poll(bob)
    block_user(owner=bob.pk, other=alice.pk)
    invisible = [
        blocked,
        publish_poll(UserFactory(username="dora"), visibility="followers"),
        publish(UserFactory(username="emil")),
        1,
    ]
    for post in invisible:
        assert as_alice.post(f"/posts/{post}/answer/", {f"choice-{post}": "0"}).status_code == 404
    assert not answer_buckets().count_documents({})


def test_visitors_see_the_results_and_log_in_to_vote(client, alice, bob):
    poll = publish_poll(bob)
    vote(poll, alice, 0)
    page = client.get(f"/@bob/{poll}/").content.decode()
    assert "Tea 100% Coffee 0%" in words(page)
    assert "Your vote" not in page
    response = client.post(f"/posts/{poll}/answer/", {f"choice-{poll}": "0"})
    assert response["Location"].startswith("/accounts/login/")


def test_results_are_hidden_until_the_end(as_alice, bob, carol):
    poll = publish_poll(bob, hides_totals=True)
    vote(poll, carol, 0)
    as_alice.post(f"/posts/{poll}/answer/", {f"choice-{poll}": "1"})
    page = words(as_alice.get(f"/@bob/{poll}/").content.decode())
    assert "Tea Coffee Your vote 2 people voted" in page
    assert "Results are hidden until the end" in page
    assert "50%" not in page
    let_end(poll)
    assert "Tea 50% Coffee Your vote 50%" in words(as_alice.get(f"/@bob/{poll}/").content.decode())


def test_votes_are_limited(as_alice, bob, settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"vote": "1/h"}
    first, second = publish_poll(bob), publish_poll(bob)
    as_alice.post(f"/posts/{first}/answer/", {f"choice-{first}": "0"})
    response = as_alice.post(f"/posts/{second}/answer/", {f"choice-{second}": "0"})
    assert response.status_code == 429
    assert stored_poll(second) == ([0, 0], 0)


# --- The end -----------------------------------------------------------------------------------
def test_the_end_notifies_the_author_and_the_voters_once(as_alice, alice, bob, carol, asked):
    poll = publish_poll(bob)
    vote(poll, alice, 0)
    vote(poll, carol, 1)
    announce(asked)
    assert not notified(alice)
    let_end(poll)
    for _ in range(2):
        announce(asked)
        tasks.end_poll(post_id=poll)
    assert notified(alice) == notified(carol) == [("poll", bob.pk, poll)]
    assert notified(bob) == [("poll", 0, poll)]
    page = as_alice.get("/notifications/").content.decode()
    assert "A poll by Bob Brown that you voted in has ended" in words(page)
    assert f'href="/@bob/{poll}/"' in page
    as_alice.force_login(bob)
    assert "Your poll has ended" in words(as_alice.get("/notifications/").content.decode())


def test_a_worker_that_dies_is_followed_by_one_that_finishes(bob, monkeypatch, asked):
    monkeypatch.setattr(likes, "CAPACITY", 1)
    poll = publish_poll(bob)
    voters = people(3)
    for voter in voters:
        vote(poll, voter, 0)
    let_end(poll)
    batches = answers.voter_batches

    def die_after_the_first(*, post):
        yield next(iter(batches(post=post)))
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(answers, "voter_batches", die_after_the_first)
        with pytest.raises(SystemExit):
            tasks.end_poll(post_id=poll)
    assert sum(len(notified(voter)) for voter in voters) == 1
    announce(asked)
    assert [len(notified(user)) for user in (bob, *voters)] == [1, 1, 1, 1]
    assert not answers.ended_ids(now=timezone.now(), limit=9)


def test_voters_who_cannot_see_the_post_any_more_are_not_notified(alice, bob, carol):
    poll = publish_poll(bob)
    vote(poll, alice, 0)
    vote(poll, carol, 0)
    block_user(owner=bob.pk, other=alice.pk)
    end(poll)
    assert not notified(alice)
    assert notified(carol)


def test_a_deleted_poll_takes_its_votes_and_notifications_along(alice, bob):
    poll = publish_poll(bob)
    vote(poll, alice, 0)
    end(poll)
    delete_post(post_id=poll, actor=bob)
    tasks.clean_up_post(post_id=poll)
    assert not notified(alice)
    assert not answer_buckets().count_documents({})


# --- Moderation, erasure, search and filters ---------------------------------------------------
def test_a_removed_poll_ends_only_after_it_is_restored(alice, bob, asked):
    poll = publish_poll(bob)
    vote(poll, alice, 0)
    post = visible_post(post_id=poll, viewer=UserFactory().pk)
    root = UserFactory(is_staff=True, is_superuser=True)
    action = take_action(kind="remove", subject=post_subject(post_id=poll), moderator=root)
    with pytest.raises(Http404):
        vote(poll, root, 0)
    with pytest.raises(AnswersClosed):
        answer(post=post, choices=[0], actor=root)  # read before the removal
    let_end(poll)
    announce(asked)
    assert not [row for row in notified(alice) if row[0] == "poll"]
    undo_action(action=action, moderator=root)
    assert stored_poll(poll) == ([1, 0], 1)
    announce(asked)
    assert [row for row in notified(alice) if row[0] == "poll"]


def test_nobody_votes_in_a_poll_that_is_pending_review(alice, bob, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    poll = publish_poll(bob)
    with pytest.raises(Http404):
        vote(poll, alice, 0)
    with pytest.raises(CannotAnswer):
        vote(poll, bob, 0)


def test_an_erased_voter_is_not_counted_any_more(alice, bob, carol):
    first, second = publish_poll(bob, is_multiple=True), publish_poll(bob)
    vote(first, alice, 0, 1)
    vote(first, carol, 1)
    vote(second, alice, 0)
    erase_user(uid=alice.pk)
    assert stored_poll(first) == ([0, 1], 1)
    assert stored_poll(second) == ([0, 0], 0)


def test_polls_are_found_by_their_choices_and_by_has_poll(as_alice, bob):
    publish_poll(bob, "Oolong", "Cocoa")
    publish(bob, "Tea for two")
    for query in ("has:poll", "oolong", "tea has:polls"):
        page = words(as_alice.get("/search/", {"q": query, "type": "posts"}).content.decode())
        assert "Tea or coffee?" in page
        assert "Tea for two" not in page


def test_filters_match_choices(as_alice, alice, bob):
    follow(alice, bob)
    publish_poll(bob, "Spiders", "Snakes")
    add_phrase_filter(owner=alice.pk, phrase="spiders", has_warning=False, hours=None)
    assert "Tea or coffee?" not in words(as_alice.get("/").content.decode())


# --- Pages -------------------------------------------------------------------------------------
def test_a_poll_costs_no_further_command(alice, bob, carol, client, record_commands):
    follow(alice, bob)
    client.force_login(alice)

    def cost():
        client.get("/")
        user_cards.clear_cards()
        with record_commands() as commands:
            assert client.get("/").status_code == 200
        return [name for name, _ in commands], str(commands)

    publish(bob)
    without_polls, asked = cost()
    assert "answer_buckets" not in asked
    for _ in range(3):
        vote(publish_poll(bob), alice, 0)
    share_post(post_id=publish_poll(carol), actor=bob)
    with_polls, asked = cost()
    assert "answer_buckets" in asked
    assert with_polls == [
        *without_polls[: without_polls.index("aggregate")],
        *with_polls[without_polls.index("aggregate") :],
    ]
    assert len(with_polls) <= len(without_polls) + 1  # the share is read with another command


def test_shares_show_the_poll_with_the_own_vote(alice, bob, carol, client):
    follow(alice, bob)
    poll = publish_poll(carol)
    share = share_post(post_id=poll, actor=bob)
    client.force_login(alice)
    page = client.get("/").content.decode()
    assert f'name="choice-{poll}"' in page
    assert f'name="at" value="post-{share}"' in page
    vote(poll, alice, 1)
    assert "Coffee Your vote 100%" in words(client.get("/").content.decode())


def test_choices_are_behind_the_content_warning(client, bob):
    poll = publish_poll(bob, content_warning="Drinks")
    page = client.get(f"/@bob/{poll}/").content.decode()
    warning = page.index('<details class="content-warning">')
    assert warning < page.index('class="poll"') < page.index("</details>", warning)


def test_html_in_choices_is_escaped(client, bob):
    poll = publish_poll(bob, "<b>Tea</b>", "Coffee")
    page = client.get(f"/@bob/{poll}/").content.decode()
    assert "<b>Tea" not in page
    assert "&lt;b&gt;Tea&lt;/b&gt;" in page


def test_an_index_finds_the_polls_that_end(bob):
    publish_poll(bob)
    plan = posts().find({**answers.PENDING_END, "details.ends_at": {"$lte": 0}}).explain()
    assert "poll_pending_end" in str(plan["queryPlanner"]["winningPlan"])


def test_an_open_poll_is_followed_until_it_ends(client, alice, bob, carol):
    poll = publish_poll(bob, "Tea", "Coffee")
    client.force_login(alice)
    path, htmx = f"/posts/{poll}/answers/", {"HX-Request": "true"}
    assert path not in client.get("/public/").content.decode()
    assert path not in client.get(f"/@bob/{poll}/").content.decode()  # alice can vote
    vote(poll, alice, 0)
    assert path in client.get(f"/@bob/{poll}/").content.decode()
    vote(poll, carol, 1)
    response = client.get(path, headers=htmx)
    assert (response.status_code, "2 people voted" in response.content.decode()) == (200, True)
    assert client.get(path)["Location"] == f"/@bob/{poll}/"
    end(poll)
    response = client.get(path, headers=htmx)
    assert (response.status_code, "Final results" in response.content.decode()) == (286, True)
    assert path not in response.content.decode()
    assert client.get(f"/posts/{publish(bob)}/answers/", headers=htmx).status_code == 404


def test_results_hidden_until_the_end_are_not_polled(client, alice, bob):
    poll = publish_poll(bob, "Tea", "Coffee", hides_totals=True)
    client.force_login(alice)
    vote(poll, alice, 0)
    assert "poll/results" not in client.get(f"/@bob/{poll}/").content.decode()


def test_a_vote_for_several_choices_does_not_count_after_an_edit_to_one_choice(alice, bob):
    poll = publish_poll(alice, is_multiple=True)
    view = visible_post(post_id=poll, viewer=bob.pk)
    posts().update_one({"_id": poll}, {"$set": {"details.is_multiple": False}})
    with pytest.raises(AnswersClosed):
        answer(post=view, choices=(0, 1), actor=bob)
    assert stored_poll(poll) == ([0, 0], 0)
