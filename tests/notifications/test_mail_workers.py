"""Concurrent and interrupted mail workers, and mail servers that refuse mails."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from notifications.mail.sender import LEASE, MAX_ATTEMPTS
from notifications.services.preferences import change_mail_preferences
from notifications.store import mail_queue as store
from notifications.store.preferences import NEVER
from notifications.tasks import send_mails
from tests.at_once import at_once

from .mail_helpers import box_of, deliver_notification, make_mail_due, send_due_mails

pytestmark = pytest.mark.usefixtures("confirmed")


class Killed(BaseException):
    """Simulates the death of a worker. No code catches this exception."""


def die(*_, **__):
    raise Killed


def time_until_due(recipient):
    return box_of(recipient)["mail_due_at"].replace(tzinfo=timezone.now().tzinfo) - timezone.now()


def test_concurrent_workers_send_each_mail_once(alice, bob, carol, mailoutbox):
    for recipient in (alice, bob):
        deliver_notification(recipient, carol)
    at_once(send_mails, send_mails, send_mails)
    assert sorted(mail.to for mail in mailoutbox) == [["alice@example.org"], ["bob@example.org"]]


@pytest.mark.parametrize("step", ["start_sending", "finish_mail", "postpone_mail"])
def test_another_worker_sends_the_mail_of_a_dead_worker(
    alice, bob, carol, mailoutbox, monkeypatch, step
):
    deliver_notification(alice, bob, ago=timedelta(minutes=5 if step == "postpone_mail" else 15))
    make_mail_due(alice)
    with monkeypatch.context() as patched:
        patched.setattr(store, step, die)
        with pytest.raises(Killed):
            send_mails()
    sent = [mail.message()["Message-ID"] for mail in mailoutbox]
    assert len(sent) == (step == "finish_mail")
    send_mails()
    assert len(mailoutbox) == len(sent)  # the mail is still claimed
    assert LEASE - timedelta(minutes=1) < time_until_due(alice) <= LEASE
    newest = deliver_notification(alice, carol)
    (mail,) = send_due_mails(mailoutbox, alice)
    if step != "finish_mail":
        assert "Carol" in mail.body
        assert box_of(alice)["mailed_upto"] >= newest
        return
    # The first mail may have arrived, so the retry sends the same mail. Later notifications get another
    # mail.
    assert [mail.message()["Message-ID"]] == sent
    assert "Carol" not in mail.body
    assert timedelta(minutes=5) < time_until_due(alice) <= timedelta(minutes=10)


def test_a_worker_that_lost_its_claim_records_no_mail(alice, bob):
    deliver_notification(alice, bob)
    ((recipient, due),) = store.due_mails(at=timezone.now())
    slow = store.claim_mail(recipient=recipient, due_at=due, until=timezone.now())
    quick = store.claim_mail(
        recipient=recipient, due_at=box_of(alice)["mail_due_at"], until=timezone.now() + LEASE
    )
    assert not store.start_sending(claim=slow)
    store.finish_mail(claim=slow, now=timezone.now(), is_sent=True)
    assert "mailed_upto" not in box_of(alice)
    assert store.start_sending(claim=quick)
    assert store.claim_mail(recipient=recipient, due_at=due, until=timezone.now()) is None


def test_preferences_saved_during_rendering_are_respected(alice, bob, mailoutbox, monkeypatch):
    deliver_notification(alice, bob)
    start_sending = store.start_sending

    def turn_off_first(*, claim):
        change_mail_preferences(recipient=alice.pk, mode=NEVER)
        return start_sending(claim=claim)

    monkeypatch.setattr(store, "start_sending", turn_off_first)
    assert send_due_mails(mailoutbox) == []


def test_refused_mails_are_retried_with_longer_pauses_and_then_dropped(
    alice, bob, carol, mailoutbox, monkeypatch
):
    send = EmailBackend.send_messages

    def refuse(self, messages):
        if messages[0].to == ["alice@example.org"]:
            raise SMTPRecipientsRefused({"alice@example.org": (550, b"No such person")})
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    deliver_notification(alice, carol)
    pauses = []
    for n in range(MAX_ATTEMPTS):
        deliver_notification(bob, alice if n else carol, post=0)
        make_mail_due(alice)
        send_mails()
        if "mail_due_at" in box_of(alice):
            pauses.append(round(time_until_due(alice) / timedelta(minutes=1)))
    assert [mail.to for mail in mailoutbox] == [["bob@example.org"]]
    assert pauses == [5, 10, 20, 40, 80, 160, 320]
    monkeypatch.undo()
    assert send_due_mails(mailoutbox, alice) == []
    deliver_notification(alice, bob)
    (mail,) = send_due_mails(mailoutbox, alice)
    assert "Carol" not in mail.body


def test_no_mail_is_claimed_without_a_mail_server(alice, bob, mailoutbox, monkeypatch):
    deliver_notification(alice, bob)
    before = box_of(alice)

    def unreachable(self):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "open", unreachable)
    send_mails()
    assert box_of(alice) == before
    monkeypatch.undo()
    assert len(send_due_mails(mailoutbox)) == 1


def test_a_broken_connection_is_replaced_for_the_next_mail(
    alice, bob, carol, mailoutbox, monkeypatch
):
    for recipient in (alice, bob):
        deliver_notification(recipient, carol)
    steps = []
    send = EmailBackend.send_messages

    def break_once(self, messages):
        steps.append("send")
        if steps.count("send") == 1:
            raise SMTPServerDisconnected
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", break_once)
    monkeypatch.setattr(EmailBackend, "open", lambda self: steps.append("open"))
    monkeypatch.setattr(EmailBackend, "close", lambda self: steps.append("close"))
    send_mails()
    assert steps == ["open", "send", "close", "open", "send", "close"]
    assert len(mailoutbox) == 1


def test_mails_are_sent_every_minute(settings):
    schedules = [
        row for row in settings.CELERY_BEAT_SCHEDULE.values() if row["task"] == send_mails.name
    ]
    assert [row["schedule"] for row in schedules] == [60.0]
