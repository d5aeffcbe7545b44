"""The page of a case and its commands."""

import io

import pytest
from django.test import Client

from accounts.models import User
from accounts.profile_pictures import KINDS, crop_picture
from accounts.services.profiles import change_picture, update_profile
from accounts.user_cards import ProfileField
from feed.models import Post
from feed.services.posts import delete_post
from socialsite.moderation.models import MAX_TEXT_LENGTH, AuditEntry, Case, Note, Rule
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.services.cases import add_note
from tests.actions import edit_post
from tests.factories import publish
from tests.feed import picture_uploads
from tests.feed.comment_helpers import say
from tests.uploads import picture

from .moderator_client import CASES, latest_action, reload_case, report


@pytest.fixture
def case(alice, bob):
    post = publish(bob, "buy my pills")
    return report(alice, "post", post, text="Please look at this")


def test_a_case_shows_the_content_and_its_reports(moderator_client, case, alice, carol):
    rule = Rule.objects.create(text="No pills")
    report(carol, "post", case.subject, text="", category="rules", rule_id=rule.pk)
    html = moderator_client.text(case)
    for text in ("buy my pills", "Please look at this", "@alice", "@carol", "@bob", "No pills"):
        assert text in html
    assert "0 strikes" in html
    assert "When the case was opened" not in html


def test_edited_content_is_shown_with_its_reported_version(moderator_client, case, bob):

    edit_post(post_id=case.subject, actor=bob, text="nothing to see here")
    html = moderator_client.text(case)
    assert "nothing to see here" in html
    assert "buy my pills" in html
    delete_post(post_id=case.subject, actor=bob)
    html = moderator_client.text(case)
    assert "This content was deleted" in html
    assert "buy my pills" in html


def test_a_comment_is_shown_with_its_post_and_parent_comment(moderator_client, alice, bob, carol):
    post = publish(alice, "what I wrote")
    first = say(post, carol, "what carol said")
    comment = say(post, bob, "what bob answered", parent=first)
    case = report(alice, "comment", comment, post=post)
    html = moderator_client.text(case)
    for text in ("what I wrote", "what carol said", "what bob answered"):
        assert text in html
    moderator_client.act(case, "remove")
    html = moderator_client.text(case)
    assert "what bob answered" in html
    assert "removed by moderators" in html


def test_a_user_is_shown_with_their_profile(moderator_client, alice, bob):
    bob.bio = "I sell pills"
    bob.save()
    case = report(alice, "person", bob.pk)
    assert "I sell pills" in moderator_client.text(case)


def test_removing_a_post_closes_the_case_and_undoing_restores_the_post(
    moderator_client, case, alice, client, moderator
):
    assert moderator_client.act(case, "remove+close", reason="No pills here").status_code == 302
    assert Post.objects.get().hidden == "removed"
    closed = reload_case(case)
    assert (closed.is_open, closed.outcome) == (False, "acted")
    action = latest_action()
    assert (action.moderator, action.reason, action.is_strike) == (
        moderator.pk,
        "No pills here",
        True,
    )
    assert "1 strike." in moderator_client.text(case)
    assert "29 days" in moderator_client.text(case)
    response = moderator_client.undo(action, case=case.pk)
    assert response["Location"] == f"{CASES}{case.pk}/change/"
    assert Post.objects.get().hidden == ""
    assert AuditEntry.objects.get(verb="undo:remove").case == case.pk
    assert "0 strikes" in moderator_client.text(case)
    assert moderator_client.undo(action).status_code == 302


def test_actions_need_a_rule_or_a_reason(moderator_client, case):
    buttons = ("remove", "remove+close", "warn", "person:suspend")
    for button in buttons:
        response = moderator_client.act(case, button, reason=" ")
        assert response.status_code == 400, button
        assert "Enter a reason." in response.content.decode(), button
    Rule.objects.create(text="No pills")
    for button in buttons:
        response = moderator_client.act(case, button, reason="", rule="")
        assert "Choose a rule or enter a reason." in response.content.decode(), button
    assert moderator_client.act(case, "remove", reason="", rule="404").status_code == 400
    assert not case.action_set.exists()
    assert reload_case(case).is_open


def test_the_author_is_shown_the_rule_and_the_reason(moderator_client, case, client, bob):
    rule = Rule.objects.create(text="No pills")
    moderator_client.act(case, "remove+close", reason="", rule=rule.pk)
    assert latest_action().reason == "No pills"
    assert not reload_case(case).is_open
    moderator_client.act(case, "person:warn", reason="And no shouting", rule=rule.pk)
    assert latest_action().reason == "No pills.\nAnd no shouting"
    client.force_login(bob)
    page = client.get("/notifications/").content.decode()
    assert "No pills" in page
    assert "And no shouting" in page


def test_a_reason_that_is_too_long_with_its_rule_is_refused(moderator_client, case):
    rule = Rule.objects.create(text="No pills")
    response = moderator_client.act(case, "remove", reason="x" * MAX_TEXT_LENGTH, rule=rule.pk)
    assert "The reason and the rule together are too long." in response.content.decode()


def test_the_reported_rule_is_preselected(moderator_client, case, carol):
    rules = [Rule.objects.create(text=text) for text in ("No shouting", "No pills")]
    report(carol, "post", case.subject, text="", category="rules", rule_id=rules[1].pk)
    assert f'<option value="{rules[1].pk}" selected>No pills</option>' in moderator_client.text(
        case
    )


def test_several_actions_can_be_taken_without_closing(moderator_client, case, bob):
    assert moderator_client.act(case, "sensitive", is_strike="yes", duration="7").status_code == 302
    marked = latest_action()
    assert marked.is_strike
    assert marked.expires_at is not None
    assert (
        moderator_client.do(case, act="person:limit", is_strike="no", reason="Spam").status_code
        == 302
    )
    limited = latest_action()
    assert (limited.kind, limited.is_strike, limited.is_user_notified) == ("limit", False, False)
    bob.refresh_from_db()
    assert bob.is_limited
    assert reload_case(case).is_open
    html = moderator_client.text(case)
    assert 'value="person:limit"' not in html
    assert 'value="sensitive"' not in html
    assert 'value="person:suspend"' not in html


def test_actions_that_cannot_expire_refuse_a_duration(moderator_client, case):
    response = moderator_client.client.post(
        f"{CASES}{case.pk}/do/", {"act": "warn", "duration": "1", "reason": "Spam"}, follow=True
    )
    assert "cannot have an end date" in response.content.decode()
    assert not case.action_set.exists()


def test_a_case_is_assigned_annotated_closed_and_reopened(moderator_client, case, moderator):
    for _twice in range(2):
        moderator_client.do(case, do="take")
        assert reload_case(case).assignee == moderator.pk
    moderator_client.do(case, do="give")
    assert reload_case(case).assignee is None
    moderator_client.do(case, do="note", text="I know him")
    assert Note.objects.get().moderator == moderator.pk
    assert "I know him" in moderator_client.text(case)
    moderator_client.do(case, do="close")
    assert reload_case(case).outcome == "no_action"
    moderator_client.do(case, do="reopen")
    assert reload_case(case).is_open
    verbs = list(AuditEntry.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["opened:report", "assigned", "assigned", "closed:no_action", "reopened"]


def test_reopening_a_replaced_case_redirects_to_the_newer_case(moderator_client, case, alice):
    moderator_client.do(case, do="close")
    newer = report(alice, "post", case.subject)
    response = moderator_client.do(case, do="reopen")
    assert response["Location"] == f"{CASES}{newer.pk}/change/"
    assert not reload_case(case).is_open


def test_an_appeal_is_decided_on_the_page_of_the_case(
    moderator_client, client, case, bob, moderator, administrator
):
    moderator_client.act(case, "remove")
    action = latest_action()
    appeal = create_appeal(action_id=action.pk, user=bob, text="It was medicine")
    assert "It was medicine" in moderator_client.text(case)
    assert moderator_client.decide(appeal, "approve").status_code == 403
    client.force_login(administrator)
    assert moderator_client.decide(appeal, "approve", response="We see").status_code == 302
    assert Post.objects.get().hidden == ""
    appeal.refresh_from_db()
    assert (appeal.state, appeal.answer) == ("approved", "We see")


def test_only_superusers_decide_appeals_against_their_own_actions(
    moderator_client, client, case, bob, administrator, admin_user
):
    client.force_login(administrator)
    moderator_client.act(case, "remove")
    appeal = create_appeal(action_id=latest_action().pk, user=bob, text="Why?")
    assert moderator_client.decide(appeal, "reject").status_code == 403
    client.force_login(admin_user)
    assert moderator_client.decide(appeal, "reject").status_code == 302
    assert Post.objects.get().hidden == "removed"


def test_moderators_see_pictures_of_removed_posts(moderator_client, client, alice, bob, moderator):
    client.force_login(bob)
    post = picture_uploads.publish(client, picture())
    case = report(alice, "post", post.pk)
    client.force_login(moderator)
    name = post.media[0]["name"]
    path = f"{CASES}{case.pk}/picture/{name}/"
    for _is_removed in (False, True):
        assert path in moderator_client.text(case)
        for url in (path, f"{path}?large=1"):
            response = client.get(url)
            assert response["Content-Type"] == "image/webp"
            assert response["X-Content-Type-Options"] == "nosniff"
            assert "no-store" in response["Cache-Control"]
            assert b"".join(response.streaming_content)[:4] == b"RIFF"
        moderator_client.act(case, "remove")
    assert client.get(f"/media/{name}/small/").status_code == 404
    other = report(alice, "person", bob.pk)
    assert client.get(f"{CASES}{other.pk}/picture/{name}/").status_code == 404
    client.force_login(alice)
    assert client.get(path).status_code in (302, 403)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.field)
def test_moderators_remove_the_pictures_of_profiles(moderator_client, alice, bob, kind):
    content = crop_picture(kind=kind, upload=io.BytesIO(picture()))
    change_picture(kind=kind, uid=bob.pk, picture=content)
    update_profile(uid=bob.pk, profile_fields=[ProfileField("Buy", "my pills")])
    name = getattr(User.objects.get(pk=bob.pk), kind.field)
    path = f"/media/{kind.folder}/{name}.webp"

    def is_served():
        response = Client().get(path)
        response.close()
        assert (response.status_code == 200) == (path in Client().get("/@bob/").content.decode())
        return response.status_code == 200

    case = report(alice, "person", bob.pk)
    assert is_served()
    html = moderator_client.text(case)
    assert f"{CASES}{case.pk}/picture/{name}/" in html
    assert "Buy: my pills" in html
    moderator_client.act(case, kind.field)
    assert not is_served()
    response = moderator_client.client.get(f"{CASES}{case.pk}/picture/{name}/")
    assert b"".join(response.streaming_content)[:4] == b"RIFF"
    moderator_client.undo(latest_action(), case=case.pk)
    assert is_served()


def test_the_page_has_a_bounded_number_of_commands(
    moderator_client, case, record_commands, alice, bob
):
    from tests.factories import people

    moderator_client.page(case)
    with record_commands() as few:
        moderator_client.page(case)
    for user in people(4):
        report(user, "post", case.subject)
        add_note(case=case, moderator=_make_superuser(user), text="hm")
    for _ in range(2):
        publish(bob)
        report(alice, "post", Post.objects.latest("pk").pk)
    moderator_client.act(case, "warn")
    moderator_client.act(case, "person:warn")
    with record_commands() as many:
        assert moderator_client.page(case).status_code == 200
    assert abs(len(many) - len(few)) <= 1  # appeals are read only if there are actions
    assert not [name for name, _command in many if name == "getMore"]


def _make_superuser(user):
    user.is_staff = user.is_superuser = True
    user.save()
    return user


INVALID_COMMANDS = (
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
    {"act": "remove", "duration": "999"},
    {"act": "remove", "duration": "-1"},
    {"act": "remove", "is_strike": "maybe"},
    {"act": "remove\0"},
)


def test_invalid_commands_change_nothing(moderator_client, case):
    for data in INVALID_COMMANDS:
        assert moderator_client.do(case, **data).status_code == 400, data
    assert not case.action_set.exists()
    assert Note.objects.count() == 0
    assert Post.objects.get().hidden == ""


@pytest.mark.parametrize("number", ["1", "0", "9223372036854775807", "99999999999999999999", "x"])
def test_unknown_ids_are_not_found(moderator_client, number):
    for path in ("case/{}/change/", "action/{}/change/", "appeal/{}/change/"):
        url = f"/admin/moderation/{path.format(number)}"
        assert moderator_client.client.get(url).status_code == 404
    # For ids that are not numbers, the catch-all URL of the admin redirects to a URL that answers 404.
    path = f"/admin/moderation/case/{number}/picture/x/"
    assert moderator_client.client.get(path, follow=True).status_code == 404
    for path in (f"case/{number}/do/", f"action/{number}/undo/", f"appeal/{number}/decide/"):
        status = moderator_client.client.post(
            f"/admin/moderation/{path}", {"decision": "approve"}
        ).status_code
        assert status in (302, 404), path


def test_changes_require_post(moderator_client, case):
    moderator_client.act(case, "warn")
    for path in (f"case/{case.pk}/do/", f"action/{latest_action().pk}/undo/", "appeal/1/decide/"):
        assert moderator_client.client.get(f"/admin/moderation/{path}").status_code == 405
    assert (
        moderator_client.client.post(f"{CASES}{case.pk}/change/", {"outcome": "acted"}).status_code
        == 405
    )
    assert moderator_client.decide(case, "nonsense").status_code in (400, 404)
    assert Case.objects.get().is_open
