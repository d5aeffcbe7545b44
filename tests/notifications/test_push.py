"""What comes to devices: who gets it, what it says, and what becomes of devices that do not take it."""

import base64
import hashlib
import json
import time
from contextlib import suppress
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from django.utils import timezone

from accounts import user_cards
from accounts.models import User
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import unfollow_user
from accounts.services.profiles import update_profile
from feed.services.posts import delete_post, publish_post
from notifications.kinds import kinds
from notifications.push import client, keys
from notifications.services.boxes import mark_read
from notifications.services.delivery import notify
from notifications.services.devices import add_device
from notifications.services.preferences import (
    save_mail_preferences,
    save_preferences,
    save_push_preferences,
)
from notifications.store.collections import notification_boxes
from notifications.store.devices import devices_of
from tests.actions import like_post
from tests.factories import follow, people, publish

from .push_helpers import Browser, push_service

ALL = [kind.name for kind in kinds()]


@pytest.fixture
def service(tmp_path, settings, monkeypatch, web_push):
    with push_service(tmp_path) as running:
        settings.WEB_PUSH_HOSTS = [running.address.removeprefix("https://")]
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "localhost.pem"))
        yield running


def add(person, browser):
    add_device(owner=person.pk, endpoint=browser.endpoint, **browser.keys, label="Mine")


@pytest.fixture
def phone(alice, service):
    """Alice's."""
    browser = service.browser("phone")
    add(alice, browser)
    return browser


def work(asked):
    """Do what workers are asked for now; what they ask for then stays. Returns how long it waits."""
    todo, asked[:] = list(asked), []
    for task, arguments, _ in todo:
        task(**arguments)
    return [seconds for _, _, seconds in asked]


def told(service, browser, path="phone"):
    return [browser.read(body) for got, _, body in service.got if got == path]


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_mention_comes_to_ones_device(alice, bob, service, phone, asked, settings):
    post = publish(bob, "Have you seen this, @alice?")
    work(asked)
    ((path, headers, body),) = service.got
    assert path == "phone"
    key = f"mention:{bob.pk}:{post}:0"
    assert phone.read(body) == {
        "title": "Bob Brown mentioned you",
        "body": "Have you seen this, @alice?",
        "url": f"/@bob/{post}/",
        "tag": key,
    }
    assert b"Have you" not in body
    assert headers["Content-Encoding"] == "aes128gcm"
    assert 86_300 < int(headers["TTL"]) <= 86_400
    digest = base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()).decode()
    assert headers["Topic"] == digest[:32]
    (device,) = devices_of(owner=alice.pk)
    assert device.last_used_at is not None


def test_the_push_service_learns_who_sends(alice, bob, service, phone, asked, settings):
    publish(bob, "@alice")
    work(asked)
    ((_, headers, _),) = service.got
    kind, _, rest = headers["Authorization"].partition(" ")
    text = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert kind == "vapid"
    assert text["k"] == keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)
    signed, _, signature = text["t"].rpartition(".")
    halves = [
        int.from_bytes(half, "big") for half in (bytes_of(signature)[:32], bytes_of(signature)[32:])
    ]
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes_of(text["k"]))
    public.verify(utils.encode_dss_signature(*halves), signed.encode(), ec.ECDSA(hashes.SHA256()))
    head, claims = (json.loads(bytes_of(part)) for part in signed.split("."))
    assert head["alg"] == "ES256"
    assert claims["aud"] == service.address
    assert claims["sub"] == "mailto:admin@example.org"
    assert time.time() < claims["exp"] < time.time() + 86_400


def test_all_devices_are_told_and_a_task_twice_shows_one(alice, bob, service, phone, asked):
    add(alice, desk := service.browser("desk"))
    publish(bob, "@alice")
    ((task, arguments, _),) = asked
    task(**arguments)
    task(**arguments)
    assert sorted(service.paths()) == ["desk", "desk", "phone", "phone"]
    (tag,) = {row["tag"] for row in told(service, phone) + told(service, desk, "desk")}
    assert len({headers["Topic"] for _, headers, _ in service.got}) == 1
    assert tag.startswith("mention:")


@pytest.mark.parametrize("status", [404, 410, 400, 401, 403, 413])
def test_a_device_that_is_refused_is_removed(alice, bob, service, phone, asked, status):
    add(alice, service.browser("desk"))
    service.answers["phone"] = status
    publish(bob, "@alice")
    assert work(asked) == []
    assert [device.endpoint[-4:] for device in devices_of(owner=alice.pk)] == ["desk"]


@pytest.mark.parametrize("status", [429, 500, 503, 302])
def test_who_cannot_take_it_now_is_asked_some_times_more(alice, bob, service, phone, asked, status):
    add(alice, service.browser("desk"))
    service.answers["phone"] = (status, {"Location": f"{service.address}/elsewhere"})
    publish(bob, "@alice")
    waits = []
    while asked:
        waits += work(asked)
    assert waits == [30, 120, 600]
    assert service.paths().count("phone") == 4
    assert service.paths().count("desk") == 1, "who took it is not asked again"
    assert "elsewhere" not in service.paths()
    assert len(devices_of(owner=alice.pk)) == 2


@pytest.mark.parametrize(
    ("text", "wait"),
    [("90", 90), ("3", 30), ("999999999", 3600), ("soon", 30), ("", 30), ("-5", 30)],
)
def test_a_push_service_may_say_when_to_come_again(alice, bob, service, phone, asked, text, wait):
    service.answers["phone"] = (429, {"Retry-After": text})
    publish(bob, "@alice")
    assert work(asked) == [wait]
    service.answers["phone"] = 201
    assert work(asked) == []
    assert len(told(service, phone)) == 2


def test_a_push_service_that_hangs_is_left(alice, bob, service, phone, asked, monkeypatch):
    monkeypatch.setattr(client, "READ_SECONDS", 0.2)
    over = []
    service.answers["phone"] = lambda handler: over.append(handler.rfile.read(1))
    publish(bob, "@alice")
    assert work(asked) == [30]
    service.answers["phone"] = lambda handler: handler.connection.close()
    assert work(asked) == [120]
    assert len(devices_of(owner=alice.pk)) == 1


def test_only_the_head_of_an_answer_is_read(alice, bob, service, phone, asked):
    def endless(handler):
        handler.send_response(201)
        handler.end_headers()
        with suppress(OSError):
            while True:
                handler.wfile.write(b"x" * 65536)

    service.answers["phone"] = endless
    publish(bob, "@alice")
    assert work(asked) == []
    (device,) = devices_of(owner=alice.pk)
    assert device.last_used_at is not None


def test_a_server_that_cannot_prove_its_name_gets_nothing(
    alice, bob, service, phone, asked, monkeypatch
):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    publish(bob, "@alice")
    assert work(asked) == [30]
    assert service.got == []


def test_an_address_that_is_not_allowed_any_more_gets_nothing(
    alice, bob, service, phone, asked, settings
):
    settings.WEB_PUSH_HOSTS = ["fcm.googleapis.com"]
    publish(bob, "@alice")
    assert work(asked) == []
    assert (service.got, devices_of(owner=alice.pk)) == ([], [])


def test_a_kind_comes_as_chosen(alice, bob, service, phone, asked):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    work(asked)
    assert service.got == []
    save_push_preferences(recipient=alice.pk, pushed_kinds=["follow"])
    publish(bob, "@alice")
    follow(bob, alice)
    work(asked)
    assert [row["title"] for row in told(service, phone)] == ["Bob Brown follows you"]


def test_what_is_off_on_the_site_does_not_come(alice, bob, service, phone, asked):
    save_preferences(recipient=alice.pk, disabled_kinds=["mention"], filters=[])
    publish(bob, "@alice")
    assert work(asked) == []
    assert service.got == []


def test_what_waits_to_be_let_through_does_not_come(alice, bob, service, phone, asked):
    save_preferences(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    publish(bob, "@alice")
    assert work(asked) == []
    assert service.got == []


def test_nothing_comes_in_quiet_hours(alice, bob, service, phone, asked):
    now = timezone.now().astimezone(ZoneInfo("Asia/Tokyo"))
    minute = now.hour * 60 + now.minute
    quiet = {"quiet_from": (minute - 5) % 1440, "quiet_until": (minute + 5) % 1440}
    save_mail_preferences(
        recipient=alice.pk, mode="off", mailed_kinds=[], time_zone="Asia/Tokyo", **quiet
    )
    publish(bob, "@alice")
    assert work(asked) == []
    assert service.got == []
    save_mail_preferences(
        recipient=alice.pk, mode="off", mailed_kinds=[], time_zone="Asia/Dubai", **quiet
    )
    publish(bob, "@alice again")
    work(asked)
    assert len(service.got) == 1


def was_here(reader, ago):
    at = timezone.now() - ago
    notification_boxes().update_one({"_id": reader.pk}, {"$set": {"seen_at": at}}, upsert=True)


def test_who_may_still_be_here_is_looked_for_later(alice, bob, service, phone, asked):
    publish(bob, "@alice")
    was_here(alice, timedelta(minutes=3))
    (wait,) = work(asked)
    assert 100 < wait < 130
    assert service.got == []
    was_here(alice, timedelta(minutes=6))
    assert work(asked) == []
    assert len(service.got) == 1


def test_who_was_here_since_is_not_called(alice, bob, service, phone, asked):
    publish(bob, "@alice")
    was_here(alice, timedelta(seconds=-1))
    assert work(asked) == []
    assert service.got == []


def test_what_was_read_does_not_come(alice, bob, service, phone, asked):
    publish(bob, "@alice")
    ((_, arguments, _),) = asked
    mark_read(recipient=alice.pk, ids=[arguments["row_id"]])
    assert work(asked) == []
    assert service.got == []


@pytest.mark.parametrize("change", ["delete", "block", "mute", "unfollowed"])
def test_what_may_not_be_read_any_more_does_not_come(alice, bob, service, phone, asked, change):
    follow(alice, bob)
    post = publish(bob, "Only for friends, @alice", visibility="followers")
    todo = [row for row in asked if row[1]["recipient"] == alice.pk]
    assert todo
    {
        "delete": lambda: delete_post(post_id=post, actor=bob),
        "block": lambda: block_user(owner=bob.pk, other=alice.pk),
        "mute": lambda: mute_user(owner=alice.pk, other=bob.pk, until=None),
        "unfollowed": lambda: unfollow_user(follower=alice.pk, followee=bob.pk),
    }[change]()
    assert work(todo) == []
    assert service.got == []


@pytest.mark.parametrize("is_deleted", [True, False])
def test_who_is_gone_has_no_devices(alice, bob, service, phone, asked, is_deleted):
    publish(bob, "@alice")
    if is_deleted:
        User.objects.filter(pk=alice.pk).delete()
    else:
        alice.is_active = False
        alice.save()
    assert work(asked) == []
    assert (service.got, devices_of(owner=alice.pk)) == ([], [])


def test_what_is_old_does_not_come(alice, bob, service, phone, asked, monkeypatch):
    publish(bob, "@alice")
    later = timezone.now() + timedelta(days=1)
    monkeypatch.setattr("notifications.push.delivery.timezone.now", lambda: later)
    assert work(asked) == []
    assert service.got == []


def test_of_what_is_for_few_a_device_says_only_that_there_is_something(
    alice, bob, service, phone, asked
):
    publish(bob, "A secret, @alice", visibility="direct")
    publish_post(author=bob.pk, text="Look, @alice", content_warning="Spiders")
    work(asked)
    secret, warned = told(service, phone)
    assert (secret["title"], secret["body"]) == ("Mentions", "")
    assert warned["title"] == "Bob Brown mentioned you"
    assert "Look" not in warned["body"]


def test_long_words_fit_into_what_push_services_take(alice, bob, service, phone, asked):
    update_profile(uid=bob.pk, display_name="👩🏽‍🚀" * 7, bio="")
    publish(bob, "@alice " + "🏳️‍🌈" * 100)
    work(asked)
    ((_, _, body),) = service.got
    assert len(body) <= 4096
    assert told(service, phone)[0]["title"].endswith("mentioned you")


def commands_of(record_commands, act):
    with record_commands() as commands:
        act()
    return [(name, command.get(name)) for name, command in commands]


def test_a_delivery_costs_no_more_while_it_is_off(alice, bob, record_commands, asked, settings):
    def mention():
        notify(kind="follow", actor=bob.pk, recipients=[alice.pk])
        notification_boxes().delete_many({})

    def deliver():
        return [
            command for command in commands_of(record_commands, mention) if command[0] != "delete"
        ]

    off = deliver()
    assert ("find", "push_devices") not in off
    settings.WEB_PUSH_PRIVATE_KEY = keys.new_private_key()
    assert deliver() == [*off, ("find", "push_devices")]
    assert asked == []


def test_a_delivery_asks_once_for_all_readers_and_from_an_index(
    bob, record_commands, asked, web_push
):
    readers = people(20)
    for reader in readers[:3]:
        add(reader, Browser(f"https://web.push.apple.com/{reader.pk}"))
    with record_commands() as commands:
        notify(kind="follow", actor=bob.pk, recipients=[reader.pk for reader in readers])
    finds = [command for name, command in commands if command.get(name) == "push_devices"]
    assert len(finds) == 1
    ((task, arguments, _),) = asked
    assert sorted(arguments["recipients"]) == [reader.pk for reader in readers[:3]]
    task(**arguments)
    assert len(asked) == 4
    plan = notification_boxes().database.command(
        "explain", {"find": "push_devices", **{k: finds[0][k] for k in ("filter", "projection")}}
    )["executionStats"]
    assert (plan["totalDocsExamined"], plan["nReturned"]) == (0, 3)


def test_a_push_costs_the_same_however_many_devices(
    alice, bob, carol, service, asked, record_commands
):
    def costs(reader, count):
        for n in range(count):
            add(reader, service.browser(f"{reader.pk}-{n}"))
        publish(carol, f"@{reader.username}")
        user_cards.clear_cards()
        return commands_of(record_commands, lambda: work(asked))

    few = costs(alice, 1)
    assert [name for name, _ in costs(bob, 6)] == [name for name, _ in few]
    assert len(service.got) == 7
    assert len(few) <= 10, few
