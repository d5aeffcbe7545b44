"""The database commands of mails, and the presence that pages record so that mails are skipped."""

from datetime import timedelta

import pytest

from accounts import user_cards
from notifications.services import boxes
from notifications.services.boxes import mark_read
from notifications.tasks import send_mails
from tests.factories import publish

from .mail_helpers import deliver_notification, make_mail_due, send_due_mails

pytestmark = pytest.mark.usefixtures("confirmed")


def test_a_mail_costs_the_same_for_any_number_of_notifications(
    alice, bob, carol, mailoutbox, record_commands
):
    def costs(recipient, count):
        for _ in range(count):
            deliver_notification(recipient, carol, post=publish(carol))
        user_cards.clear_cards()
        with record_commands() as commands:
            send_mails()
        return [name for name, _ in commands]

    few = costs(alice, 1)
    assert costs(bob, 7) == few
    assert len(mailoutbox) == 2
    assert len(few) <= 16, few


def test_the_check_for_due_mails_is_one_command(alice, bob, record_commands):
    deliver_notification(alice, bob, ago=timedelta(0))
    with record_commands() as commands:
        send_mails()
    assert [name for name, _ in commands] == ["find"]


def test_a_due_check_without_a_mail_is_three_commands(alice, bob, record_commands):
    mark_read(recipient=alice.pk, ids=[deliver_notification(alice, bob)])
    make_mail_due(alice)
    with record_commands() as commands:
        send_mails()
    assert [name for name, _ in commands] == ["find", "findAndModify", "update"]


def test_every_page_records_the_presence_of_its_viewer(
    alice, bob, client, mailoutbox, record_commands, monkeypatch
):
    monkeypatch.setattr(boxes, "PRESENCE_INTERVAL_SECONDS", 300.0)
    deliver_notification(alice, bob)
    client.force_login(alice)
    with record_commands() as commands:
        client.get("/explore/people/")
        client.get("/explore/people/")
    box_commands = [name for name, command in commands if "notification_boxes" in command.values()]
    assert box_commands == ["findAndModify", "find"]
    assert send_due_mails(mailoutbox) == []
