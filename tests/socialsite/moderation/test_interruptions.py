"""Actions whose process is killed after a write are completed later, and nobody is notified twice."""

import datetime as dt
import itertools
from contextlib import contextmanager

import pytest
from django.utils import timezone
from pymongo.collection import Collection

from accounts.services.follow_settings import set_subscription
from feed.models import Post
from feed.store.attributes import activities_about
from feed.store.collections import tag_authors, tags
from notifications.store.collections import notification_boxes
from socialsite.moderation.models import Action
from socialsite.moderation.services.actions import (
    resume_unfinished_actions,
    take_action,
    undo_action,
)
from socialsite.moderation.subjects import comment_subject, post_subject
from tests.factories import follow, publish
from tests.feed.comment_helpers import say

pytestmark = pytest.mark.slow

WRITES = (
    *("insert_one", "insert_many", "update_one", "update_many", "delete_one", "delete_many"),
    *("find_one_and_update", "find_one_and_delete", "bulk_write"),
)


class KilledError(BaseException):
    """Stands for the death of a process."""


@contextmanager
def killed_after(write_count):
    """Kill the block after this number of writes. Yield a list that then contains the kill."""
    writes, kills = itertools.count(1), []

    def counted(original):
        def write(self, *args, **kwargs):
            result = original(self, *args, **kwargs)
            if next(writes) == write_count:
                raise KilledError
            return result

        return write

    with pytest.MonkeyPatch.context() as patch:
        for name in WRITES:
            patch.setattr(Collection, name, counted(getattr(Collection, name)))
        try:
            yield kills
        except KilledError as kill:
            kills.append(kill)


class Site:
    """alice follows and subscribes to bob, whose content is moderated."""

    def __init__(self, alice, bob, moderator, settings):
        self.alice, self.bob, self.moderator, self.settings = alice, bob, moderator, settings
        self.number = 0

    def publish(self, visibility="public"):
        self.number += 1
        tag = f"#tea{self.number}" if visibility == "public" else ""
        return publish(self.bob, f"@alice {tag}", visibility)

    def publish_pending(self):
        self.settings.FEED_REVIEW_FIRST_POSTS = 1000
        post = self.publish()
        return post, Action.objects.get(subject=post)

    def take(self, subject):
        return take_action(kind="remove", subject=subject, moderator=self.moderator)

    def undo(self, action):
        undo_action(action=action, moderator=self.moderator)

    def state(self, post, comment=0):
        """Return all that actions change."""
        kinds = {}
        for user in (self.alice, self.bob):
            box = notification_boxes().find_one({"_id": user.pk}) or {}
            target_ids = set(
                Action.objects.filter(subject=comment or post).values_list("pk", flat=True)
            )
            kinds[user.username] = sorted(
                row["kind"]
                for row in box.get("recent", ())
                if row.get("post") == post or row.get("target") in target_ids
            )
            unread = [row for row in box.get("unread_messages", ()) if row["post"] == post]
            kinds[f"unread messages of {user.username}"] = len(unread)
        tag = f"tea{self.number}"
        activity_ids = [row[0] for row in activities_about(kind="comment", value=comment)]
        return {
            **kinds,
            "hidden": Post.objects.get(pk=post).hidden,
            "has_tag": tags().count_documents({"_id": tag}),
            # The number of authors in ``stat_hours`` may miss one: it is not written in one transaction.
            "counted_authors": tag_authors().count_documents({"tag": tag}),
            "activities": [row.hidden for row in Post.objects.filter(pk__in=activity_ids)],
        }


def approve_post(site):
    post, action = site.publish_pending()
    return post, lambda: site.undo(action), lambda: site.state(post)


def remove_post(site, visibility="public"):
    post = site.publish(visibility)
    return post, lambda: site.take(post_subject(post_id=post)), lambda: site.state(post)


def remove_direct_post(site):
    return remove_post(site, "direct")


def restore_post(site):
    post = site.publish()
    action = site.take(post_subject(post_id=post))
    return post, lambda: site.undo(action), lambda: site.state(post)


def remove_comment(site, visibility="public"):
    post = site.publish(visibility)
    comment = say(post, site.bob)
    subject = comment_subject(post_id=post, comment_id=comment)
    return comment, lambda: site.take(subject), lambda: site.state(post, comment)


def remove_direct_comment(site):
    return remove_comment(site, "direct")


def restore_comment(site):
    comment, act, state = remove_comment(site)
    action = act()
    return comment, lambda: site.undo(action), state


@pytest.fixture
def site(alice, bob, moderator, settings, monkeypatch):
    monkeypatch.setattr(
        "notifications.receivers.enqueue", lambda task, **arguments: task(**arguments)
    )
    follow(alice, bob)
    set_subscription(follower=alice.pk, followee=bob.pk, is_on=True)
    return Site(alice, bob, moderator, settings)


def resume():
    Action.objects.update(at=timezone.now() - dt.timedelta(minutes=1))
    resume_unfinished_actions()


def state_of_action(subject_id):
    return Action.objects.filter(subject=subject_id).values_list("state", flat=True).first()


@pytest.mark.parametrize(
    "prepare",
    [
        *(approve_post, remove_post, remove_direct_post, restore_post),
        *(remove_comment, remove_direct_comment, restore_comment),
    ],
)
def test_an_action_that_is_killed_after_any_write_is_completed(site, prepare):
    subject_id, act, state = prepare(site)
    before, state_before = state(), state_of_action(subject_id)
    act()
    expected = state()
    assert expected != before
    for write_count in itertools.count(1):
        subject_id, act, state = prepare(site)
        with killed_after(write_count) as kills:
            act()
        if not kills:
            break
        has_begun = state_of_action(subject_id) != state_before
        resume()
        assert state() == (expected if has_begun else before), write_count
    assert write_count > 5


@pytest.mark.parametrize("prepare", [approve_post, remove_direct_post, restore_comment])
def test_a_repetition_of_a_complete_action_changes_nothing(site, prepare):
    subject_id, act, state = prepare(site)
    act()
    expected = state()
    unfinished = {"in_force": "applying", "undone": "undoing"}[state_of_action(subject_id)]
    Action.objects.filter(subject=subject_id).update(state=unfinished)
    resume()
    assert state() == expected
