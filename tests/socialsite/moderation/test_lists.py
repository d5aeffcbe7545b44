"""What was done, and what people say against it, in lists that are only read."""

import pytest

from socialsite.moderation.services.appeals import create_appeal
from tests.accounts.test_admin import joins_and_counts
from tests.factories import publish

from .desk import ACTIONS, APPEALS, latest, report

LOG = "/admin/moderation/auditentry/"


@pytest.fixture
def done(desk, admin_user, alice, bob):
    """Two people were warned, the first of whom appeals; the viewer may do everything."""
    desk.client.force_login(admin_user)
    for person in (bob, alice):
        reporter = alice if person is bob else bob
        case = report(reporter, "post", publish(person))
        desk.act(case, "warn", reason=f"Stop it, {person.username}")
        if person is bob:
            appeal = create_appeal(action_id=latest().pk, user=bob, text="I did nothing")
    return case, appeal


def shown(desk, path):
    return desk.client.get(path).content.decode()


def test_actions_and_the_log_are_found_by_person_and_by_case(desk, done):
    case, _appeal = done
    for path in (ACTIONS, LOG):
        rows = {
            query: len(desk.client.get(path, {"q": query}).context["cl"].result_list)
            for query in ("@bob", "@ALICE", "@nobody", "bob", str(case.pk), "1", "x" * 999, "\0")
        }
        assert rows["@bob"] == rows["bob"] > 0
        assert rows["@ALICE"] == rows[str(case.pk)] > 0
        assert rows["@nobody"] == rows["1"] == rows["x" * 999] == 0
    assert "Stop it, bob" in shown(desk, f"{LOG}?q=@bob")
    assert "Stop it, bob" not in shown(desk, f"{LOG}?q=@alice")


def test_the_lists_are_read_without_joins_and_counts(desk, done, record_commands):
    for path in (ACTIONS, APPEALS, f"{APPEALS}?answered=all", LOG, f"{LOG}?q=@bob", f"{LOG}?p=2"):
        with record_commands() as commands:
            assert desk.client.get(path).status_code == 200
        assert joins_and_counts(commands) == []
        assert len(commands) <= 7


def test_an_appeal_leads_to_its_action_where_it_is_answered(desk, done):
    _case, appeal = done
    assert "I did nothing" in shown(desk, APPEALS)
    response = desk.client.get(f"{APPEALS}{appeal.pk}/change/", follow=True)
    page = response.content.decode()
    assert response.redirect_chain[0][0] == f"{ACTIONS}{appeal.action_id}/change/"
    assert "I did nothing" in page
    assert "Stop it, bob" in page
    answered = desk.decide(appeal, "refuse", answer="We saw it")
    assert answered["Location"] == f"{ACTIONS}{appeal.action_id}/change/"
    assert "I did nothing" not in shown(desk, APPEALS)
    assert "I did nothing" in shown(desk, f"{APPEALS}?answered=all")
    assert "We saw it" in shown(desk, f"{ACTIONS}{appeal.action_id}/change/")


def test_an_answer_that_is_too_long_and_a_decision_that_is_none_change_nothing(desk, done):
    _case, appeal = done
    assert desk.decide(appeal, "perhaps").status_code == 400
    assert desk.decide(appeal, "approve", answer="x" * 2001).status_code == 302
    appeal.refresh_from_db()
    assert appeal.state == "open"
