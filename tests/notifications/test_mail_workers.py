"""Workers that mail side by side, or die while they do, and mail servers that say no."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from notifications.mail.sender import LEASE, MAX_ATTEMPTS
from notifications.services.preferences import turn_off_mails
from notifications.store import mail_queue as store
from notifications.tasks import send_mails
from tests.at_once import at_once

from .mail_helpers import box_of, due_now, mails, tell

pytestmark = pytest.mark.usefixtures("confirmed")


class Killed(BaseException):
    """A worker that is killed notes nothing."""


def die(*_, **__):
    raise Killed


def waits(reader):
    return box_of(reader)["mail_due_at"].replace(tzinfo=timezone.now().tzinfo) - timezone.now()


def test_of_two_workers_one_sends(alice, bob, carol, mailoutbox):
    for reader in (alice, bob):
        tell(reader, carol)
    at_once(send_mails, send_mails, send_mails)
    assert sorted(mail.to for mail in mailoutbox) == [["alice@example.org"], ["bob@example.org"]]


@pytest.mark.parametrize("step", ["start_sending", "finish_mail", "postpone_mail"])
def test_a_worker_that_dies_leaves_the_mail_to_another(
    alice, bob, carol, mailoutbox, monkeypatch, step
):
    tell(alice, bob, ago=timedelta(minutes=5 if step == "postpone_mail" else 15))
    due_now(alice)
    with monkeypatch.context() as patched:
        patched.setattr(store, step, die)
        with pytest.raises(Killed):
            send_mails()
    sent = [mail.message()["Message-ID"] for mail in mailoutbox]
    assert len(sent) == (step == "finish_mail")
    send_mails()
    assert len(mailoutbox) == len(sent)  # it is still claimed
    assert LEASE - timedelta(minutes=1) < waits(alice) <= LEASE
    newest = tell(alice, carol)
    (mail,) = mails(mailoutbox, alice)
    if step != "finish_mail":
        assert "Carol" in mail.body
        assert box_of(alice)["mailed_upto"] >= newest
        return
    # It may have come: the same once more, and the rest by itself.
    assert [mail.message()["Message-ID"]] == sent
    assert "Carol" not in mail.body
    assert timedelta(minutes=5) < waits(alice) <= timedelta(minutes=10)


def test_a_worker_that_was_too_slow_notes_nothing(alice, bob):
    tell(alice, bob)
    ((reader, due),) = store.due_mails(at=timezone.now())
    slow = store.claim_mail(recipient=reader, due_at=due, until=timezone.now())
    quick = store.claim_mail(
        recipient=reader, due_at=box_of(alice)["mail_due_at"], until=timezone.now() + LEASE
    )
    assert not store.start_sending(claim=slow)
    store.finish_mail(claim=slow, now=timezone.now(), is_sent=True)
    assert "mailed_upto" not in box_of(alice)
    assert store.start_sending(claim=quick)
    assert store.claim_mail(recipient=reader, due_at=due, until=timezone.now()) is None


def test_a_choice_made_while_a_mail_is_written_counts(alice, bob, mailoutbox, monkeypatch):
    tell(alice, bob)
    begin = store.start_sending

    def stopped(*, claim):
        turn_off_mails(recipient=alice.pk)
        return begin(claim=claim)

    monkeypatch.setattr(store, "start_sending", stopped)
    assert mails(mailoutbox) == []


def test_what_a_mail_server_refuses_is_tried_less_and_less_often_then_given_up(
    alice, bob, carol, mailoutbox, monkeypatch
):
    send = EmailBackend.send_messages

    def refuse(self, messages):
        if messages[0].to == ["alice@example.org"]:
            raise SMTPRecipientsRefused({"alice@example.org": (550, b"No such person")})
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    tell(alice, carol)
    pauses = []
    for n in range(MAX_ATTEMPTS):
        tell(bob, alice if n else carol, post=0)
        due_now(alice)
        send_mails()
        if "mail_due_at" in box_of(alice):
            pauses.append(round(waits(alice) / timedelta(minutes=1)))
    assert [mail.to for mail in mailoutbox] == [["bob@example.org"]]
    assert pauses == [5, 10, 20, 40, 80, 160, 320]
    monkeypatch.undo()
    assert mails(mailoutbox, alice) == []
    tell(alice, bob)
    (mail,) = mails(mailoutbox, alice)
    assert "Carol" not in mail.body


def test_while_no_mail_server_is_there_nobody_is_claimed(alice, bob, mailoutbox, monkeypatch):
    tell(alice, bob)
    before = box_of(alice)

    def unreachable(self):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "open", unreachable)
    send_mails()
    assert box_of(alice) == before
    monkeypatch.undo()
    assert len(mails(mailoutbox)) == 1


def test_a_connection_that_breaks_is_made_anew_for_the_next(
    alice, bob, carol, mailoutbox, monkeypatch
):
    for reader in (alice, bob):
        tell(reader, carol)
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


def test_the_clock_asks_for_it_every_minute(settings):
    asked = [
        row for row in settings.CELERY_BEAT_SCHEDULE.values() if row["task"] == send_mails.name
    ]
    assert [row["schedule"] for row in asked] == [60.0]
