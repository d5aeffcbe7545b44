"""Reports and moderation with Mastodon.py."""

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
def moderator(site, clean_site):
    """Return the client of a moderator."""
    create_roles()
    user = UserFactory(username="mod", is_staff=True)
    user.groups.add(Group.objects.get(name=ADMINISTRATORS))
    token = token_of(user, f"{EVERYTHING} admin:read admin:write")
    return Mastodon(access_token=token, api_base_url=site)


def test_a_report_is_created_and_resolved(client, moderator, bob):
    rule = Rule.objects.create(text="Sell nothing")
    post = publish(bob, "Buy this")
    sent_report = client.report(
        bob.pk, status_ids=[post], comment="Again", category="violation", rule_ids=[rule.pk]
    )
    assert (sent_report.category, sent_report.target_account.username) == ("violation", "bob")
    (report,) = moderator.admin_reports()
    assert (report.account.username, report.target_account.username) == ("alice", "bob")
    assert [int(status.id) for status in moderator.admin_report(report).statuses] == [post]
    assert moderator.admin_report_assign(report).assigned_account.username == "mod"
    assert moderator.admin_report_unassign(report).assigned_account is None
    assert moderator.admin_report_resolve(report).action_taken
    assert moderator.admin_reports() == []
    (resolved,) = moderator.admin_reports(resolved=True)
    assert resolved.id == report.id
    assert not moderator.admin_report_reopen(report).action_taken
    moderator.admin_account_moderate(bob.pk, action="silence", report_id=report.id, text="Enough")
    assert Case.objects.get().closed_at


def test_users_are_limited_suspended_and_restored(moderator, bob):
    assert moderator.admin_account(bob.pk).username == "bob"
    moderator.admin_account_moderate(bob.pk, action="silence")
    assert moderator.admin_account(bob.pk).silenced
    assert [account["username"] for account in moderator.admin_accounts(status="silenced")] == [
        "bob"
    ]
    assert not moderator.admin_account_unsilence(bob.pk).silenced
    moderator.admin_account_moderate(bob.pk, action="suspend")
    for result in (
        moderator.admin_accounts_v1(status="suspended"),
        moderator.admin_accounts_v2(status="suspended"),
    ):
        assert [status["username"] for status in result] == ["bob"]
    assert not moderator.admin_account_unsuspend(bob.pk).suspended
    assert moderator.admin_account_enable(bob.pk).username == "bob"
    assert moderator.admin_account_unsensitive(bob.pk).username == "bob"


def test_unsupported_moderation_methods_are_rejected(client, moderator, bob):
    for method in (
        moderator.admin_account_approve,
        moderator.admin_account_reject,
        moderator.admin_account_delete,
        client.admin_account,
    ):
        with pytest.raises(MastodonAPIError):
            method(bob.pk)
    bob.refresh_from_db()
    assert bob.is_active
