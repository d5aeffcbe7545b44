"""The settings for mails, and unsubscribing with one click."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from notifications.kinds import configurable_kinds, kinds
from notifications.services.preferences import save_mail_preferences
from notifications.store import preferences
from notifications.store.preferences import MailPreferences, save_kinds
from notifications.store.preferences import get_preferences as preferences_of
from tests.feed.reading_html import words

from .mail_helpers import box_of, deliver_notification, send_due_mails

pytestmark = pytest.mark.usefixtures("confirmed")

PAGE = "/settings/notifications/mail/"


def mail_preferences_of(recipient):
    return preferences_of(recipient=recipient.pk).mail


@pytest.fixture
def link(alice, bob, mailoutbox, settings):
    """The unsubscribe link in the header of a mail to alice."""
    settings.SITE_URL = "http://testserver"
    deliver_notification(alice, bob)
    (mail,) = send_due_mails(mailoutbox)
    return re.fullmatch(r"<http://testserver(.+)>", mail.message()["List-Unsubscribe"])[1]


@pytest.fixture
def program():
    """A mail program: a client without cookies, with the CSRF checks of a browser."""
    return Client(enforce_csrf_checks=True)


def test_mail_programs_unsubscribe_with_one_click(alice, bob, carol, link, program, mailoutbox):
    save_mail_preferences(
        recipient=alice.pk,
        mode="daily",
        mailed_kinds=["like"],
        quiet_from=60,
        quiet_until=70,
        time_zone="UTC",
    )
    for _ in range(2):
        response = program.post(link, {"List-Unsubscribe": "One-Click"})
        assert response.status_code == 200
        assert "Notification emails are off" in words(response.content.decode())
    assert mail_preferences_of(alice).mode == "off"
    assert mail_preferences_of(alice).enabled == {"like"}
    assert (mail_preferences_of(alice).quiet_from, mail_preferences_of(alice).quiet_until) == (
        60,
        70,
    )
    deliver_notification(alice, carol)
    assert send_due_mails(mailoutbox, alice) == []


def test_unsubscribing_on_the_page_needs_a_confirmation(alice, link, program):
    page = program.get(link)
    html = page.content.decode()
    assert "@alice will no longer get emails" in words(html)
    assert f'action="{link}"' in html
    assert "no-store" in page["Cache-Control"]
    program.head(link)
    assert mail_preferences_of(alice).mode == "away"
    html = program.post(link).content.decode()
    assert f'href="{PAGE}"' in html
    assert mail_preferences_of(alice).mode == "off"


def test_an_invalid_unsubscribe_link_is_not_found(alice, link, program):
    forged = link.replace(str(alice.pk), str(alice.pk + 1))
    tokens = ("", "x", "1:x", "٣", "1:" + "x" * 2000, "\x00:a")
    paths = [f"/notifications/mail/stop/{token}/" for token in tokens]
    for path in (*paths, forged, link.replace("/stop/", "/stop/x")):
        assert program.get(path).status_code == 404
        assert program.post(path).status_code == 404
    assert mail_preferences_of(alice) == MailPreferences()


def test_the_unsubscribe_link_of_a_deleted_user_is_not_found(alice, link, program):
    User.objects.filter(pk=alice.pk).delete()
    assert program.post(link).status_code == 404
    assert program.put(link).status_code == 405


def test_mail_preferences_are_saved_by_a_form(alice, client):
    assert client.get(PAGE).status_code == 302
    client.force_login(alice)
    page = client.get(PAGE).content.decode()
    chosen = re.findall(r'name="mailed" value="(\w+)" checked', page)
    assert chosen == [kind.name for kind in configurable_kinds() if kind.alerts_by_default]
    fields = {
        "mode": "weekly",
        "mailed": ["like", "mention"],
        "quiet_from": "22:00",
        "quiet_until": "07:30",
    }
    client.cookies["time_zone"] = "Europe/Berlin"
    response = client.post(PAGE, fields)
    assert response["Location"] == PAGE
    assert mail_preferences_of(alice) == MailPreferences(
        mode="weekly",
        enabled=frozenset({"like"}),
        disabled=frozenset(kind.name for kind in kinds() if kind.alerts_by_default) - {"mention"},
        quiet_from=22 * 60,
        quiet_until=7 * 60 + 30,
        time_zone="Europe/Berlin",
    )
    assert box_of(alice)["unread"] == 0
    page = client.get(PAGE).content.decode()
    assert re.findall(r'name="mailed" value="(\w+)" checked', page) == ["mention", "like"]
    for shown in (
        'value="22:00"',
        'value="07:30"',
        '<option value="weekly" selected',
        "in the time zone Europe/Berlin",
    ):
        assert shown in page


MODERATOR_KINDS = {"notice", "decision", "decision_undone", "appeal_rejected", "report_closed"}


def mailed_kinds_of(recipient):
    return {kind.name for kind in kinds() if mail_preferences_of(recipient).wants(kind=kind)}


def test_all_messages_of_moderators_have_one_checkbox(alice, client):
    client.force_login(alice)
    lines = re.findall(r'name="mailed" value="(\w+)"', client.get(PAGE).content.decode())
    assert MODERATOR_KINDS.intersection(lines) == {"notice"}
    client.post(PAGE, {"mode": "away", "mailed": ["mention"]})
    assert mailed_kinds_of(alice) == {"mention"}
    client.post(PAGE, {"mode": "away", "mailed": ["notice"]})
    assert mailed_kinds_of(alice) == MODERATOR_KINDS


def test_an_older_mail_preferences_of_some_moderator_messages_is_respected(alice, client):
    stored = MailPreferences(disabled=frozenset(MODERATOR_KINDS - {"decision"}))
    preferences.save_mail(
        recipient=alice.pk, preferences=stored, next_digest=None, mailed_upto=0, at=timezone.now()
    )
    assert mailed_kinds_of(alice) & MODERATOR_KINDS == {"decision"}
    client.force_login(alice)
    assert 'value="notice" checked' in client.get(PAGE).content.decode()


def test_other_preferences_are_preserved(alice, client):
    save_kinds(recipient=alice.pk, disabled_kinds=["like"], filters=["strangers"])
    client.force_login(alice)
    client.post(PAGE, {"mode": "off"})
    saved = preferences_of(recipient=alice.pk)
    assert (saved.disabled_kinds, saved.filters, saved.mail.mode) == (
        {"like"},
        {"strangers"},
        "off",
    )
    save_kinds(recipient=alice.pk, disabled_kinds=[], filters=[])
    assert mail_preferences_of(alice).mode == "off"


INVALID_PREFERENCES = (
    {},
    {"mode": "hourly"},
    {"mode": "away", "mailed": ["nonsense"]},
    {"mode": "away", "quiet_from": "22:00"},
    {"mode": "away", "quiet_until": "22:00"},
    {"mode": "away", "quiet_from": "22:00", "quiet_until": "22:00"},
    {"mode": "away", "quiet_from": "25:00", "quiet_until": "7"},
    {"mode": "$where"},
)


def test_invalid_preferences_are_refused_with_an_error(alice, client):
    client.force_login(alice)
    for fields in INVALID_PREFERENCES:
        response = client.post(PAGE, fields)
        assert response.status_code == 422, fields
        assert 'class="field-errors"' in response.content.decode(), fields
    assert mail_preferences_of(alice) == MailPreferences()
