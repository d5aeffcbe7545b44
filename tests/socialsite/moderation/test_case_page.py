"""The page of a case: what is on it, and what its buttons do."""

import pytest

from feed.models import Post
from feed.services.posts import delete_post, edit_post
from socialsite.moderation.models import MAX_TEXT_LENGTH, AuditEntry, Case, Note, Rule
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.services.cases import add_note
from tests.factories import publish
from tests.feed import attaching
from tests.feed.talking import say
from tests.uploads import picture

from .desk import CASES, case_now, latest, report


@pytest.fixture
def case(alice, bob):
    post = publish(bob, "buy my pills")
    return report(alice, "post", post, text="Please look at this")


def test_a_case_shows_what_is_reported_and_why_in_its_context(desk, case, alice, carol):
    rule = Rule.objects.create(text="No pills")
    report(carol, "post", case.subject, text="", category="rules", rule=rule.pk)
    shown = desk.text(case)
    for words in ("buy my pills", "Please look at this", "@alice", "@carol", "@bob", "No pills"):
        assert words in shown
    assert "0 strikes" in shown
    assert "As it was when the case was opened" not in shown


def test_what_its_author_has_changed_since_is_shown_as_it_was_reported(desk, case, bob):

    edit_post(post_id=case.subject, actor=bob, text="nothing to see here")
    shown = desk.text(case)
    assert "nothing to see here" in shown
    assert "buy my pills" in shown
    delete_post(post_id=case.subject, actor=bob)
    shown = desk.text(case)
    assert "It is deleted" in shown
    assert "buy my pills" in shown


def test_a_comment_is_shown_with_its_post_and_what_it_answers(desk, alice, bob, carol):
    post = publish(alice, "what I wrote")
    first = say(post, carol, "what carol said")
    comment = say(post, bob, "what bob answered", parent=first)
    case = report(alice, "comment", comment, post=post)
    shown = desk.text(case)
    for words in ("what I wrote", "what carol said", "what bob answered"):
        assert words in shown
    desk.act(case, "remove")
    shown = desk.text(case)
    assert "what bob answered" in shown
    assert "removed by moderators" in shown


def test_a_person_is_shown_with_their_profile(desk, alice, bob):
    bob.bio = "I sell pills"
    bob.save()
    case = report(alice, "person", bob.pk)
    assert "I sell pills" in desk.text(case)


def test_a_post_is_removed_closed_and_brought_back(desk, case, alice, client, moderator):
    assert desk.act(case, "remove+close", reason="No pills here").status_code == 302
    assert Post.objects.get().hidden == "removed"
    closed = case_now(case)
    assert (closed.is_open, closed.outcome) == (False, "acted")
    action = latest()
    assert (action.moderator, action.reason, action.is_strike) == (
        moderator.pk,
        "No pills here",
        True,
    )
    assert "1 strike." in desk.text(case)
    assert "29 days" in desk.text(case)
    back = desk.undo(action, case=case.pk)
    assert back["Location"] == f"{CASES}{case.pk}/change/"
    assert Post.objects.get().hidden == ""
    assert "0 strikes" in desk.text(case)
    assert desk.undo(action).status_code == 302


@pytest.mark.parametrize("button", ["remove", "remove+close", "warn", "person:suspend"])
def test_nothing_is_done_without_a_rule_or_a_reason(desk, case, button):
    refused = desk.act(case, button, reason=" ")
    assert refused.status_code == 400
    assert "Write a reason." in refused.content.decode()
    Rule.objects.create(text="No pills")
    refused = desk.act(case, button, reason="", rule="")
    assert "Choose a rule or write a reason." in refused.content.decode()
    assert desk.act(case, button, reason="", rule="404").status_code == 400
    assert not case.action_set.exists()
    assert case_now(case).is_open


def test_the_author_reads_the_rule_and_the_reason(desk, case, client, bob):
    rule = Rule.objects.create(text="No pills")
    desk.act(case, "remove+close", reason="", rule=rule.pk)
    assert latest().reason == "No pills"
    assert not case_now(case).is_open
    desk.act(case, "person:warn", reason="And no shouting", rule=rule.pk)
    assert latest().reason == "No pills\nAnd no shouting"
    client.force_login(bob)
    page = client.get("/notifications/").content.decode()
    assert "No pills" in page
    assert "And no shouting" in page


def test_a_rule_and_a_reason_that_do_not_fit_together_are_refused(desk, case):
    rule = Rule.objects.create(text="No pills")
    refused = desk.act(case, "remove", reason="x" * MAX_TEXT_LENGTH, rule=rule.pk)
    assert "With the rule, this is too long." in refused.content.decode()


def test_the_rule_that_was_reported_is_chosen_already(desk, case, carol):
    rules = [Rule.objects.create(text=text) for text in ("No shouting", "No pills")]
    report(carol, "post", case.subject, text="", category="rules", rule=rules[1].pk)
    assert f'<option value="{rules[1].pk}" selected>No pills</option>' in desk.text(case)


def test_several_things_are_done_without_closing(desk, case, bob):
    assert desk.act(case, "sensitive", is_strike="yes", expiry="7").status_code == 302
    marked = latest()
    assert marked.is_strike
    assert marked.expires_at is not None
    assert desk.do(case, act="person:limit", is_strike="no", reason="Spam").status_code == 302
    limited = latest()
    assert (limited.kind, limited.is_strike, limited.is_told) == ("limit", False, False)
    bob.refresh_from_db()
    assert bob.is_limited
    assert case_now(case).is_open
    shown = desk.text(case)
    assert 'value="person:limit"' not in shown
    assert 'value="sensitive"' not in shown
    assert 'value="person:suspend"' not in shown


def test_what_cannot_be_for_a_time_says_so(desk, case):
    response = desk.client.post(
        f"{CASES}{case.pk}/do/", {"act": "warn", "expiry": "1", "reason": "Spam"}, follow=True
    )
    assert "cannot be for a time only" in response.content.decode()
    assert not case.action_set.exists()


def test_a_case_is_taken_noted_closed_and_opened_again(desk, case, moderator):
    desk.do(case, do="take")
    assert case_now(case).assignee == moderator.pk
    desk.do(case, do="give")
    assert case_now(case).assignee is None
    desk.do(case, do="note", text="I know him")
    assert Note.objects.get().moderator == moderator.pk
    assert "I know him" in desk.text(case)
    desk.do(case, do="close")
    assert case_now(case).outcome == "nothing"
    desk.do(case, do="reopen")
    assert case_now(case).is_open
    verbs = list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["opened:report", "assigned", "assigned", "closed:nothing", "reopened"]


def test_a_case_that_is_replaced_by_a_newer_one_leads_to_it(desk, case, alice):
    desk.do(case, do="close")
    newer = report(alice, "post", case.subject)
    response = desk.do(case, do="reopen")
    assert response["Location"] == f"{CASES}{newer.pk}/change/"
    assert not case_now(case).is_open


def test_an_appeal_is_decided_on_the_page_of_the_case(
    desk, client, case, bob, moderator, administrator
):
    desk.act(case, "remove")
    action = latest()
    appeal = create_appeal(action_id=action.pk, user=bob, text="It was medicine")
    assert "It was medicine" in desk.text(case)
    assert desk.decide(appeal, "approve").status_code == 403
    client.force_login(administrator)
    assert desk.decide(appeal, "approve", answer="We see").status_code == 302
    assert Post.objects.get().hidden == ""
    appeal.refresh_from_db()
    assert (appeal.state, appeal.answer) == ("approved", "We see")


def test_nobody_decides_about_their_own_action_unless_they_may_do_everything(
    desk, client, case, bob, administrator, admin_user
):
    client.force_login(administrator)
    desk.act(case, "remove")
    appeal = create_appeal(action_id=latest().pk, user=bob, text="Why?")
    assert desk.decide(appeal, "refuse").status_code == 403
    client.force_login(admin_user)
    assert desk.decide(appeal, "refuse").status_code == 302
    assert Post.objects.get().hidden == "removed"


def test_pictures_are_seen_by_moderators_also_while_they_are_withheld(
    desk, client, alice, bob, moderator
):
    client.force_login(bob)
    post = attaching.publish(client, picture())
    case = report(alice, "post", post.pk)
    client.force_login(moderator)
    name = post.media[0]["name"]
    path = f"{CASES}{case.pk}/picture/{name}/"
    for _withheld in (False, True):
        assert path in desk.text(case)
        for address in (path, f"{path}?large=1"):
            response = client.get(address)
            assert response["Content-Type"] == "image/webp"
            assert response["X-Content-Type-Options"] == "nosniff"
            assert "no-store" in response["Cache-Control"]
            assert b"".join(response.streaming_content)[:4] == b"RIFF"
        desk.act(case, "remove")
    assert client.get(f"/media/{name}/small/").status_code == 404
    other = report(alice, "person", bob.pk)
    assert client.get(f"{CASES}{other.pk}/picture/{name}/").status_code == 404
    client.force_login(alice)
    assert client.get(path).status_code in (302, 403)


def test_a_case_costs_the_same_whatever_is_on_it(desk, case, record_commands, alice, bob):
    from tests.factories import people

    desk.page(case)
    with record_commands() as few:
        desk.page(case)
    for one in people(4):
        report(one, "post", case.subject)
        add_note(case=case, moderator=_superuser(one), text="hm")
    for _ in range(2):
        publish(bob)
        report(alice, "post", Post.objects.latest("pk").pk)
    desk.act(case, "warn")
    desk.act(case, "person:warn")
    with record_commands() as many:
        assert desk.page(case).status_code == 200
    assert abs(len(many) - len(few)) <= 1  # appeals are asked for where there are actions
    assert not [name for name, _command in many if name == "getMore"]


def _superuser(user):
    user.is_staff = user.is_superuser = True
    user.save()
    return user


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"do": "nonsense"},
        {"do": "note", "text": ""},
        {"do": "note", "text": "x" * 2001},
        {"do": "note", "text": "a\0b"},
        {"act": "nonsense"},
        {"act": ""},
        {"act": "limit"},
        {"act": "person:remove"},
        {"act": "comment:remove"},
        {"act": "person:person:warn"},
        {"act": "remove", "reason": "x" * 5000},
        {"act": "remove", "expiry": "999"},
        {"act": "remove", "expiry": "-1"},
        {"act": "remove", "is_strike": "maybe"},
        {"act": "remove\0"},
    ],
)
def test_what_no_button_sends_changes_nothing(desk, case, data):
    assert desk.do(case, **data).status_code == 400
    assert not case.action_set.exists()
    assert Note.objects.count() == 0
    assert Post.objects.get().hidden == ""


@pytest.mark.parametrize("number", ["1", "0", "9223372036854775807", "99999999999999999999", "x"])
def test_what_is_not_there_is_not_found(desk, number):
    for path in ("case/{}/change/", "action/{}/change/", "appeal/{}/change/"):
        address = f"/admin/moderation/{path.format(number)}"
        assert desk.client.get(address).status_code == 404
    # Django's own catches what is no number, and sends it to the page that is not there.
    path = f"/admin/moderation/case/{number}/picture/x/"
    assert desk.client.get(path, follow=True).status_code == 404
    for path in (f"case/{number}/do/", f"action/{number}/undo/", f"appeal/{number}/decide/"):
        status = desk.client.post(f"/admin/moderation/{path}", {"decision": "approve"}).status_code
        assert status in (302, 404), path


def test_what_changes_something_is_posted(desk, case):
    desk.act(case, "warn")
    for path in (f"case/{case.pk}/do/", f"action/{latest().pk}/undo/", "appeal/1/decide/"):
        assert desk.client.get(f"/admin/moderation/{path}").status_code == 405
    assert desk.client.post(f"{CASES}{case.pk}/change/", {"outcome": "acted"}).status_code == 405
    assert desk.decide(case, "nonsense").status_code in (400, 404)
    assert Case.objects.get().is_open
