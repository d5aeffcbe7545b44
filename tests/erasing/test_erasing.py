"""Of a person who is erased nothing is left, and of others nothing is lost."""

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
from accounts.models import User
from accounts.selectors.follow_graph import followees_after
from accounts.services.account_status import request_deletion
from accounts.services.erasure import erase_user, users_to_erase
from accounts.signals import user_erasure_started
from accounts.store.collections import follow_edges
from feed.models import Post
from feed.selectors.user_counts import counts_by_uid
from feed.store import comments
from feed.timeline.home import home_page
from tests.factories import UserFactory, follow, people, publish

from . import life, traces

NOBODY = {
    "django_migrations": "Which migrations there were.",
    "django_content_type": "Which models there are.",
    "auth_permission": "Which rights there are.",
    "auth_group": "Which roles there are.",
    "auth_group_permissions": "Which rights a role has.",
    "account_emailconfirmation": "Not used: links to confirm addresses are signed.",
    "moderation_rule": "What one may not do here.",
    "moderation_announcement": "What the site says to everybody.",
    "node_leases": "Which process makes which ids.",
    "pair_locks": "Numbers of stripes, each of very many people.",
    "feed_switch": "How far a change of strategies is; the id that it has come to is a place.",
    "tags": "Which hashtags there are, with posts.",
    "counted_viewers": "Digests that nobody can reverse, for a day at most.",
    "counted_viewer_keys": "The keys of these digests.",
    "forgetting": "Posts and comments that are being deleted.",
    "demo_orders": "How the demo is to be made.",
    "cache": "Kept for minutes; whoever is shown from it is looked up.",
    "accounts_application": "Which apps there are, not whose.",
    "accounts_refreshtoken": "Not used: tokens last until they are revoked.",
    "accounts_idtoken": "Not used: this is no OpenID provider.",
    "accounts_devicegrant": "Not used: there is no log-in by a code on another device.",
}
"""The collections that never hold a person, and why."""


class Killed(BaseException):
    """As a process that is gone: nothing catches it."""


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
    """``die_after(7)``: the eighth write from now on ends the process."""
    left = [None]

    def dying(write):
        def run(collection, *args, **kwargs):
            # Not the broker's, which may lose what it wants.
            if left[0] is not None and collection.database == connection.database:
                if left[0] == 0:
                    raise Killed
                left[0] -= 1
            return write(collection, *args, **kwargs)

        return run

    for name in WRITES:
        monkeypatch.setattr(Collection, name, dying(getattr(Collection, name)))
    return lambda number: left.__setitem__(0, number)


def traces_of(lived):
    return traces.found(uid=lived.uid, names=life.NAMES)


def timeline(reader):
    return [one.entry_id for one in home_page(viewer=reader.pk, limit=40).posts]


def erase_at(user, **ago):
    request_deletion(uid=user.pk)
    User.objects.filter(pk=user.pk).update(erase_at=timezone.now() - timedelta(**ago))
    mail.outbox.clear()


def test_nothing_is_left_wherever_it_stops(settings, die_after):
    lived = life.live(settings)
    there = set(traces_of(lived))
    every = set(connection.database.list_collection_names(filter={"type": "collection"}))
    of_others = ("system.", "test_")  # the server's, and what other tests have made for themselves
    unused = {name for name in every if not name.startswith(of_others)} - there - set(NOBODY)
    assert not unused, "Let the life fill these, or say in NOBODY why they hold nobody."
    assert not there & set(NOBODY)
    assert traces.files(uid=lived.uid, names=life.NAMES)
    words = {
        (post, one.id): one.text
        for post in lived.theirs
        for one in comments.comments_after(post=post, thread_id=0, position=-1, limit=50)
        if one.uid != lived.uid
    }

    # Each run is killed a little later than the one before would have been.
    number, ran = 1, 0
    while True:
        die_after(number)
        try:
            assert erase_user(uid=lived.uid)
            break
        except Killed:
            number, ran = number + 11, ran + 1
            die_after(None)
            assert User.objects.filter(pk=lived.uid).exists()
            assert list(users_to_erase()) == [lived.uid]
    die_after(None)
    assert ran > 5
    assert traces_of(lived) == {}
    assert traces.files(uid=lived.uid, names=life.NAMES) == []
    assert erase_user(uid=lived.uid) is False

    out = io.StringIO()
    call_command("recount", "--dry-run", stdout=out)
    assert " 0 of them with a wrong number" in out.getvalue()
    left = {
        (post, one.id): one.text
        for post in lived.theirs
        for one in comments.comments_after(post=post, thread_id=0, position=-1, limit=50)
        if not one.is_deleted
    }
    assert left == words


def test_timelines_of_others_lose_only_what_was_theirs(alice, bob, carol):
    follow(carol, alice, bob)
    posts = [publish(author, f"{n}") for n in range(4) for author in (alice, bob)]
    assert timeline(carol) == posts[::-1]
    erase_user(uid=alice.pk)
    assert timeline(carol) == posts[::-1][::2]


def test_many_followers_are_left_at_once(settings, record_commands):
    settings.FEED_KINDS = ["note", "follow"]

    def cost(name, followers):
        star = UserFactory(username=name)
        for one in people(followers, prefix=name):
            follow(one, star)
        Post.objects.filter(kind="follow").delete()
        with record_commands() as commands:
            assert erase_user(uid=star.pk)
        assert not follow_edges().count_documents({"followee": star.pk})
        return [name for name, _ in commands]

    assert len(cost("many", 12)) == len(cost("few", 2))


def test_who_followed_tells_of_it_no_more(settings, client, alice, bob):
    settings.FEED_KINDS = ["note", "follow"]
    follow(bob, alice)
    assert "Alice Adams" in client.get("/@bob/").content.decode()
    erase_user(uid=alice.pk)
    assert not Post.objects.filter(kind="follow").exists()
    assert not followees_after(uid=bob.pk, cursor=0, limit=1)


def test_the_clock_erases_who_is_due_and_nobody_else(alice, bob, carol):
    erase_at(alice, days=1)
    request_deletion(uid=bob.pk)
    mail.outbox.clear()
    tasks.erase_due()
    tasks.erase_due()
    assert set(User.objects.values_list("username", flat=True)) == {"bob", "carol"}
    (told,) = mail.outbox
    assert told.to == ["alice@example.org"]
    assert "is deleted" in told.body


def test_whoever_could_not_be_erased_is_still_due(alice, bob):
    erase_at(alice, days=2)
    erase_at(bob, days=1)

    def fail(uid, **_):
        if uid == alice.pk:
            raise RuntimeError("The disk is full.")

    user_erasure_started.connect(fail)
    try:
        tasks.erase_due()
        assert list(User.objects.values_list("username", flat=True)) == ["alice"]
        assert list(users_to_erase()) == [alice.pk]
        with pytest.raises(CommandError, match="1 could not be erased"):
            call_command("erase_people", stdout=io.StringIO(), stderr=io.StringIO())
    finally:
        user_erasure_started.disconnect(fail)
    tasks.erase_due()
    assert not User.objects.exists()


def test_the_command_only_says_how_many_when_asked_so(alice, bob):
    erase_at(alice, days=1)
    out = io.StringIO()
    call_command("erase_people", "--dry-run", stdout=out)
    assert "1 people are to be erased. Nothing was changed." in out.getvalue()
    assert User.objects.count() == 2
    call_command("erase_people", stdout=out, stderr=io.StringIO())
    assert "1 people are erased." in out.getvalue()
    assert User.objects.count() == 1


def test_log_ins_of_who_is_erased_end(client, alice):
    client.force_login(alice)
    client.get("/")
    erase_user(uid=alice.pk)
    assert client.get("/settings/profile/").status_code == 302
    assert client.get("/public/").status_code == 200


def test_the_name_is_free_again(alice):
    erase_user(uid=alice.pk)
    assert UserFactory(username="alice").pk != alice.pk


def test_how_much_they_posted_is_kept_no_longer_than_they_are(alice):
    publish(alice)
    counts_by_uid(uids=[alice.pk])
    assert cache.get(f"counts:{alice.pk}")
    erase_user(uid=alice.pk)
    assert cache.get(f"counts:{alice.pk}") is None
