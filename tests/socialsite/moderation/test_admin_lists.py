"""The read-only lists of actions, appeals and log entries."""

import pytest

from socialsite.moderation.services.appeals import create_appeal
from tests.accounts.test_admin import joins_and_counts
from tests.factories import publish

from .moderator_client import ACTIONS, APPEALS, latest_action, report

LOG = "/admin/moderation/auditentry/"


@pytest.fixture
def case_and_appeal(moderator_client, admin_user, alice, bob):
    """Two users have a warning, and the first user appeals. The client is logged in as a superuser."""
    moderator_client.client.force_login(admin_user)
    for author in (bob, alice):
        reporter = alice if author is bob else bob
        case = report(reporter, "post", publish(author))
        moderator_client.act(case, "warn", reason=f"Stop it, {author.username}")
        if author is bob:
            appeal = create_appeal(action_id=latest_action().pk, user=bob, text="I did nothing")
    return case, appeal


def page_html(moderator_client, path):
    return moderator_client.client.get(path).content.decode()


def test_actions_and_log_entries_are_found_by_user_and_case(moderator_client, case_and_appeal):
    case, _appeal = case_and_appeal
    for path in (ACTIONS, LOG):
        row_counts = {
            query: len(moderator_client.client.get(path, {"q": query}).context["cl"].result_list)
            for query in ("@bob", "@ALICE", "@nobody", "bob", str(case.pk), "1", "x" * 999, "\0")
        }
        assert row_counts["@bob"] == row_counts["bob"] > 0
        assert row_counts["@ALICE"] == row_counts[str(case.pk)] > 0
        assert row_counts["@nobody"] == row_counts["1"] == row_counts["x" * 999] == 0
    assert "Stop it, bob" in page_html(moderator_client, f"{LOG}?q=@bob")
    assert "Stop it, bob" not in page_html(moderator_client, f"{LOG}?q=@alice")


def test_the_lists_need_no_joins_or_counts(moderator_client, case_and_appeal, record_commands):
    for path in (ACTIONS, APPEALS, f"{APPEALS}?answered=all", LOG, f"{LOG}?q=@bob", f"{LOG}?p=2"):
        with record_commands() as commands:
            assert moderator_client.client.get(path).status_code == 200
        assert joins_and_counts(commands) == []
        assert len(commands) <= 7


def test_an_appeal_is_decided_on_the_page_of_its_action(moderator_client, case_and_appeal):
    _case, appeal = case_and_appeal
    assert "I did nothing" in page_html(moderator_client, APPEALS)
    response = moderator_client.client.get(f"{APPEALS}{appeal.pk}/change/", follow=True)
    page = response.content.decode()
    assert response.redirect_chain[0][0] == f"{ACTIONS}{appeal.action_id}/change/"
    assert "I did nothing" in page
    assert "Stop it, bob" in page
    decided = moderator_client.decide(appeal, "reject", response="We saw it")
    assert decided["Location"] == f"{ACTIONS}{appeal.action_id}/change/"
    assert "I did nothing" not in page_html(moderator_client, APPEALS)
    assert "I did nothing" in page_html(moderator_client, f"{APPEALS}?answered=all")
    assert "We saw it" in page_html(moderator_client, f"{ACTIONS}{appeal.action_id}/change/")


def test_too_long_answers_and_unknown_decisions_are_refused(moderator_client, case_and_appeal):
    _case, appeal = case_and_appeal
    assert moderator_client.decide(appeal, "perhaps").status_code == 400
    assert moderator_client.decide(appeal, "approve", response="x" * 2001).status_code == 302
    appeal.refresh_from_db()
    assert appeal.state == "open"
