"""Rate limits of actions are exact, and the error says how long to wait."""

import os
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings as site_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from pymongo.errors import DuplicateKeyError

from accounts.infra import rate_limits
from accounts.infra.rate_limits import RateLimited, format_duration, limited_action, parse_rate
from accounts.infra.store import rate_limits as store
from accounts.infra.store.rate_limits import SLOTS_PER_PERIOD, action_counts
from accounts.services.blocks_and_mutes import block_user
from accounts.services.follows import CannotFollow
from accounts.services.profiles import set_private
from feed.models import Picture, Post
from tests.accounts import rate_limit_process
from tests.at_once import at_once
from tests.factories import follow, people, publish
from tests.uploads import picture


def image(name="me.png"):
    return SimpleUploadedFile(name, picture(), content_type="image/png")


# This time is far in the future, so that the database does not delete the documents as expired.
START = datetime(2126, 3, 1, 10, 7, 13, tzinfo=UTC)


@pytest.fixture
def limit(settings):
    """Return a function that sets rate limits: ``limit(post="3/h")``."""

    def change(**rates):
        settings.RATE_LIMITS = {**settings.RATE_LIMITS, **rates}

    return change


@pytest.fixture
def clock(monkeypatch):
    """Return a clock for the rate limits. Tests set its ``now``."""

    class Clock:
        now = START

    monkeypatch.setattr(rate_limits.timezone, "now", lambda: Clock.now)
    return Clock


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def count_post(times=1, subject=7):
    with limited_action(action="post", subject=subject, times=times):
        pass


def count_allowed(attempts, **kwargs):
    allowed = 0
    for _ in range(attempts):
        try:
            count_post(**kwargs)
        except RateLimited:
            continue
        allowed += 1
    return allowed


@pytest.mark.parametrize(
    "rate", ["5/h", *(pytest.param(rate, marks=pytest.mark.slow) for rate in ("5/10s", "5/3h"))]
)
def test_no_period_contains_more_actions_than_the_limit(limit, clock, rate):
    limit(post=rate)
    attempts, allowed, chance = 200, [], random.Random(5)
    for _ in range(attempts):
        clock.now += timedelta(seconds=parse_rate(rate).seconds * chance.random() / 8)
        if count_allowed(1):
            allowed.append(clock.now)
    span = timedelta(seconds=parse_rate(rate).seconds)
    assert max(sum(at <= later < at + span for later in allowed) for at in allowed) == 5
    assert len(allowed) > 5 * attempts / 16 * 0.85, "allowed actions are not rejected"


def test_retry_after_is_exact(limit, clock):
    limit(post="4/3h")
    for _ in range(4):
        count_post()
        clock.now += timedelta(minutes=7)
    with pytest.raises(RateLimited) as error:
        count_post()
    wait = error.value.retry_after
    assert 0 < wait <= 3 * 3600
    before, clock.now = clock.now, clock.now + timedelta(seconds=wait - 1.5)
    assert count_allowed(1) == 0
    clock.now = before + timedelta(seconds=wait)
    assert count_allowed(2) == 1
    assert before + timedelta(seconds=wait) <= START + timedelta(
        hours=3 * (SLOTS_PER_PERIOD + 1) / SLOTS_PER_PERIOD
    )


def test_failed_actions_are_not_counted(limit):
    limit(post="2/h")
    for _ in range(5):
        with pytest.raises(LookupError), limited_action(action="post", subject=7):
            raise LookupError
        with limited_action(action="post", subject=7) as action:
            action.is_done = False
    assert count_allowed(5) == 2


def test_an_action_with_several_units_counts_them_all_or_none(limit):
    limit(post="5/h")
    count_post(times=4)
    with pytest.raises(RateLimited):
        count_post(times=2)
    with pytest.raises(RateLimited):
        count_post(times=6)
    assert count_allowed(3) == 1
    count_post(times=0)


def test_limits_are_separate_per_user_and_action(limit):
    limit(post="1/h", like="1/h")
    assert count_allowed(3) == 1
    assert count_allowed(3, subject=8) == 1
    rate_limits.count_action(action="like", subject=7)


def test_an_empty_limit_sends_no_command_and_a_zero_limit_rejects_all(limit, record_commands):
    limit(post="", like="0/d")
    with record_commands() as commands:
        assert count_allowed(20) == 20
        with pytest.raises(RateLimited):
            rate_limits.count_action(action="like", subject=7)
    assert commands == []


def test_concurrent_threads_do_not_exceed_the_limit(limit):
    limit(post="20/h")
    allowed = []
    at_once(*[lambda: allowed.append(count_allowed(10)) for _ in range(6)])
    assert sum(allowed) == 20


@pytest.mark.slow
def test_concurrent_processes_do_not_exceed_the_limit():
    names = {
        "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        "MONGODB_NAME": connection.settings_dict["NAME"],
        "RATE_LIMIT_POSTS": f"{rate_limit_process.LIMIT}/h",
    }
    process = subprocess.run(
        [sys.executable, "-m", "tests.accounts.rate_limit_process"],
        cwd=site_settings.BASE_DIR,
        env={**os.environ, **names},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    assert (
        int(process.stdout)
        == rate_limit_process.LIMIT
        < rate_limit_process.PROCESSES * rate_limit_process.EACH
    )


def test_an_action_counted_while_the_document_is_created_counts(limit, monkeypatch):
    limit(post="2/h")
    apply, calls = store._update_counts, []

    def apply_after_another_process(name, change):
        calls.append(name)
        if len(calls) == 1:
            apply(name, change)  # the other process counts its action first
            raise DuplicateKeyError("created by the other process")
        return apply(name, change)

    monkeypatch.setattr(store, "_update_counts", apply_after_another_process)
    count_post()
    assert count_allowed(3) == 0


def test_counts_expire_after_their_period(limit, clock):
    limit(post="300/3h")
    for _ in range(60):
        count_post()
        clock.now += timedelta(minutes=17)
    (remaining,) = action_counts().find()
    assert len(remaining["slots"]) <= SLOTS_PER_PERIOD + 1
    latest_expiry = clock.now + timedelta(hours=3 * (SLOTS_PER_PERIOD + 1) / SLOTS_PER_PERIOD)
    assert remaining["until"].replace(tzinfo=UTC) <= latest_expiry
    (index,) = [index for index in action_counts().index_information().values() if len(index) > 2]
    assert (index["key"], index["expireAfterSeconds"]) == ([("until", 1)], 0)


def test_counts_of_a_user_can_be_deleted(alice):
    publish(alice)
    assert action_counts().count_documents({}) == 1
    rate_limits.delete_counts(uid=alice.pk)
    assert action_counts().count_documents({}) == 0


@pytest.mark.parametrize("text", ["x", "3", "3/", "/h", "3/0h", "-1/h", "3/h/ip", "3/h ", "٣/h"])
def test_invalid_limits_fail_the_system_check(limit, text):
    limit(post=text)
    with pytest.raises(SystemCheckError, match="The limit of 'post'"):
        call_command("check")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        *[(1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (61, "2 minutes")],
        *[(3600, "1 hour"), (5400, "90 minutes"), (7200, "2 hours"), (10_801, "4 hours")],
        *[(86_400, "1 day"), (90_000, "25 hours"), (700_000, "9 days")],
    ],
)
def test_durations_are_formatted_and_rounded_up(seconds, words):
    assert format_duration(seconds=seconds) == words


# --- Over HTTP -----------------------------------------------------------------------------------
def test_a_rejected_post_shows_the_time_to_wait_and_stays_in_the_form(as_alice, limit):
    limit(post="2/3h")
    for n in range(2):
        assert as_alice.post("/posts/", {"text": f"post {n}"}).status_code == 302
    response = as_alice.post("/posts/", {"text": "one <more>"})
    assert response.status_code == 429
    assert 0 < int(response["Retry-After"]) <= 3 * 3600 * (SLOTS_PER_PERIOD + 1) / SLOTS_PER_PERIOD
    html = response.content.decode()
    assert "You have posted 2 times in 3 hours. You can post again in " in html
    assert "one &lt;more&gt;</textarea>" in html
    assert Post.objects.count() == 2


def test_invalid_and_repeated_forms_are_not_counted(as_alice, limit):
    limit(post="2/h", comment="1/h")
    for _ in range(4):
        assert as_alice.post("/posts/", {"text": ""}).status_code == 422
        assert as_alice.post("/posts/", {"text": "a", "idempotency_key": "k"}).status_code == 302
    post = Post.objects.get().pk
    for _ in range(3):
        data = {"text": "b", "idempotency_key": "k", "parent": "0"}
        assert as_alice.post(f"/posts/{post}/comments/", data).status_code == 302
    assert as_alice.post("/posts/", {"text": "c"}).status_code == 302
    assert as_alice.post("/posts/", {"text": "d"}).status_code == 429


def test_a_rejected_comment_stays_in_the_form(as_alice, alice, limit):
    limit(comment="1/h")
    post = publish(alice)
    assert as_alice.post(f"/posts/{post}/comments/", {"text": "a"}).status_code == 302
    response = as_alice.post(f"/posts/{post}/comments/", {"text": "and another"})
    assert response.status_code == 429
    assert "Retry-After" in response
    html = response.content.decode()
    assert "You have commented once in 1 hour." in html
    assert "and another</textarea>" in html


def test_shares_count_as_posts_but_not_twice(as_alice, bob, limit):
    limit(post="2/h")
    first, other = publish(bob, "one"), publish(bob, "other")
    for _ in range(4):
        assert as_alice.post(f"/posts/{first}/share/").status_code == 302
    assert as_alice.post(f"/posts/{other}/share/").status_code == 302
    response = as_alice.post("/posts/", {"text": "more"})
    assert response.status_code == 429


@pytest.mark.parametrize("action", ["like", "follow"])
def test_a_rejected_action_returns_a_page_plain_text_or_json(as_alice, bob, carol, limit, action):
    limit(like="1/h", follow="1/h")
    paths = {
        "like": [f"/posts/{publish(user)}/like/" for user in (bob, carol)],
        "follow": ["/@bob/follow/", "/@carol/follow/"],
    }
    first, second = paths[action]
    for _ in range(3):
        assert as_alice.post(first).status_code == 302
    page = as_alice.post(second)
    assert page.status_code == 429
    assert b"Too many requests" in page.content
    assert b"1 hour. You can" in page.content
    htmx_response = as_alice.post(second, headers={"HX-Request": "true"})
    assert htmx_response.status_code == 429
    assert htmx_response["Content-Type"].startswith("text/plain")
    assert htmx_response.content.startswith(b"You have ")
    json_response = as_alice.post(second, headers={"Accept": "application/json"})
    assert json_response.json() == {"error": htmx_response.content.decode()}
    for response in (page, htmx_response, json_response):
        assert 0 < int(response["Retry-After"]) <= 3600 * (SLOTS_PER_PERIOD + 1) / SLOTS_PER_PERIOD


def test_follow_requests_are_counted_once_per_user(alice, bob, carol, limit):
    limit(follow="2/h")
    for user in (bob, carol):
        set_private(uid=user.pk, is_private=True)
    for _ in range(3):
        follow(alice, bob)
    follow(alice, carol)
    with pytest.raises(RateLimited):
        follow(alice, *people(1))


def test_rejected_follows_are_not_counted(alice, bob, carol, limit):
    limit(follow="1/h")
    block_user(owner=bob.pk, other=alice.pk)
    for _ in range(3):
        with pytest.raises(CannotFollow):
            follow(alice, bob)
    follow(alice, carol)


def test_too_many_pictures_are_rejected_and_the_text_stays_in_the_form(as_alice, limit):
    limit(upload="3/h")

    def send(count):
        files = [image(name=f"{n}.png") for n in range(count)]
        return as_alice.post(
            "/posts/", {"text": "see", "confirm_undescribed": "on", "pictures": files}
        )

    assert send(2).status_code == 302
    response = send(2)
    assert response.status_code == 429
    html = response.content.decode()
    assert "You can upload 3 pictures in 1 hour." in html
    assert "see</textarea>" in html
    assert Picture.objects.count() == 2
    assert Post.objects.count() == 1
    assert as_alice.post("/settings/profile/", {"avatar": image()}).status_code == 302
    rejected = as_alice.post("/settings/profile/", {"avatar": image(), "bio": "Hello"})
    assert rejected.status_code == 429
    assert b"You can upload 3 pictures" in rejected.content
    assert as_alice.post("/settings/profile/", {"bio": "Hello"}).status_code == 302


def test_searches_of_visitors_are_counted_by_network(client, alice, limit):
    limit(visitor_search="2/m", search="3/m")

    def search(**more):
        return client.get("/search/", {"q": "x", "type": "posts"}, **more).status_code

    assert [search(REMOTE_ADDR="192.0.2.1") for _ in range(3)] == [200, 200, 429]
    assert [search(REMOTE_ADDR=f"2001:db8::{n}") for n in range(3)] == [200, 200, 429]
    assert search(REMOTE_ADDR="2001:db8:0:1::") == 200
    assert search(REMOTE_ADDR="192.0.2.2", HTTP_X_FORWARDED_FOR="192.0.2.1") == 200
    assert client.get("/search/", REMOTE_ADDR="192.0.2.1").status_code == 200, "no search"
    client.force_login(alice)
    assert [search(REMOTE_ADDR="192.0.2.1") for _ in range(4)] == [200, 200, 200, 429]


def test_confirmation_mails_are_rate_limited(as_alice, alice, limit, settings, mailoutbox):
    settings.ACCOUNT_RATE_LIMITS = False
    limit(mail="2/d")
    alice.emailaddress_set.create(email=alice.email, verified=False, primary=True)
    data = {"action_send": "", "email": alice.email}
    statuses = [as_alice.post("/accounts/email/", data).status_code for _ in range(4)]
    assert statuses == [302, 302, 429, 429]
    assert len(mailoutbox) == 2


@pytest.mark.parametrize(
    ("path", "more"), [("/posts/", {"text": "hi"}), ("/@bob/follow/", {}), ("/search/?q=x", None)]
)
def test_a_limited_action_costs_one_extra_command(
    as_alice, bob, limit, record_commands, path, more
):
    publish(bob)
    send = as_alice.get if more is None else as_alice.post
    send(path, more)  # the first request fills the caches
    with record_commands() as commands:
        send(path, {"text": "other"} if more else more)
    commands_on_counts = [
        name for name, command in commands if command.get(name) == "action_counts"
    ]
    assert commands_on_counts == ([] if "follow" in path else ["findAndModify"]), (
        "a repeated follow is not counted"
    )
