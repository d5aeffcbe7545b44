"""Instance information, reports and moderation through the API."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from accounts.selectors import access_tokens
from feed import stats
from feed.services.moderation import set_post_hidden
from feed.stats import Metric
from socialsite.moderation import decisions
from socialsite.moderation.models import Action, Announcement, Case, Report, Rule
from socialsite.moderation.roles import ADMINISTRATORS, create_roles
from tests.actions import add_comment, publish_post
from tests.api.api_client import EVERYTHING, Api, token_of
from tests.factories import UserFactory, publish

ADMIN = f"{EVERYTHING} admin:read admin:write"


@pytest.fixture
def moderator(clean_site) -> User:
    create_roles()
    user = UserFactory(username="mod", is_staff=True)
    user.groups.add(Group.objects.get(name=ADMINISTRATORS))
    return user


def test_instance_describes_the_site(settings, alice):
    settings.SITE_NAME, settings.CONTACT_ACCOUNT = "Our site", "alice"
    rule = Rule.objects.create(text="Be kind", details="To everybody")
    api = Api()
    new, old = api.get("/api/v2/instance").json(), api.get("instance").json()
    assert new["title"] == old["title"] == "Our site"
    assert new["version"].startswith("4.")
    assert new["configuration"]["statuses"]["max_characters"] == 500
    assert new["contact"]["account"]["username"] == "alice"
    assert old["stats"]["user_count"] == 1
    assert new["rules"] == api.get("instance/rules").json()
    assert new["rules"] == [{"id": str(rule.pk), "text": "Be kind", "hint": "To everybody"}]
    assert api.get("instance/peers").json() == []
    links = api.get("/.well-known/nodeinfo").json()["links"]
    info = api.get(links[0]["href"].removeprefix("http://testserver")).json()
    assert info["software"]["name"] == "socialsite"


def test_trailing_slashes_are_optional():
    assert Api().get("/api/v1/instance/").json() == Api().get("/api/v1/instance").json()


@pytest.mark.parametrize(("sign_up", "is_open"), [("open", True), ("invitation", False)])
def test_instance_says_whether_sign_up_is_open(settings, sign_up, is_open):
    settings.SIGN_UP_MODE = sign_up
    assert Api().get("/api/v2/instance").json()["registrations"]["enabled"] is is_open


def test_the_activity_of_twelve_weeks_is_counted(alice, record_commands):
    now = timezone.now()
    for metric, number in ((Metric.POSTS, 3), (Metric.ACTIVE, 2), (Metric.SIGN_UPS, 1)):
        for _time in range(number):
            stats.count(subject=stats.SITE, metric=metric)
    stats.flush()
    with record_commands() as commands:
        weeks = Api().get("instance/activity").json()
    assert len(commands) == 2  # one for the rate limit
    assert len(weeks) == 12
    counts = {name: weeks[0][name] for name in ("statuses", "logins", "registrations")}
    assert counts == {"statuses": "3", "logins": "2", "registrations": "1"}
    assert {week["statuses"] for week in weeks[1:]} == {"0"}
    start = datetime.fromtimestamp(int(weeks[0]["week"]), UTC)
    assert (start.weekday(), start <= now < start + timedelta(days=7)) == (0, True)


def test_current_announcements_are_listed():
    Announcement.objects.create(text="We move on Sunday")
    announcements = Api().get("announcements").json()
    assert [announcement["content"] for announcement in announcements] == [
        "<p>We move on Sunday</p>"
    ]


def test_a_dismissed_announcement_is_hidden_for_its_user_only(alice, bob, client):
    decisions.clear_announcements_cache()
    first = Announcement.objects.create(text="We move on Sunday")
    Announcement.objects.create(text="New rules")
    api = Api(alice)
    assert [row["read"] for row in api.get("announcements").json()] == [False, False]
    for _repeat in range(2):
        assert api.post(f"announcements/{first.pk}/dismiss").json() == {}
    texts = [row["content"] for row in api.get("announcements").json()]
    assert texts == ["<p>New rules</p>"]
    dismissed = api.get("announcements", with_dismissed=True).json()
    assert [row["read"] for row in dismissed] == [False, True]
    assert len(Api(bob).get("announcements").json()) == 2
    assert api.post("announcements/1/dismiss").status_code == 404


def test_another_process_may_have_dismissed_an_announcement_just_now(alice):
    """This process has the user of the token in a cache, and hears nothing of the change."""
    decisions.clear_announcements_cache()
    announcement = Announcement.objects.create(text="We move on Sunday")
    token = token_of(alice)
    api = Api(token=token)
    assert len(api.get("announcements").json()) == 1
    User.objects.filter(pk=alice.pk).update(dismissed_announcements=[announcement.pk])
    cached = access_tokens.find_access_token(token=token, is_fresh=False)
    assert cached.user.dismissed_announcements == []
    assert api.get("announcements").json() == []
    (dismissed,) = api.get("announcements", with_dismissed=True).json()
    assert dismissed["read"] is True


def test_a_page_shows_announcements_until_they_are_dismissed(alice, client):
    decisions.clear_announcements_cache()
    announcement = Announcement.objects.create(text="We move on Sunday")
    assert "We move on Sunday" in client.get("/public/").content.decode()
    client.force_login(alice)
    assert "We move on Sunday" in client.get("/public/").content.decode()
    path = f"/announcements/{announcement.pk}/dismiss/"
    response = client.post(path, {"next": "/public/"})
    assert (response.status_code, response["Location"]) == (302, "/public/")
    assert "We move on Sunday" not in client.get("/public/").content.decode()
    assert client.post("/announcements/1/dismiss/").status_code == 404


def test_users_posts_and_comments_are_reported(alice, bob):
    post = publish_post(author=bob.pk, text="Buy this")
    comment = add_comment(post_id=post, actor=bob, text="And this")
    api = Api(alice)
    report = api.post(
        "reports",
        account_id=str(bob.pk),
        status_ids=[str(post), str(comment)],
        comment="He sells",
        category="spam",
    ).json()
    assert report["target_account"]["username"] == "bob"
    assert report["category"] == "spam"
    assert {(case.subject_kind, case.subject) for case in Case.objects.all()} == {
        ("post", post),
        ("comment", comment),
    }
    assert api.post("reports", account_id=str(bob.pk)).status_code == 200
    assert Report.objects.count() == 3


@pytest.mark.parametrize("data", [{}, {"account_id": "7"}, {"account_id": "x"}])
def test_reports_without_a_valid_account_are_refused(alice, data):
    assert Api(alice).post("reports", **data).status_code in (404, 422)
    assert not Case.objects.exists()


def test_reported_posts_must_be_by_the_reported_user(alice, bob, carol):
    post = publish_post(author=carol.pk, text="Mine")
    data = {"account_id": str(bob.pk), "status_ids": [str(post)]}
    assert Api(alice).post("reports", **data).status_code == 404
    assert not Case.objects.exists()


def test_a_report_names_a_rule_of_the_site(alice, bob):
    rule = Rule.objects.create(text="Be kind")
    report = {"account_id": str(bob.pk), "category": "violation"}
    unknown = Api(alice).post("reports", rule_ids=[str(rule.pk + 1)], **report)
    assert (unknown.status_code, unknown.json()["error"]) == (422, "This rule does not exist.")
    assert not Case.objects.exists()
    assert Api(alice).post("reports", rule_ids=[str(rule.pk)], **report).status_code == 200
    assert Report.objects.get().rule == rule.pk


def test_moderators_list_users_by_account_status(moderator, alice, bob, carol):
    api = Api(moderator, ADMIN)
    api.post(f"admin/accounts/{bob.pk}/action", type="silence")
    api.post(f"admin/accounts/{carol.pk}/action", type="suspend")

    def names(**conditions):
        return [account["username"] for account in api.get("admin/accounts", **conditions).json()]

    assert names(silenced=True) == ["bob"]
    assert names(suspended=True) == ["carol"]
    assert set(names(active=True)) == {"alice", "bob", moderator.username}
    assert names(username="al") == ["alice"]


def test_moderators_limit_and_suspend_users_and_undo_it(moderator, bob):
    api = Api(moderator, ADMIN)
    path = f"admin/accounts/{bob.pk}"
    assert api.post(f"{path}/action", type="silence", text="Too loud").status_code == 200
    assert api.get(path).json()["silenced"] is True
    assert api.post(f"{path}/action", type="suspend").status_code == 200
    assert api.get(path).json()["suspended"] is True
    assert [
        account["username"] for account in api.get("admin/accounts", suspended=True).json()
    ] == ["bob"]
    assert api.post(f"{path}/unsuspend").json()["suspended"] is False
    assert api.post(f"{path}/unsilence").json()["silenced"] is False
    assert {action.state for action in Action.objects.all()} == {"undone"}


def test_moderators_decide_reports(moderator, alice, bob):
    Api(alice).post("reports", account_id=str(bob.pk), comment="Look at him")
    api = Api(moderator, ADMIN)
    (case,) = api.get("admin/reports").json()
    assert case["comment"] == "Look at him"
    assert case["account"]["username"] == "alice"
    assert case["target_account"]["username"] == "bob"
    path = f"admin/reports/{case['id']}"
    assert api.post(f"{path}/assign_to_self").json()["assigned_account"]["username"] == "mod"
    assert api.post(f"{path}/unassign").json()["assigned_account"] is None
    assert api.put(path, category="legal").json()["category"] == "legal"
    assert api.put(path).json()["category"] == "legal"
    assert api.put(path, category="boring").status_code == 422
    assert Case.objects.get().category == "illegal"
    assert api.post(f"{path}/resolve").json()["action_taken"] is True
    assert api.get("admin/reports").json() == []
    assert api.post(f"{path}/reopen").json()["action_taken"] is False


def test_only_moderators_moderate_and_only_with_the_scope(moderator, alice, bob):
    for api in (Api(alice, ADMIN), Api(moderator)):
        assert api.get("admin/accounts").status_code == 403
        assert api.get("admin/reports").status_code == 403
        data = {"type": "suspend"}
        assert api.post(f"admin/accounts/{bob.pk}/action", **data).status_code == 403
    assert not Action.objects.exists()


def test_staff_need_two_factor_authentication_in_apps(settings, moderator):
    settings.STAFF_NEEDS_2FA = True
    assert Api(moderator, ADMIN).get("admin/reports").status_code == 403


def test_the_number_of_posts_leaves_out_what_few_people_can_read(alice, bob):
    cache.clear()
    publish(alice, "For all")
    publish(alice, "Unlisted", "unlisted")
    publish(alice, "For followers", "followers")
    publish(alice, "@bob psst", "direct")
    set_post_hidden(post_id=publish(bob, "No good"), state="removed")
    assert Api().get("instance").json()["stats"]["status_count"] == 2
