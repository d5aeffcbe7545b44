"""The times of mails: digests in the morning of each user's time zone, and quiet hours."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from notifications.mail.schedule import (
    after_quiet_hours,
    mail_time,
    next_digest,
    preferred_zone,
)
from notifications.services.boxes import record_presence
from notifications.services.preferences import save_mail_preferences
from notifications.store.collections import notification_boxes
from notifications.store.preferences import MailPreferences

from .mail_helpers import box_of, deliver_notification, send_due_mails

pytestmark = pytest.mark.usefixtures("confirmed")

NEW_YORK = "America/New_York"
BERLIN = "Europe/Berlin"


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def minutes(text):
    hours, rest = text.split(":")
    return int(hours) * 60 + int(rest)


@pytest.mark.parametrize(
    ("mode", "zone", "after", "digest"),
    [
        ("daily", "", "2026-03-04 07:59", "2026-03-04 08:00"),
        ("daily", "", "2026-03-04 08:00", "2026-03-05 08:00"),
        ("daily", NEW_YORK, "2026-03-04 12:00", "2026-03-04 13:00"),
        ("daily", NEW_YORK, "2026-03-04 14:00", "2026-03-05 13:00"),
        ("daily", NEW_YORK, "2026-03-07 14:00", "2026-03-08 12:00"),  # clocks go forward
        ("daily", BERLIN, "2026-10-24 07:00", "2026-10-25 07:00"),  # clocks go back
        ("daily", "Pacific/Auckland", "2026-03-04 19:30", "2026-03-05 19:00"),
        ("weekly", "", "2026-03-04 09:00", "2026-03-09 08:00"),
        ("weekly", "", "2026-03-09 07:00", "2026-03-09 08:00"),
        ("weekly", "", "2026-03-09 08:00", "2026-03-16 08:00"),
        ("weekly", BERLIN, "2026-10-19 06:00", "2026-10-26 07:00"),
        ("weekly", "Pacific/Auckland", "2026-03-08 18:00", "2026-03-08 19:00"),
    ],
)
def test_digests_are_sent_in_the_morning_of_the_users_time_zone(mode, zone, after, digest):
    choice = MailPreferences(mode=mode, time_zone=zone)
    assert next_digest(choice=choice, after=at(after)) == at(digest)


@pytest.mark.parametrize("mode", ["away", "off"])
def test_other_modes_have_no_digest(mode):
    assert next_digest(choice=MailPreferences(mode=mode), after=at("2026-03-04 07:59")) is None


@pytest.mark.parametrize(
    ("start", "end", "zone", "moment", "over"),
    [
        ("22:00", "07:00", "", "2026-03-04 21:59", None),
        ("22:00", "07:00", "", "2026-03-04 22:00", "2026-03-05 07:00"),
        ("22:00", "07:00", "", "2026-03-05 06:59", "2026-03-05 07:00"),
        ("22:00", "07:00", "", "2026-03-05 07:00", None),
        ("12:00", "13:30", "", "2026-03-05 13:29", "2026-03-05 13:30"),
        ("12:00", "13:30", "", "2026-03-05 13:30", None),
        ("22:00", "00:00", "", "2026-03-05 23:00", "2026-03-06 00:00"),
        ("22:00", "07:00", NEW_YORK, "2026-03-05 03:30", "2026-03-05 12:00"),
        ("22:00", "07:00", NEW_YORK, "2026-03-05 02:30", None),
        ("22:00", "07:00", NEW_YORK, "2026-03-08 03:30", "2026-03-08 11:00"),  # a short night
        ("22:00", "07:00", BERLIN, "2026-10-24 20:30", "2026-10-25 06:00"),  # a long night
        ("22:00", "02:30", BERLIN, "2026-03-28 22:00", "2026-03-29 01:30"),  # there is no 2:30
        ("01:00", "02:30", BERLIN, "2026-10-25 01:15", "2026-10-25 01:30"),  # 2:15 occurs twice
    ],
)
def test_quiet_hours_end_in_the_users_time_zone(start, end, zone, moment, over):
    choice = MailPreferences(quiet_from=minutes(start), quiet_until=minutes(end), time_zone=zone)
    assert after_quiet_hours(choice=choice, moment=at(moment)) == at(over or moment)


@hypothesis_settings(max_examples=80)
@given(
    start=st.integers(0, 1439),
    end=st.integers(0, 1439),
    zone=st.sampled_from([BERLIN, NEW_YORK, "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]),
    moment=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),
    mode=st.sampled_from(["away", "daily", "weekly"]),
)
def test_a_mail_is_sent_after_quiet_hours_and_within_nine_days(start, end, zone, moment, mode):
    now = moment.replace(tzinfo=UTC)
    choice = MailPreferences(mode=mode, quiet_from=start, quiet_until=end, time_zone=zone)
    sent = mail_time(choice=choice, first_at=now, mailed_at=None, now=now)
    assert now < sent <= now + timedelta(days=9)
    over = after_quiet_hours(choice=choice, moment=now)
    assert now <= over <= now + timedelta(hours=26)
    if over > now:
        local = over.astimezone(preferred_zone(choice=choice))
        # Mails go out when quiet hours end. If clocks skip this time, mails go out up to an hour later.
        assert 0 <= (local.hour * 60 + local.minute - end) % 1440 <= 60


def test_an_unknown_time_zone_is_replaced_by_that_of_the_site(settings):
    settings.TIME_ZONE = BERLIN
    for name in ("Atlantis/Poseidonis", ""):
        assert preferred_zone(choice=MailPreferences(time_zone=name)).key == BERLIN


@pytest.mark.parametrize("mode", ["daily", "weekly"])
def test_a_delivery_schedules_the_next_digest(alice, bob, mailoutbox, mode):
    save_mail_preferences(recipient=alice.pk, mode=mode, mailed_kinds=["mention"])
    deliver_notification(alice, bob, ago=timedelta(0))
    box = box_of(alice)
    assert box["mail_due_at"] == box["mail"]["next_digest_at"]
    assert send_due_mails(mailoutbox) == []
    assert send_due_mails(mailoutbox, alice) == []  # the digest is not due yet
    assert box_of(alice)["mail_due_at"] == box["mail_due_at"]


def test_each_digest_contains_only_new_notifications(alice, bob, carol, mailoutbox):
    save_mail_preferences(recipient=alice.pk, mode="daily", mailed_kinds=["mention", "like"])
    notification_boxes().update_one(
        {"_id": alice.pk}, {"$set": {"mail.next_digest_at": at("2026-01-01")}}
    )
    deliver_notification(alice, bob, ago=timedelta(days=2))
    record_presence(recipient=alice.pk)  # digests are sent to present users, too
    (mail,) = send_due_mails(mailoutbox)
    assert "Bob" in mail.body
    box = box_of(alice)
    assert box["mail"]["next_digest_at"].replace(tzinfo=UTC) > datetime.now(UTC)
    deliver_notification(alice, carol, ago=timedelta(days=1))
    assert send_due_mails(mailoutbox) == []
    (mail,) = send_due_mails(mailoutbox, alice)
    assert mail.subject == "[Socialsite] Your daily summary: 1 new notification"
    assert "Bob" not in mail.body


def test_mails_wait_during_quiet_hours(alice, bob, mailoutbox):
    now = datetime.now(UTC)
    minute = now.hour * 60 + now.minute
    quiet = {"quiet_from": (minute - 30) % 1440, "quiet_until": (minute + 30) % 1440}
    save_mail_preferences(recipient=alice.pk, mode="away", mailed_kinds=["mention"], **quiet)
    deliver_notification(alice, bob)
    assert send_due_mails(mailoutbox) == []
    waits = box_of(alice)["mail_due_at"].replace(tzinfo=UTC) - now
    assert timedelta(minutes=28) < waits <= timedelta(minutes=31)
    save_mail_preferences(recipient=alice.pk, mode="away", mailed_kinds=["mention"])
    assert len(send_due_mails(mailoutbox)) == 1  # new preferences reschedule the mail
