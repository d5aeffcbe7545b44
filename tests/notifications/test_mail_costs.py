"""What mails cost the database, and that pages note for them who is here."""

from datetime import timedelta

import pytest

from accounts import user_cards
from notifications.services import boxes
from notifications.services.boxes import mark_read
from notifications.tasks import send_mails
from tests.factories import publish

from .mail_helpers import due_now, mails, tell

pytestmark = pytest.mark.usefixtures("confirmed")


def test_a_mail_costs_the_same_however_much_it_tells(
    alice, bob, carol, mailoutbox, record_commands
):
    def costs(reader, count):
        for _ in range(count):
            tell(reader, carol, post=publish(carol))
        user_cards.clear_cards()
        with record_commands() as commands:
            send_mails()
        return [name for name, _ in commands]

    few = costs(alice, 1)
    assert costs(bob, 7) == few
    assert len(mailoutbox) == 2
    assert len(few) <= 16, few


def test_nothing_due_costs_one_command(alice, bob, record_commands):
    tell(alice, bob, ago=timedelta(0))
    with record_commands() as commands:
        send_mails()
    assert [name for name, _ in commands] == ["find"]


def test_a_look_without_a_mail_is_two_commands(alice, bob, record_commands):
    mark_read(recipient=alice.pk, ids=[tell(alice, bob)])
    due_now(alice)
    with record_commands() as commands:
        send_mails()
    assert [name for name, _ in commands] == ["find", "findAndModify", "update"]


def test_every_page_shows_that_its_reader_is_here(
    alice, bob, client, mailoutbox, record_commands, monkeypatch
):
    monkeypatch.setattr(boxes, "PRESENCE_INTERVAL_SECONDS", 300.0)
    tell(alice, bob)
    client.force_login(alice)
    with record_commands() as commands:
        client.get("/people/")
        client.get("/people/")
    asked = [name for name, command in commands if "notification_boxes" in command.values()]
    assert asked == ["findAndModify", "find"]
    assert mails(mailoutbox) == []
