"""Periodic jobs continue after a failure, and retry the failure in their next run."""

import datetime as dt

import pytest
from django.utils import timezone

from feed.models import Post
from feed.selectors.stored_content import ids_pending_review
from socialsite.moderation import action_kinds, tasks
from socialsite.moderation.models import Action, Case
from socialsite.moderation.services import cleanup, reports
from socialsite.moderation.services.actions import take_action
from socialsite.moderation.subjects import post_subject
from socialsite.moderation.tasks import resume_and_expire_actions
from tests.factories import publish, publish_many


class BrokenError(Exception):
    pass


def fail_for(subject_id, original):
    """Return ``original``, but raise an error for actions against one subject."""

    def run(self, action):
        if action.subject == subject_id:
            raise BrokenError
        original(self, action)

    return run


@pytest.fixture
def posts(bob):
    return publish_many(bob, 3)


@pytest.fixture
def removals(moderator, posts):
    tomorrow = timezone.now() + dt.timedelta(days=1)
    return [
        take_action(
            kind="remove",
            subject=post_subject(post_id=post),
            moderator=moderator,
            expires_at=tomorrow,
        )
        for post in posts
    ]


def hidden_states(posts):
    states = dict(Post.objects.filter(pk__in=posts).values_list("pk", "hidden"))
    return [states[post] for post in posts]


@pytest.mark.parametrize("is_expired", [False, True])
def test_an_action_that_fails_does_not_stop_other_actions(posts, removals, monkeypatch, is_expired):
    now = timezone.now()
    change = {"expires_at": now} if is_expired else {"state": Action.State.UNDOING}
    Action.objects.update(at=now - dt.timedelta(minutes=1), **change)
    original = action_kinds.Remove.undo
    with monkeypatch.context() as broken:
        broken.setattr(action_kinds.Remove, "undo", fail_for(posts[0], original))
        resume_and_expire_actions()
    assert hidden_states(posts) == ["removed", "", ""]
    resume_and_expire_actions()
    assert hidden_states(posts) == ["", "", ""]


def test_a_post_that_fails_does_not_stop_the_cases_of_other_posts(posts, monkeypatch):
    Post.objects.filter(pk__in=posts).update(hidden=Post.Hidden.PENDING)
    (first, *others) = ids_pending_review(limit=10)
    original = reports.post_subject

    def fail_for_first(*, post_id):
        if post_id == first:
            raise BrokenError
        return original(post_id=post_id)

    with monkeypatch.context() as broken:
        broken.setattr(reports, "post_subject", fail_for_first)
        resume_and_expire_actions()
    assert set(Case.objects.values_list("subject", flat=True)) == set(others)
    resume_and_expire_actions()
    assert set(Case.objects.values_list("subject", flat=True)) == set(posts)


@pytest.mark.parametrize("step", ["resume_unfinished_actions", "open_missing_cases"])
def test_a_step_that_fails_does_not_stop_the_next_steps(posts, removals, step, monkeypatch):
    def fail():
        raise BrokenError

    fail.__name__ = step
    monkeypatch.setattr(tasks, step, fail)
    Action.objects.update(expires_at=timezone.now())
    resume_and_expire_actions()
    assert hidden_states(posts) == ["", "", ""]


def test_a_removal_that_fails_to_be_deleted_does_not_stop_other_deletions(
    bob, moderator, monkeypatch
):
    posts = [publish(bob), publish(bob)]
    for post in posts:
        take_action(kind="remove", subject=post_subject(post_id=post), moderator=moderator)
    Action.objects.update(at=timezone.now() - dt.timedelta(days=31))
    original = cleanup.delete_removed_post

    def fail_for_first(*, post_id):
        if post_id == posts[0]:
            raise BrokenError
        original(post_id=post_id)

    with monkeypatch.context() as broken:
        broken.setattr(cleanup, "delete_removed_post", fail_for_first)
        tasks.purge_removed_content()
    assert list(Post.objects.filter(pk__in=posts).values_list("pk", flat=True)) == [posts[0]]
    tasks.purge_removed_content()
    assert not Post.objects.filter(pk__in=posts).exists()
