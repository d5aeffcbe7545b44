"""How often people may do things: never more than that, and what they are told then."""

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


# So late that the database takes nothing for expired while the clock stands here.
BEGIN = datetime(2126, 3, 1, 10, 7, 13, tzinfo=UTC)


@pytest.fixture
def limit(settings):
    """``limit(post="3/h")``"""

    def change(**rates):
        settings.RATE_LIMITS = {**settings.RATE_LIMITS, **rates}

    return change


@pytest.fixture
def clock(monkeypatch):
    """``clock.now`` is the time for limits."""

    class Clock:
        now = BEGIN

    monkeypatch.setattr(rate_limits.timezone, "now", lambda: Clock.now)
    return Clock


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def do(times=1, who=7):
    with limited_action(action="post", subject=who, times=times):
        pass


def through(tries, **kwargs):
    done = 0
    for _ in range(tries):
        try:
            do(**kwargs)
        except RateLimited:
            continue
        done += 1
    return done


@pytest.mark.parametrize("rate", ["5/h", "5/10s", "5/3h"])
def test_within_no_period_more_gets_through_than_may(limit, clock, rate):
    limit(post=rate)
    tries, done, chance = 200, [], random.Random(5)
    for _ in range(tries):
        clock.now += timedelta(seconds=parse_rate(rate).seconds * chance.random() / 8)
        if through(1):
            done.append(clock.now)
    span = timedelta(seconds=parse_rate(rate).seconds)
    assert max(sum(at <= row < at + span for row in done) for at in done) == 5
    assert len(done) > 5 * tries / 16 * 0.85, "what may be done can be done"


def test_the_time_to_wait_is_true(limit, clock):
    limit(post="4/3h")
    for _ in range(4):
        do()
        clock.now += timedelta(minutes=7)
    with pytest.raises(RateLimited) as refused:
        do()
    wait = refused.value.retry_after
    assert 0 < wait <= 3 * 3600
    before, clock.now = clock.now, clock.now + timedelta(seconds=wait - 1.5)
    assert through(1) == 0
    clock.now = before + timedelta(seconds=wait)
    assert through(2) == 1
    assert before + timedelta(seconds=wait) <= BEGIN + timedelta(
        hours=3 * (SLOTS_PER_PERIOD + 1) / SLOTS_PER_PERIOD
    )


def test_what_fails_inside_is_not_counted(limit):
    limit(post="2/h")
    for _ in range(5):
        with pytest.raises(LookupError), limited_action(action="post", subject=7):
            raise LookupError
        with limited_action(action="post", subject=7) as done:
            done.is_done = False
    assert through(5) == 2


def test_several_at_once_count_as_several_or_as_none(limit):
    limit(post="5/h")
    do(times=4)
    with pytest.raises(RateLimited):
        do(times=2)
    with pytest.raises(RateLimited):
        do(times=6)
    assert through(3) == 1
    do(times=0)


def test_each_person_and_each_action_has_its_own(limit):
    limit(post="1/h", like="1/h")
    assert through(3) == 1
    assert through(3, who=8) == 1
    rate_limits.count_action(action="like", subject=7)


def test_no_limit_costs_nothing_and_zero_is_never(limit, record_commands):
    limit(post="", like="0/d")
    with record_commands() as commands:
        assert through(20) == 20
        with pytest.raises(RateLimited):
            rate_limits.count_action(action="like", subject=7)
    assert commands == []


def test_of_many_threads_no_more_get_through_than_may(limit):
    limit(post="20/h")
    done = []
    at_once(*[lambda: done.append(through(10)) for _ in range(6)])
    assert sum(done) == 20


@pytest.mark.slow
def test_of_many_processes_no_more_get_through_than_may():
    names = {
        "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        "MONGODB_NAME": connection.settings_dict["NAME"],
        "RATE_LIMIT_POSTS": f"{rate_limit_process.LIMIT}/h",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.accounts.rate_limit_process"],
        cwd=site_settings.BASE_DIR,
        env={**os.environ, **names},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (
        int(done.stdout)
        == rate_limit_process.LIMIT
        < rate_limit_process.PROCESSES * rate_limit_process.EACH
    )


def test_whoever_makes_the_document_at_the_same_moment_is_counted_too(limit, monkeypatch):
    limit(post="2/h")
    apply, calls = store._update_counts, []

    def meet_another(name, change):
        calls.append(name)
        if len(calls) == 1:
            apply(name, change)  # the other one, who is counted first
            raise DuplicateKeyError("the other one made it")
        return apply(name, change)

    monkeypatch.setattr(store, "_update_counts", meet_another)
    do()
    assert through(3) == 0


def test_nothing_is_kept_longer_than_it_counts(limit, clock):
    limit(post="300/3h")
    for _ in range(60):
        do()
        clock.now += timedelta(minutes=17)
    (remaining,) = action_counts().find()
    assert len(remaining["slots"]) <= SLOTS_PER_PERIOD + 1
    over = clock.now + timedelta(hours=3 * (SLOTS_PER_PERIOD + 1) / SLOTS_PER_PERIOD)
    assert remaining["until"].replace(tzinfo=UTC) <= over
    (index,) = [index for index in action_counts().index_information().values() if len(index) > 2]
    assert (index["key"], index["expireAfterSeconds"]) == ([("until", 1)], 0)


def test_what_is_known_of_somebody_can_be_forgotten(alice):
    publish(alice)
    assert action_counts().count_documents({}) == 1
    rate_limits.delete_counts(uid=alice.pk)
    assert action_counts().count_documents({}) == 0


@pytest.mark.parametrize("text", ["x", "3", "3/", "/h", "3/0h", "-1/h", "3/h/ip", "3/h ", "٣/h"])
def test_a_mistaken_limit_is_said_before_the_site_starts(limit, text):
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
def test_a_time_is_said_in_words_and_never_too_short(seconds, words):
    assert format_duration(seconds=seconds) == words


# --- Over HTTP -----------------------------------------------------------------------------------
def test_who_posts_too_much_reads_when_to_come_again_and_keeps_what_was_typed(as_alice, limit):
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


def test_a_form_that_was_wrong_and_one_that_is_sent_again_are_not_counted(as_alice, limit):
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


def test_who_comments_too_much_keeps_what_was_typed(as_alice, alice, limit):
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
    row, other = publish(bob, "one"), publish(bob, "other")
    for _ in range(4):
        assert as_alice.post(f"/posts/{row}/share/").status_code == 302
    assert as_alice.post(f"/posts/{other}/share/").status_code == 302
    response = as_alice.post("/posts/", {"text": "more"})
    assert response.status_code == 429


@pytest.mark.parametrize("what", ["like", "follow"])
def test_too_many_clicks_are_answered_by_a_page_a_sentence_or_json(
    as_alice, bob, carol, limit, what
):
    limit(like="1/h", follow="1/h")
    paths = {
        "like": [f"/posts/{publish(user)}/like/" for user in (bob, carol)],
        "follow": ["/@bob/follow/", "/@carol/follow/"],
    }
    first, second = paths[what]
    for _ in range(3):
        assert as_alice.post(first).status_code == 302
    page = as_alice.post(second)
    assert page.status_code == 429
    assert b"Too many requests" in page.content
    assert b"1 hour. You can" in page.content
    sentence = as_alice.post(second, headers={"HX-Request": "true"})
    assert sentence.status_code == 429
    assert sentence["Content-Type"].startswith("text/plain")
    assert sentence.content.startswith(b"You have ")
    program = as_alice.post(second, headers={"Accept": "application/json"})
    assert program.json() == {"error": sentence.content.decode()}
    for response in (page, sentence, program):
        assert 0 < int(response["Retry-After"]) <= 3600 * (SLOTS_PER_PERIOD + 1) / SLOTS_PER_PERIOD


def test_asking_to_follow_is_counted_once_for_each_person(alice, bob, carol, limit):
    limit(follow="2/h")
    for user in (bob, carol):
        set_private(uid=user.pk, is_private=True)
    for _ in range(3):
        follow(alice, bob)
    follow(alice, carol)
    with pytest.raises(RateLimited):
        follow(alice, *people(1))


def test_who_cannot_be_followed_is_not_counted(alice, bob, carol, limit):
    limit(follow="1/h")
    block_user(owner=bob.pk, other=alice.pk)
    for _ in range(3):
        with pytest.raises(CannotFollow):
            follow(alice, bob)
    follow(alice, carol)


def test_too_many_pictures_are_refused_and_the_words_kept(as_alice, limit):
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
    refused = as_alice.post("/settings/profile/", {"avatar": image(), "bio": "Hello"})
    assert refused.status_code == 429
    assert b"You can upload 3 pictures" in refused.content
    assert as_alice.post("/settings/profile/", {"bio": "Hello"}).status_code == 302


def test_searches_of_visitors_are_counted_by_address(client, alice, limit):
    limit(visitor_search="2/m", search="3/m")

    def search(**more):
        return client.get("/search/", {"q": "x", "type": "posts"}, **more).status_code

    assert [search(REMOTE_ADDR="192.0.2.1") for _ in range(3)] == [200, 200, 429]
    assert [search(REMOTE_ADDR=f"2001:db8::{n}") for n in range(3)] == [200, 200, 429]
    assert search(REMOTE_ADDR="2001:db8:0:1::") == 200
    assert search(REMOTE_ADDR="192.0.2.2", HTTP_X_FORWARDED_FOR="192.0.2.1") == 200
    assert client.get("/search/", REMOTE_ADDR="192.0.2.1").status_code == 200, "nothing is wanted"
    client.force_login(alice)
    assert [search(REMOTE_ADDR="192.0.2.1") for _ in range(4)] == [200, 200, 200, 429]


def test_mails_to_confirm_an_address_are_not_sent_again_without_end(
    as_alice, alice, limit, settings, mailoutbox
):
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
def test_a_limit_costs_one_command(as_alice, bob, limit, record_commands, path, more):
    publish(bob)
    send = as_alice.get if more is None else as_alice.post
    send(path, more)  # warm
    with record_commands() as commands:
        send(path, {"text": "other"} if more else more)
    about = [name for name, command in commands if command.get(name) == "action_counts"]
    assert about == ([] if "follow" in path else ["findAndModify"]), (
        "who follows already is not counted"
    )
