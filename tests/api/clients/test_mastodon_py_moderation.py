"""Mastodon.py reports, and moderators decide with it."""

import pytest
from django.contrib.auth.models import Group
from mastodon import Mastodon, MastodonAPIError

from socialsite.moderation.models import Case, Rule
from socialsite.moderation.roles import ADMINISTRATORS, create_roles
from tests.api.api_client import EVERYTHING, token_of
from tests.factories import UserFactory, publish


@pytest.fixture
def client(site, alice):
    return Mastodon(access_token=token_of(alice), api_base_url=site)


@pytest.fixture
def desk(site, clean_site):
    """What a moderator sees."""
    create_roles()
    user = UserFactory(username="mod", is_staff=True)
    user.groups.add(Group.objects.get(name=ADMINISTRATORS))
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    return Mastodon(access_token=token, api_base_url=site)


def test_a_report_is_made_and_decided(client, desk, bob):
    rule = Rule.objects.create(text="Sell nothing")
    post = publish(bob, "Buy this")
    sent_report = client.report(
        bob.pk, status_ids=[post], comment="Again", category="violation", rule_ids=[rule.pk]
    )
    assert (sent_report.category, sent_report.target_account.username) == ("violation", "bob")
    (report,) = desk.admin_reports()
    assert (report.account.username, report.target_account.username) == ("alice", "bob")
    assert [int(status.id) for status in desk.admin_report(report).statuses] == [post]
    assert desk.admin_report_assign(report).assigned_account.username == "mod"
    assert desk.admin_report_unassign(report).assigned_account is None
    assert desk.admin_report_resolve(report).action_taken
    assert desk.admin_reports() == []
    (resolved,) = desk.admin_reports(resolved=True)
    assert resolved.id == report.id
    assert not desk.admin_report_reopen(report).action_taken
    desk.admin_account_moderate(bob.pk, action="silence", report_id=report.id, text="Enough")
    assert Case.objects.get().closed_at


def test_people_are_limited_suspended_and_come_back(desk, bob):
    assert desk.admin_account(bob.pk).username == "bob"
    desk.admin_account_moderate(bob.pk, action="silence")
    assert desk.admin_account(bob.pk).silenced
    assert [account["username"] for account in desk.admin_accounts(status="silenced")] == ["bob"]
    assert not desk.admin_account_unsilence(bob.pk).silenced
    desk.admin_account_moderate(bob.pk, action="suspend")
    for result in (
        desk.admin_accounts_v1(status="suspended"),
        desk.admin_accounts_v2(status="suspended"),
    ):
        assert [status["username"] for status in result] == ["bob"]
    assert not desk.admin_account_unsuspend(bob.pk).suspended
    assert desk.admin_account_enable(bob.pk).username == "bob"
    assert desk.admin_account_unsensitive(bob.pk).username == "bob"


def test_what_is_decided_elsewhere_is_refused(client, desk, bob):
    for refused in (
        desk.admin_account_approve,
        desk.admin_account_reject,
        desk.admin_account_delete,
        client.admin_account,
    ):
        with pytest.raises(MastodonAPIError):
            refused(bob.pk)
    bob.refresh_from_db()
    assert bob.is_active
