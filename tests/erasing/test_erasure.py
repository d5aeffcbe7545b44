"""Erasure deletes all data of a user and no data of other users."""

import io
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone
from pymongo.collection import Collection

from accounts import tasks
from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.selectors.follow_graph import followees_after
from accounts.services.account_status import request_deletion
from accounts.services.erasure import erase_user, users_to_erase
from accounts.signals import user_erasure_started
from accounts.store.collections import follow_edges
from feed.models import Post
from feed.selectors.user_counts import counts_by_uid
from feed.store.comment_sequences import CommentSequence
from feed.timeline.home import home_page
from tests.factories import UserFactory, follow, people, publish

from . import life, traces

WITHOUT_USERS = {
    "django_migrations": "Names of migrations.",
    "django_content_type": "Names of models.",
    "auth_permission": "Names of permissions.",
    "auth_group": "Names of groups.",
    "auth_group_permissions": "The permissions of groups.",
    "account_emailconfirmation": "Not used: links to confirm addresses are signed.",
    "moderation_rule": "The rules of the site.",
    "moderation_announcement": "Announcements of the site.",
    "moderation_pageversion": "Texts of the standard pages.",
    "moderation_brand": "The name and look of the site.",
    "heartbeats": "When beat and the workers were last seen.",
    "node_leases": "Which process generates ids with which node number.",
    "subscriber_deliveries": "Posts whose subscribers are being notified, for minutes at most.",
    "pair_locks": "Numbers of stripes, each shared by many users.",
    "strategy_switch": "The progress of a change of strategy; the id in it is a position.",
    "tags": "Hashtags and the number of their posts.",
    "counted_viewers": "Irreversible digests, stored for a day at most.",
    "counted_viewer_keys": "The keys of these digests.",
    "pending_cleanups": "Posts and comments whose deletion is in progress.",
    "demo_specs": "Settings of the demo.",
    "cache": "Expires within minutes; users in it are looked up before they are shown.",
    "accounts_application": "Apps, without their users.",
    "accounts_refreshtoken": "Not used: tokens last until they are revoked.",
    "accounts_idtoken": "Not used: the site is not an OpenID provider.",
    "accounts_devicegrant": "Not used: there is no log-in by a code on another device.",
}
"""Collections that never contain user data, each with the reason."""


class Killed(BaseException):
    """Simulate the death of the process. No code of the site catches this exception."""


WRITES = (
    "insert_one",
    "insert_many",
    "update_one",
    "update_many",
    "delete_one",
    "delete_many",
    "bulk_write",
    "find_one_and_update",
)


@pytest.fixture
def die_after(monkeypatch):
    """Return a function that limits the number of further database writes.

    After ``die_after(7)``, the eighth write raises ``Killed``. ``die_after(None)`` removes the limit.
    """
    writes_left = [None]

    def limited_write(write):
        def run(collection, *args, **kwargs):
            # Do not count writes to the database of the broker, which may lose tasks.
            if writes_left[0] is not None and collection.database == connection.database:
                if writes_left[0] == 0:
                    raise Killed
                writes_left[0] -= 1
            return write(collection, *args, **kwargs)

        return run

    for name in WRITES:
        monkeypatch.setattr(Collection, name, limited_write(getattr(Collection, name)))
    return lambda number: writes_left.__setitem__(0, number)


def traces_of(lived):
    return traces.find_traces(uid=lived.uid, names=life.NAMES)


def timeline(viewer):
    return [
        entry.entry_id for entry in home_page(viewer=viewer.pk, bounds=PageBounds(limit=40)).posts
    ]


def erase_at(user, **ago):
    request_deletion(uid=user.pk)
    User.objects.filter(pk=user.pk).update(erase_at=timezone.now() - timedelta(**ago))
    mail.outbox.clear()


def _comments_on(post):
    return CommentSequence(post=post, thread=0, limit=50).read()


def test_an_interrupted_erasure_resumes_and_leaves_nothing(settings, die_after):
    lived = life.live(settings)
    with_traces = set(traces_of(lived))
    all_names = set(connection.database.list_collection_names(filter={"type": "collection"}))
    ignored = ("system.", "test_")  # collections of the database server and of other tests
    names = {name for name in all_names if not name.startswith(ignored)}
    unused = names - with_traces - set(WITHOUT_USERS)
    assert not unused, (
        "Let the life fill these, or say in WITHOUT_USERS why they hold no user data."
    )
    assert not with_traces & set(WITHOUT_USERS)
    assert traces.find_files(uid=lived.uid, names=life.NAMES)
    texts_of_others = {
        (post, comment.id): comment.text
        for post in lived.post_ids_of_others
        for comment in _comments_on(post)
        if comment.uid != lived.uid
    }

    # Allow each attempt eleven more writes than the attempt before, until an attempt succeeds.
    writes, kill_count = 1, 0
    while True:
        die_after(writes)
        try:
            assert erase_user(uid=lived.uid)
            break
        except Killed:
            writes, kill_count = writes + 11, kill_count + 1
            die_after(None)
            assert User.objects.filter(pk=lived.uid).exists()
            assert list(users_to_erase()) == [lived.uid]
    die_after(None)
    assert kill_count > 5
    assert traces_of(lived) == {}
    assert traces.find_files(uid=lived.uid, names=life.NAMES) == []
    assert erase_user(uid=lived.uid) is False

    out = io.StringIO()
    call_command("recount", "--dry-run", stdout=out)
    assert " 0 of them with wrong numbers" in out.getvalue()
    remaining_texts = {
        (post, comment.id): comment.text
        for post in lived.post_ids_of_others
        for comment in _comments_on(post)
        if not comment.is_deleted
    }
    assert remaining_texts == texts_of_others


def test_timelines_of_followers_lose_only_the_erased_posts(alice, bob, carol):
    follow(carol, alice, bob)
    posts = [publish(author, f"{n}") for n in range(4) for author in (alice, bob)]
    assert timeline(carol) == posts[::-1]
    erase_user(uid=alice.pk)
    assert timeline(carol) == posts[::-1][::2]


def test_erasure_costs_the_same_for_few_and_for_many_followers(settings, record_commands):
    settings.FEED_HOME_KINDS = ["note", "follow"]

    def cost(name, followers):
        star = UserFactory(username=name)
        for follower in people(followers, prefix=name):
            follow(follower, star)
        Post.objects.filter(kind="follow").delete()
        with record_commands() as commands:
            assert erase_user(uid=star.pk)
        assert not follow_edges().count_documents({"followee": star.pk})
        return [name for name, _ in commands]

    assert len(cost("many", 12)) == len(cost("few", 2))


def test_follow_posts_about_the_erased_user_are_deleted(settings, client, alice, bob):
    settings.FEED_HOME_KINDS = ["note", "follow"]
    follow(bob, alice)
    assert "Alice Adams" in client.get("/@bob/").content.decode()
    erase_user(uid=alice.pk)
    assert not Post.objects.filter(kind="follow").exists()
    assert not followees_after(uid=bob.pk, cursor=0, limit=1)


def test_the_periodic_task_erases_only_due_users(alice, bob, carol):
    erase_at(alice, days=1)
    request_deletion(uid=bob.pk)
    mail.outbox.clear()
    tasks.erase_due_users()
    tasks.erase_due_users()
    assert set(User.objects.values_list("username", flat=True)) == {"bob", "carol"}
    (message,) = mail.outbox
    assert message.to == ["alice@example.org"]
    assert "have been deleted" in message.body


def test_users_whose_erasure_failed_stay_due(alice, bob):
    erase_at(alice, days=2)
    erase_at(bob, days=1)

    def fail(uid, **_):
        if uid == alice.pk:
            raise RuntimeError("The disk is full.")

    user_erasure_started.connect(fail)
    try:
        tasks.erase_due_users()
        assert list(User.objects.values_list("username", flat=True)) == ["alice"]
        assert list(users_to_erase()) == [alice.pk]
        with pytest.raises(CommandError, match="1 users could not be erased"):
            call_command("erase_people", stdout=io.StringIO(), stderr=io.StringIO())
    finally:
        user_erasure_started.disconnect(fail)
    tasks.erase_due_users()
    assert not User.objects.exists()


def test_a_dry_run_of_the_command_only_counts(alice, bob):
    erase_at(alice, days=1)
    out = io.StringIO()
    call_command("erase_people", "--dry-run", stdout=out)
    assert "1 users are due for erasure. Nothing was changed." in out.getvalue()
    assert User.objects.count() == 2
    call_command("erase_people", stdout=out, stderr=io.StringIO())
    assert "Erased 1 users." in out.getvalue()
    assert User.objects.count() == 1


def test_sessions_of_the_erased_user_end(client, alice):
    client.force_login(alice)
    client.get("/")
    erase_user(uid=alice.pk)
    assert client.get("/settings/profile/").status_code == 302
    assert client.get("/public/").status_code == 200


def test_the_username_becomes_available(alice):
    erase_user(uid=alice.pk)
    assert UserFactory(username="alice").pk != alice.pk


def test_cached_counts_of_the_erased_user_are_deleted(alice):
    publish(alice)
    counts_by_uid(uids=[alice.pk])
    assert cache.get(f"counts:{alice.pk}")
    erase_user(uid=alice.pk)
    assert cache.get(f"counts:{alice.pk}") is None
