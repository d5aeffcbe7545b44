"""The choice of mails, and the one-click way out of them."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from notifications.kinds import configurable_kinds, kinds
from notifications.services.preferences import save_mail_preferences, save_preferences
from notifications.store import preferences
from notifications.store.preferences import MailPreferences
from notifications.store.preferences import get_preferences as choices_of
from tests.feed.reading_html import words

from .mail_helpers import box_of, mails, tell

pytestmark = pytest.mark.usefixtures("confirmed")

PAGE = "/settings/notifications/mail/"


def choice_of(reader):
    return choices_of(recipient=reader.pk).mail


@pytest.fixture
def link(alice, bob, mailoutbox, settings):
    """The address in the head of a mail to alice."""
    settings.SITE_URL = "http://testserver"
    tell(alice, bob)
    (mail,) = mails(mailoutbox)
    return re.fullmatch(r"<http://testserver(.+)>", mail.message()["List-Unsubscribe"])[1]


@pytest.fixture
def program():
    """A mail program: no cookies, and what it posts is checked as that of a browser would be."""
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
        answer = program.post(link, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "Emails are off" in words(answer.content.decode())
    assert choice_of(alice).mode == "off"
    assert choice_of(alice).enabled == {"like"}
    assert (choice_of(alice).quiet_from, choice_of(alice).quiet_until) == (60, 70)
    tell(alice, carol)
    assert mails(mailoutbox, alice) == []


def test_people_are_asked_first(alice, link, program):
    page = program.get(link)
    html = page.content.decode()
    assert "@alice will no longer get emails" in words(html)
    assert f'action="{link}"' in html
    assert "no-store" in page["Cache-Control"]
    program.head(link)
    assert choice_of(alice).mode == "away"
    html = program.post(link).content.decode()
    assert f'href="{PAGE}"' in html
    assert choice_of(alice).mode == "off"


@pytest.mark.parametrize("token", ["", "x", "1:x", "٣", "1:" + "x" * 2000, "\x00:a"])
def test_a_link_that_is_wrong_leads_nowhere(alice, link, program, token):
    forged = link.replace(str(alice.pk), str(alice.pk + 1))
    for path in (f"/notifications/mail/stop/{token}/", forged, link.replace("/stop/", "/stop/x")):
        assert program.get(path).status_code == 404
        assert program.post(path).status_code == 404
    assert choice_of(alice) == MailPreferences()


def test_a_link_of_somebody_who_is_gone_leads_nowhere(alice, link, program):
    User.objects.filter(pk=alice.pk).delete()
    assert program.post(link).status_code == 404
    assert program.put(link).status_code == 405


def test_mails_are_chosen_by_a_form(alice, client):
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
        "zone": "Europe/Berlin",
    }
    answer = client.post(PAGE, fields)
    assert answer["Location"] == PAGE
    assert choice_of(alice) == MailPreferences(
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
        '<option value="Europe/Berlin" selected',
    ):
        assert shown in page


OF_MODERATORS = {"notice", "moderated", "unmoderated", "appeal_refused", "report_answered"}


def mailed(reader):
    return {kind.name for kind in kinds() if choice_of(reader).wants(kind=kind)}


def test_notices_of_moderators_are_chosen_all_in_one_line(alice, client):
    client.force_login(alice)
    lines = re.findall(r'name="mailed" value="(\w+)"', client.get(PAGE).content.decode())
    assert OF_MODERATORS.intersection(lines) == {"notice"}
    client.post(PAGE, {"mode": "away", "mailed": ["mention"]})
    assert mailed(alice) == {"mention"}
    client.post(PAGE, {"mode": "away", "mailed": ["notice"]})
    assert mailed(alice) == OF_MODERATORS


def test_who_chose_some_notices_of_moderators_before_gets_them_and_sees_the_line_chosen(
    alice, client
):
    stored = MailPreferences(disabled=frozenset(OF_MODERATORS - {"moderated"}))
    preferences.save_mail(
        recipient=alice.pk, preferences=stored, next_digest=None, mailed_upto=0, at=timezone.now()
    )
    assert mailed(alice) & OF_MODERATORS == {"moderated"}
    client.force_login(alice)
    assert 'value="notice" checked' in client.get(PAGE).content.decode()


def test_the_other_choices_stay(alice, client):
    save_preferences(recipient=alice.pk, disabled_kinds=["like"], filters=["strangers"])
    client.force_login(alice)
    client.post(PAGE, {"mode": "off"})
    result = choices_of(recipient=alice.pk)
    assert (result.disabled_kinds, result.filters, result.mail.mode) == (
        {"like"},
        {"strangers"},
        "off",
    )
    save_preferences(recipient=alice.pk, disabled_kinds=[], filters=[])
    assert choice_of(alice).mode == "off"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"mode": "hourly"},
        {"mode": "away", "mailed": ["nonsense"]},
        {"mode": "away", "quiet_from": "22:00"},
        {"mode": "away", "quiet_until": "22:00"},
        {"mode": "away", "quiet_from": "22:00", "quiet_until": "22:00"},
        {"mode": "away", "quiet_from": "25:00", "quiet_until": "7"},
        {"mode": "away", "zone": "../../etc/passwd"},
        {"mode": "$where", "zone": "$zone"},
    ],
)
def test_nonsense_is_refused_with_an_error(alice, client, fields):
    client.force_login(alice)
    answer = client.post(PAGE, fields)
    assert answer.status_code == 422
    assert 'class="field-errors"' in answer.content.decode()
    assert choice_of(alice) == MailPreferences()
