"""Reports by users: forms, merging into cases, notifications and access."""

import re

import pytest

from accounts.selectors.relationships import relationships
from accounts.services.blocks_and_mutes import block_user
from feed import signals
from socialsite.moderation.models import AuditEntry, Case, Report, Rule
from socialsite.moderation.services.actions import undo_action
from socialsite.moderation.services.cases import CannotReopen, close_case, reopen_case
from socialsite.moderation.services.cleanup import open_missing_cases
from socialsite.moderation.services.reports import create_report
from tests.actions import add_comment, edit_post
from tests.at_once import at_once
from tests.factories import follow, publish


@pytest.fixture
def post(bob):
    return publish(bob, "buy my pills")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def test_every_menu_links_to_the_report_form(as_alice, alice, bob, post):
    comment = add_comment(post_id=post, actor=bob, text="more pills")
    linking_pages = {
        f"/report/post/{post}/": f"/posts/{post}/options/",
        f"/report/comment/{post}/{comment}/": f"/@bob/{post}/",
        f"/report/person/{bob.pk}/": "/@bob/",
    }
    for url, page in linking_pages.items():
        assert f'href="{url}"' in as_alice.get(page).content.decode()
        response = as_alice.post(url, {"category": "spam", "text": "look at this"})
        assert response.status_code == 302
        assert "Thank you" in as_alice.get(response["Location"]).content.decode()
    assert sorted(Case.objects.values_list("subject_kind", "reports")) == [
        ("comment", 1),
        ("person", 1),
        ("post", 1),
    ]


def test_users_cannot_report_themselves(client, bob, post):
    client.force_login(bob)
    assert "/report/" not in client.get("/@bob/").content.decode()
    for path in (f"/report/post/{post}/", f"/report/person/{bob.pk}/"):
        assert client.post(path, {"category": "spam"}).status_code == 404


def test_reporting_requires_a_login(client, post):
    assert client.get(f"/report/post/{post}/").status_code == 302
    assert client.post(f"/report/post/{post}/", {"category": "spam"}).status_code == 302
    assert not Case.objects.exists()


def test_reports_are_merged_into_one_case_and_reporters_count_once(alice, carol, post):
    def send_report(reporter, text):
        return create_report(
            reporter=reporter, kind="post", subject_id=post, category="spam", text=text
        )

    first = send_report(alice, "one")
    assert send_report(carol, "two").pk == first.pk
    assert send_report(alice, "one more word").pk == first.pk
    case = Case.objects.get()
    assert case.reports == 2
    assert sorted(Report.objects.values_list("text", flat=True)) == ["one more word", "two"]


def test_concurrent_reports_open_one_case(alice, carol, bob, admin_user, post):
    reporters = [alice, carol, admin_user]

    def send_report(reporter):
        create_report(reporter=reporter, kind="post", subject_id=post, category="spam")

    at_once(*(lambda user=user: send_report(user) for user in reporters for _ in range(2)))
    assert Case.objects.get().reports == Report.objects.count() == 3


@pytest.mark.parametrize(
    "data",
    [{}, {"category": "nonsense"}, {"category": "spam", "text": "x" * 50_000}],
)
def test_invalid_reports_are_refused(as_alice, post, data):
    response = as_alice.post(f"/report/post/{post}/", data)
    assert response.status_code == 422
    assert not Case.objects.exists()


def test_a_deleted_rule_is_refused(as_alice, post):
    rule = Rule.objects.create(text="No pills")
    page = as_alice.get(f"/report/post/{post}/").content.decode()
    assert "No pills" in page
    valid_data = {"category": "rules", "rule": str(rule.pk)}
    assert as_alice.post(f"/report/post/{post}/", valid_data | {"rule": "77"}).status_code == 422
    assert as_alice.post(f"/report/post/{post}/", valid_data).status_code == 302
    assert Report.objects.get().rule == rule.pk


def test_invisible_content_cannot_be_reported(as_alice, alice, bob, carol, post):
    secret = publish(bob, "@carol psst", visibility="direct")
    assert as_alice.get(f"/report/post/{secret}/").status_code == 404
    assert as_alice.post(f"/report/post/{secret}/", {"category": "spam"}).status_code == 404
    block_user(owner=bob.pk, other=alice.pk)
    assert as_alice.get(f"/report/post/{post}/").status_code == 404
    for path in ("/report/post/1/", "/report/comment/1/2/", "/report/person/1/"):
        assert as_alice.get(path).status_code == 404


def test_the_evidence_survives_an_edit(alice, bob, post):
    create_report(reporter=alice, kind="post", subject_id=post, category="spam")
    edit_post(post_id=post, actor=bob, text="good morning")
    assert Case.objects.get().evidence["text"] == "buy my pills"


def test_the_reporter_is_notified_when_the_case_is_closed(as_alice, alice, moderator, post):
    case = create_report(reporter=alice, kind="post", subject_id=post, category="spam")
    close_case(case=case, moderator=moderator, outcome="acted")
    close_case(case=case, moderator=moderator, outcome="no_action")
    page = as_alice.get("/notifications/").content.decode()
    assert len(re.findall("The moderators reviewed", page)) == 1
    assert f'href="/reports/{case.pk}/"' in page
    assert (
        "reviewed your report and took action"
        in as_alice.get(f"/reports/{case.pk}/").content.decode()
    )


def test_the_reporter_mutes_on_the_page_of_the_report(as_alice, alice, bob, post):
    case = create_report(reporter=alice, kind="post", subject_id=post, category="spam")
    path = f"/reports/{case.pk}/"
    for action, state in (("mute", True), ("unmute", False)):
        page = as_alice.get(path).content.decode()
        assert f'form="act" formaction="/@bob/{action}/"' in page
        assert as_alice.post(f"/@bob/{action}/", {"next": path})["Location"] == path
        assert bool(relationships(viewer=alice.pk, uids=[bob.pk]).muted) is state


def test_users_cannot_read_reports_of_others(as_alice, carol, post):
    case = create_report(reporter=carol, kind="post", subject_id=post, category="spam")
    assert as_alice.get(f"/reports/{case.pk}/").status_code == 404


def test_a_report_after_closing_opens_a_new_case(alice, carol, moderator, post):
    first = create_report(reporter=alice, kind="post", subject_id=post, category="spam")
    close_case(case=first, moderator=moderator, outcome="no_action")
    second = create_report(reporter=carol, kind="post", subject_id=post, category="spam")
    assert second.pk != first.pk
    with pytest.raises(CannotReopen):
        reopen_case(case=first, moderator=moderator)


def test_the_audit_log_is_append_only(alice, post):
    create_report(reporter=alice, kind="post", subject_id=post, category="spam")
    log_entry = AuditEntry.objects.get()
    with pytest.raises(TypeError):
        log_entry.save()
    with pytest.raises(TypeError):
        log_entry.delete()


def test_a_post_pending_review_opens_a_case_that_approves_it(
    client, alice, bob, moderator, settings
):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    follow(bob, alice)
    post = publish(alice, "my first")
    case = Case.objects.get()
    assert (case.subject, case.source) == (post, "pending")
    (review,) = case.action_set.all()
    undo_action(action=review, moderator=moderator)
    client.force_login(bob)
    assert "my first" in client.get("/").content.decode()


def test_missing_cases_of_posts_pending_review_are_opened_later(alice, settings, monkeypatch):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    monkeypatch.setattr(signals.post_pending_review, "receivers", [])
    post = publish(alice, "my first")
    assert not Case.objects.exists()
    assert open_missing_cases() == 1
    assert open_missing_cases() == 0
    assert Case.objects.get().subject == post


def test_suspected_spam_opens_a_case(bob, monkeypatch):
    monkeypatch.setattr("feed.services.spam_checks.MIN_LINKS", 2)
    links = "https://one.org https://two.org"
    post = publish(bob, links)
    add_comment(post_id=post, actor=bob, text=f"also {links}")
    cases = Case.objects.order_by("pk")
    assert [(case.subject_kind, case.source, case.category) for case in cases] == [
        ("post", "suspected", "spam"),
        ("comment", "suspected", "spam"),
    ]
    assert cases[0].reasons == ["links"]


def test_too_many_reports_are_refused_with_a_time_to_retry(as_alice, post, bob, settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"report": "1/h"}
    first = as_alice.post(f"/report/post/{post}/", {"category": "spam"})
    second = as_alice.post(f"/report/person/{bob.pk}/", {"category": "spam", "text": "him too"})
    assert (first.status_code, second.status_code) == (302, 429)
    assert int(second["Retry-After"]) > 3000
    assert "You have reported once" in second.content.decode()
    assert "him too" in second.content.decode()
    assert Case.objects.count() == 1
