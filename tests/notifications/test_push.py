"""Push messages to devices: recipients, content, and devices that refuse them."""

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
from django.utils.translation import override

from accounts import user_cards
from accounts.models import User
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.follows import unfollow_user
from accounts.services.profiles import update_profile
from feed.services.posts import delete_post
from notifications.kinds import kinds
from notifications.push import client, keys
from notifications.services.boxes import mark_read
from notifications.services.delivery import notify
from notifications.services.preferences import (
    save_mail_preferences,
    save_push_preferences,
)
from notifications.store.collections import notification_boxes
from notifications.store.devices import devices_of, save_device
from notifications.store.preferences import save_kinds
from tests.actions import like_post, publish_post
from tests.factories import follow, people, publish
from tests.languages.helpers import translated

from .push_helpers import Browser, push_service

ALL = [kind.name for kind in kinds()]


@pytest.fixture
def service(tmp_path, settings, monkeypatch, web_push):
    with push_service(tmp_path) as running:
        settings.WEB_PUSH_HOSTS = [running.address.removeprefix("https://")]
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "localhost.pem"))
        yield running


def add(user, browser):
    save_device(
        owner=user.pk,
        endpoint=browser.endpoint,
        **browser.keys,
        label="Mine",
        now=timezone.now(),
    )


@pytest.fixture
def phone(alice, service):
    """A device of alice."""
    browser = service.browser("phone")
    add(alice, browser)
    return browser


def run_tasks(queued_tasks):
    """Run the queued tasks. Return the delays of the tasks that these tasks enqueue."""
    due_tasks, queued_tasks[:] = list(queued_tasks), []
    for task, arguments, _ in due_tasks:
        task(**arguments)
    return [delay for _, _, delay in queued_tasks]


def pushed_messages(service, browser, path="phone"):
    return [browser.decrypt(body) for got, _, body in service.got if got == path]


def decode_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_mention_is_pushed_to_a_device(alice, bob, service, phone, queued_tasks, settings):
    post = publish(bob, "Have you seen this, @alice?")
    run_tasks(queued_tasks)
    ((path, headers, body),) = service.got
    assert path == "phone"
    key = f"mention:{bob.pk}:{post}:0"
    assert phone.decrypt(body) == {
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


def test_requests_to_the_push_service_are_signed(
    alice, bob, service, phone, queued_tasks, settings
):
    publish(bob, "@alice")
    run_tasks(queued_tasks)
    ((_, headers, _),) = service.got
    kind, _, rest = headers["Authorization"].partition(" ")
    text = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert kind == "vapid"
    assert text["k"] == keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)
    signed, _, signature = text["t"].rpartition(".")
    halves = [
        int.from_bytes(half, "big")
        for half in (decode_base64url(signature)[:32], decode_base64url(signature)[32:])
    ]
    public = ec.EllipticCurvePublicKey.from_encoded_point(
        ec.SECP256R1(), decode_base64url(text["k"])
    )
    public.verify(utils.encode_dss_signature(*halves), signed.encode(), ec.ECDSA(hashes.SHA256()))
    head, claims = (json.loads(decode_base64url(part)) for part in signed.split("."))
    assert head["alg"] == "ES256"
    assert claims["aud"] == service.address
    assert claims["sub"] == "mailto:admin@example.org"
    assert time.time() < claims["exp"] < time.time() + 86_400


def test_a_repeated_task_replaces_the_message_on_all_devices(
    alice, bob, service, phone, queued_tasks
):
    add(alice, desk := service.browser("desk"))
    publish(bob, "@alice")
    ((task, arguments, _),) = queued_tasks
    task(**arguments)
    task(**arguments)
    assert sorted(service.paths()) == ["desk", "desk", "phone", "phone"]
    (tag,) = {
        row["tag"]
        for row in pushed_messages(service, phone) + pushed_messages(service, desk, "desk")
    }
    assert len({headers["Topic"] for _, headers, _ in service.got}) == 1
    assert tag.startswith("mention:")


def test_a_device_with_a_permanent_error_is_removed(alice, bob, service, phone, queued_tasks):
    add(alice, service.browser("desk"))
    for status in (404, 410, 400, 401, 403, 413):
        add(alice, phone)
        service.responses["phone"] = status
        publish(bob, "@alice")
        assert run_tasks(queued_tasks) == [], status
        endpoints = [device.endpoint[-4:] for device in devices_of(owner=alice.pk)]
        assert endpoints == ["desk"], status
    assert service.paths().count("phone") == 6


def test_temporary_errors_are_retried_three_times(alice, bob, service, phone, queued_tasks):
    add(alice, service.browser("desk"))
    for status in (429, 500, 503, 302):
        service.got.clear()
        service.responses["phone"] = (status, {"Location": f"{service.address}/elsewhere"})
        publish(bob, "@alice")
        delays = []
        while queued_tasks:
            delays += run_tasks(queued_tasks)
        assert delays == [30, 120, 600], status
        assert service.paths().count("phone") == 4
        assert service.paths().count("desk") == 1, "a delivered message is not sent again"
        assert "elsewhere" not in service.paths()
        assert len(devices_of(owner=alice.pk)) == 2


def test_the_retry_after_header_is_respected(alice, bob, service, phone, queued_tasks):
    waits = {"90": 90, "3": 30, "999999999": 3600, "soon": 30, "": 30, "-5": 30}
    for text, wait in waits.items():
        service.got.clear()
        service.responses["phone"] = (429, {"Retry-After": text})
        publish(bob, "@alice")
        assert run_tasks(queued_tasks) == [wait], text
        service.responses["phone"] = 201
        assert run_tasks(queued_tasks) == []
        assert len(pushed_messages(service, phone)) == 2


def test_a_push_service_that_hangs_times_out(alice, bob, service, phone, queued_tasks, monkeypatch):
    monkeypatch.setattr(client, "READ_SECONDS", 0.2)
    read_bytes = []
    service.responses["phone"] = lambda handler: read_bytes.append(handler.rfile.read(1))
    publish(bob, "@alice")
    assert run_tasks(queued_tasks) == [30]
    service.responses["phone"] = lambda handler: handler.connection.close()
    assert run_tasks(queued_tasks) == [120]
    assert len(devices_of(owner=alice.pk)) == 1


def test_the_body_of_a_response_is_not_read(alice, bob, service, phone, queued_tasks):
    def endless(handler):
        handler.send_response(201)
        handler.end_headers()
        with suppress(OSError):
            while True:
                handler.wfile.write(b"x" * 65536)

    service.responses["phone"] = endless
    publish(bob, "@alice")
    assert run_tasks(queued_tasks) == []
    (device,) = devices_of(owner=alice.pk)
    assert device.last_used_at is not None


def test_a_server_with_an_invalid_certificate_gets_no_message(
    alice, bob, service, phone, queued_tasks, monkeypatch
):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    publish(bob, "@alice")
    assert run_tasks(queued_tasks) == [30]
    assert service.got == []


def test_a_host_removed_from_the_settings_gets_no_message(
    alice, bob, service, phone, queued_tasks, settings
):
    settings.WEB_PUSH_HOSTS = ["fcm.googleapis.com"]
    publish(bob, "@alice")
    assert run_tasks(queued_tasks) == []
    assert (service.got, devices_of(owner=alice.pk)) == ([], [])


def test_only_the_chosen_kinds_are_pushed(alice, bob, service, phone, queued_tasks):
    post = publish(alice)
    like_post(post_id=post, actor=bob)
    run_tasks(queued_tasks)
    assert service.got == []
    save_push_preferences(recipient=alice.pk, pushed_kinds=["follow"])
    publish(bob, "@alice")
    follow(bob, alice)
    run_tasks(queued_tasks)
    assert [row["title"] for row in pushed_messages(service, phone)] == ["Bob Brown follows you"]


def test_disabled_kinds_are_not_pushed(alice, bob, service, phone, queued_tasks):
    save_kinds(recipient=alice.pk, disabled_kinds=["mention"], filters=[])
    publish(bob, "@alice")
    assert run_tasks(queued_tasks) == []
    assert service.got == []


def test_filtered_notifications_are_not_pushed(alice, bob, service, phone, queued_tasks):
    save_kinds(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    publish(bob, "@alice")
    assert run_tasks(queued_tasks) == []
    assert service.got == []


def test_nothing_is_pushed_during_quiet_hours(alice, bob, service, phone, queued_tasks):
    now = timezone.now().astimezone(ZoneInfo("Asia/Tokyo"))
    minute = now.hour * 60 + now.minute
    quiet = {"quiet_from": (minute - 5) % 1440, "quiet_until": (minute + 5) % 1440}
    save_mail_preferences(
        recipient=alice.pk, mode="off", mailed_kinds=[], time_zone="Asia/Tokyo", **quiet
    )
    publish(bob, "@alice")
    assert run_tasks(queued_tasks) == []
    assert service.got == []
    save_mail_preferences(
        recipient=alice.pk, mode="off", mailed_kinds=[], time_zone="Asia/Dubai", **quiet
    )
    publish(bob, "@alice again")
    run_tasks(queued_tasks)
    assert len(service.got) == 1


def set_last_visit(recipient, ago):
    at = timezone.now() - ago
    notification_boxes().update_one({"_id": recipient.pk}, {"$set": {"seen_at": at}}, upsert=True)


def test_the_message_for_a_recent_visitor_is_delayed(alice, bob, service, phone, queued_tasks):
    publish(bob, "@alice")
    set_last_visit(alice, timedelta(minutes=3))
    (wait,) = run_tasks(queued_tasks)
    assert 100 < wait < 130
    assert service.got == []
    set_last_visit(alice, timedelta(minutes=6))
    assert run_tasks(queued_tasks) == []
    assert len(service.got) == 1


def test_notifications_before_the_last_visit_are_not_pushed(
    alice, bob, service, phone, queued_tasks
):
    publish(bob, "@alice")
    set_last_visit(alice, timedelta(seconds=-1))
    assert run_tasks(queued_tasks) == []
    assert service.got == []


def test_read_notifications_are_not_pushed(alice, bob, service, phone, queued_tasks):
    publish(bob, "@alice")
    ((_, arguments, _),) = queued_tasks
    mark_read(recipient=alice.pk, ids=[arguments["row_id"]])
    assert run_tasks(queued_tasks) == []
    assert service.got == []


@pytest.mark.parametrize("change", ["delete", "block", "mute", "unfollowed"])
def test_notifications_about_invisible_posts_are_not_pushed(
    alice, bob, service, phone, queued_tasks, change
):
    follow(alice, bob)
    post = publish(bob, "Only for friends, @alice", visibility="followers")
    own_tasks = [row for row in queued_tasks if row[1]["recipient"] == alice.pk]
    assert own_tasks
    {
        "delete": lambda: delete_post(post_id=post, actor=bob),
        "block": lambda: block_user(owner=bob.pk, other=alice.pk),
        "mute": lambda: mute_user(owner=alice.pk, other=bob.pk, until=None),
        "unfollowed": lambda: unfollow_user(follower=alice.pk, followee=bob.pk),
    }[change]()
    assert run_tasks(own_tasks) == []
    assert service.got == []


@pytest.mark.parametrize("is_deleted", [True, False])
def test_inactive_and_deleted_users_lose_their_devices(
    alice, bob, service, phone, queued_tasks, is_deleted
):
    publish(bob, "@alice")
    if is_deleted:
        User.objects.filter(pk=alice.pk).delete()
    else:
        alice.is_active = False
        alice.save()
    assert run_tasks(queued_tasks) == []
    assert (service.got, devices_of(owner=alice.pk)) == ([], [])


def test_old_notifications_are_not_pushed(alice, bob, service, phone, queued_tasks, monkeypatch):
    publish(bob, "@alice")
    later = timezone.now() + timedelta(days=1)
    monkeypatch.setattr("notifications.push.delivery.timezone.now", lambda: later)
    assert run_tasks(queued_tasks) == []
    assert service.got == []


def test_messages_hide_direct_posts_and_text_behind_content_warnings(
    alice, bob, service, phone, queued_tasks
):
    publish(bob, "A secret, @alice", visibility="direct")
    publish_post(author=bob.pk, text="Look, @alice", content_warning="Spiders")
    run_tasks(queued_tasks)
    secret, warned = pushed_messages(service, phone)
    assert (secret["title"], secret["body"]) == ("Mentions", "")
    assert warned["title"] == "Bob Brown mentioned you"
    assert "Look" not in warned["body"]


def test_long_texts_are_shortened_to_the_maximum_size(alice, bob, service, phone, queued_tasks):
    update_profile(uid=bob.pk, display_name="👩🏽‍🚀" * 7, bio="")
    publish(bob, "@alice " + "🏳️‍🌈" * 100)
    run_tasks(queued_tasks)
    ((_, _, body),) = service.got
    assert len(body) <= 4096
    assert pushed_messages(service, phone)[0]["title"].endswith("mentioned you")


def commands_of(record_commands, act):
    with record_commands() as commands:
        act()
    return [(name, command.get(name)) for name, command in commands]


def test_a_delivery_without_web_push_costs_no_extra_command(
    alice, bob, record_commands, queued_tasks, settings
):
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
    assert queued_tasks == []


def test_a_delivery_finds_the_devices_of_all_recipients_with_one_index_scan(
    bob, record_commands, queued_tasks, web_push
):
    recipients = people(20)
    for recipient in recipients[:3]:
        add(recipient, Browser(f"https://web.push.apple.com/{recipient.pk}"))
    with record_commands() as commands:
        notify(kind="follow", actor=bob.pk, recipients=[recipient.pk for recipient in recipients])
    finds = [command for name, command in commands if command.get(name) == "push_devices"]
    assert len(finds) == 1
    ((task, arguments, _),) = queued_tasks
    assert sorted(arguments["recipients"]) == [recipient.pk for recipient in recipients[:3]]
    task(**arguments)
    assert len(queued_tasks) == 4
    plan = notification_boxes().database.command(
        "explain", {"find": "push_devices", **{k: finds[0][k] for k in ("filter", "projection")}}
    )["executionStats"]
    assert (plan["totalDocsExamined"], plan["nReturned"]) == (0, 3)


def test_a_push_costs_the_same_for_any_number_of_devices(
    alice, bob, carol, service, queued_tasks, record_commands
):
    def costs(recipient, count):
        for n in range(count):
            add(recipient, service.browser(f"{recipient.pk}-{n}"))
        publish(carol, f"@{recipient.username}")
        user_cards.clear_cards()
        return commands_of(record_commands, lambda: run_tasks(queued_tasks))

    few = costs(alice, 1)
    assert [name for name, _ in costs(bob, 6)] == [name for name, _ in few]
    assert len(service.got) == 7
    assert len(few) <= 10, few


def test_pushes_have_the_language_of_the_recipient(alice, bob, service, phone, queued_tasks):
    User.objects.filter(pk=alice.pk).update(language="de")
    with override("ja"):
        publish(bob, "Only for you, @alice", "direct")
        run_tasks(queued_tasks)
    (message,) = pushed_messages(service, phone)
    assert message["title"] == translated("Mentions", "de")
