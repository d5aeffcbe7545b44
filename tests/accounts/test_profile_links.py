"""Verified links in profile fields (``rel="me"``). The pages come from a real server."""

import ssl
from datetime import timedelta

import certifi
import pytest
from django.utils import timezone

from accounts import tasks
from accounts.infra import rate_limits
from accounts.infra.web_pages import fetch_threads, fetcher
from accounts.models import User
from accounts.services import profile_links
from accounts.services.profiles import change_username, update_profile
from accounts.user_cards import ProfileField
from tests.accounts.test_fetcher import certificate
from tests.api.api_client import Api
from tests.feed.workers import wait_until
from tests.web_server import named_site

BACK = '<a rel="nofollow me" href="http://testserver/@alice/">Me</a>'


@pytest.fixture
def site(settings, tmp_path, monkeypatch):
    """Return a server whose pages are at ``site.page``."""
    settings.FETCH_LINKS = True
    file = certificate(tmp_path, "ada.example.org")
    monkeypatch.setattr(certifi, "where", lambda: file)
    fetcher._tls_context.cache_clear()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    monkeypatch.setattr(tasks.verify_links, "delay", lambda *, uid: tasks.verify_links(uid=uid))
    with named_site(settings, monkeypatch, "ada.example.org", tls) as site:
        site.page = f"{site.url}/"
        yield site
    fetcher._tls_context.cache_clear()


def save(user, *values):
    fields = [ProfileField(f"Field {number}", value) for number, value in enumerate(values)]
    update_profile(uid=user.pk, profile_fields=fields)


def save_verified_page(site, user):
    site.serve("/", BACK)
    save(user, site.page)
    tasks.verify_due_links()


def verified(user):
    fields = User.objects.get(pk=user.pk).profile_fields
    return [bool(field.get("verified_at")) for field in fields]


def due_in(user):
    return User.objects.get(pk=user.pk).links_due_at - timezone.now()


def check_now(user):
    User.objects.filter(pk=user.pk).update(links_due_at=timezone.now())
    tasks.verify_due_links()


def test_a_page_that_links_back_is_verified(client, site, alice):
    site.serve("/", BACK)
    save(alice, site.page, "she/her", f"See {site.page}", "http://ada.example.org/")
    assert verified(alice) == [False] * 4
    tasks.verify_due_links()
    assert verified(alice) == [True, False, False, False]
    assert site.paths == ["/"]
    html = client.get("/@alice/").content.decode()
    assert html.count("Verified: this page links back to this profile") == 1
    assert f'<a href="{site.page}" rel="me nofollow noopener"' in html
    fields = client.get(f"/api/v1/accounts/{alice.pk}").json()["fields"]
    assert fields[0]["verified_at"].endswith("Z")
    assert fields[1]["verified_at"] is None
    own = Api(alice).get("accounts/verify_credentials").json()
    assert own["source"]["fields"][0]["verified_at"] == fields[0]["verified_at"]


@pytest.mark.parametrize(
    "content",
    [
        "<link rel=me href='HTTP://TESTSERVER/@Alice'>",
        "<a href='http://testserver/@alice#x' rel='ME'>",
        f"<p>{'x' * 5000}</p>{BACK}",
    ],
)
def test_other_notations_count(site, alice, content):
    site.serve("/", content)
    save(alice, site.page)
    tasks.verify_due_links()
    assert verified(alice) == [True]


@pytest.mark.parametrize(
    "content",
    [
        "",
        '<a href="http://testserver/@alice/">',
        '<a rel="home" href="http://testserver/@alice/">',
        '<a rel="me" href="http://testserver/@alice2/">',
        '<a rel="me" href="http://testserver/@alice/followers/">',
        '<a rel="me" href="http://testserver.evil.example/@alice/">',
        '<a rel="me" href="https://x.example/?http://testserver/@alice/">',
        '<a rel="me" href="/@alice/">',
        '<a rel="me" href="http://[/@alice/">',
        '<form rel="me" href="http://testserver/@alice/">',
        f"<!-- {BACK} -->",
        f"<script>{BACK}</script>",
        f"<textarea>{BACK}</textarea>",
        BACK.replace("<", "&lt;"),
    ],
)
def test_other_pages_are_not_verified(site, alice, content):
    site.serve("/", content)
    save(alice, site.page)
    tasks.verify_due_links()
    assert verified(alice) == [False]
    assert site.paths == ["/"]
    assert due_in(alice) > timedelta(days=29)


def test_a_redirect_to_another_host_verifies_nothing(site, alice):
    site.redirect("/", f"https://ada.example.org.evil.org:{site.port}/")
    save(alice, site.page)
    tasks.verify_due_links()
    assert verified(alice) == [False]
    assert due_in(alice) > timedelta(days=29)  # the answer is final


def test_a_change_of_the_field_ends_its_verification(site, alice):
    site.serve("/", BACK)
    save(alice, site.page, "x")
    tasks.verify_due_links()
    # Another label, and another place, change nothing.
    update_profile(
        uid=alice.pk, profile_fields=[ProfileField("a", "b"), ProfileField("c", site.page)]
    )
    assert verified(alice) == [False, True]
    save(alice, site.page + "other")
    assert verified(alice) == [False]
    assert due_in(alice) < timedelta(seconds=1)
    save(alice, "no link")
    assert User.objects.get(pk=alice.pk).links_due_at is None


def test_links_are_checked_again_each_month(site, alice):
    save_verified_page(site, alice)
    tasks.verify_due_links()
    assert len(site.requests) == 1
    assert timedelta(days=29) < due_in(alice) < timedelta(days=31)
    since = User.objects.get(pk=alice.pk).profile_fields[0]["verified_at"]
    check_now(alice)
    assert User.objects.get(pk=alice.pk).profile_fields[0]["verified_at"] == since
    site.serve("/", "The link is gone")
    check_now(alice)
    assert verified(alice) == [False]


def test_a_page_that_is_gone_ends_the_verification(site, alice):
    save_verified_page(site, alice)
    del site.pages["/"]
    check_now(alice)
    assert verified(alice) == [False]


def test_a_broken_server_may_recover(site, alice):
    save_verified_page(site, alice)
    site.pages["/"] = lambda handler: handler.send_error(500)
    check_now(alice)
    assert verified(alice) == [True]
    assert due_in(alice) < timedelta(days=2)
    site.serve("/", BACK)
    check_now(alice)
    assert "failures" not in User.objects.get(pk=alice.pk).profile_fields[0]
    site.pages["/"] = lambda handler: handler.send_error(500)
    for _ in range(profile_links.MAX_FAILURES):
        assert verified(alice) == [True]
        check_now(alice)
    assert verified(alice) == [False]


def test_a_page_that_is_down_at_first_is_checked_again_the_next_days(site, alice):
    site.pages["/"] = lambda handler: handler.send_error(500)
    save(alice, site.page)
    for _ in range(profile_links.MAX_FAILURES - 1):
        check_now(alice)
        assert verified(alice) == [False]
        assert due_in(alice) < timedelta(days=2)
    check_now(alice)
    assert due_in(alice) > timedelta(days=29)
    save(alice, f"{site.page}#again")
    check_now(alice)
    site.serve("/", BACK)
    check_now(alice)
    assert verified(alice) == [True]


def test_a_task_that_was_enqueued_twice_checks_once(site, alice):
    save_verified_page(site, alice)
    site.pages["/"] = lambda handler: handler.send_error(500)
    check_now(alice)
    for _ in range(profile_links.MAX_FAILURES):
        tasks.verify_links(uid=alice.pk)
    assert verified(alice) == [True]
    assert len(site.requests) == 2


def test_a_new_username_needs_a_new_link(site, alice):
    save_verified_page(site, alice)
    change_username(uid=alice.pk, username="ada")
    tasks.verify_due_links()
    assert verified(alice) == [False]


def test_a_field_that_changes_during_the_check_is_checked_again(site, alice):
    def respond(handler):
        save(alice, site.page + "new")
        whole_page(handler)

    site.serve("/", BACK)
    site.serve("/new", BACK)
    whole_page = site.pages["/"]
    site.pages["/"] = respond
    save(alice, site.page)
    tasks.verify_due_links()
    assert verified(alice) == [False]
    assert due_in(alice) < timedelta(seconds=1)
    tasks.verify_due_links()
    assert verified(alice) == [True]


def test_a_worker_that_dies_is_followed_by_another(site, alice, monkeypatch):
    site.serve("/", BACK)
    save(alice, site.page)
    with monkeypatch.context() as patch:
        patch.setattr(tasks.verify_links, "delay", lambda *, uid: None)
        tasks.verify_due_links()
        assert timedelta(0) < due_in(alice) < timedelta(minutes=10)
        tasks.verify_due_links()
    check_now(alice)
    assert verified(alice) == [True]


def test_checks_have_a_limit_and_a_switch(site, alice, settings):
    site.serve("/", BACK)
    save(alice, site.page)
    settings.FETCH_LINKS = False
    tasks.verify_due_links()
    tasks.verify_links(uid=alice.pk)
    assert site.requests == []
    settings.FETCH_LINKS = True
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"link": "1/h"}
    check_now(alice)
    check_now(alice)
    assert len(site.requests) == 1
    assert verified(alice) == [True]
    assert due_in(alice) > timedelta(minutes=30)


def test_slow_pages_have_a_smaller_limit(site, alice, settings, monkeypatch):
    monkeypatch.setattr(rate_limits, "SLOW_FETCH_SECONDS", 0)
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"slow_link": "1/h"}
    site.serve("/", BACK)
    save(alice, site.page)
    for _ in range(2):
        check_now(alice)
    assert len(site.requests) == 1
    assert due_in(alice) < timedelta(minutes=2)


def test_a_worker_verifies_links_in_a_thread(site, alice):
    site.serve("/", BACK)
    save(alice, site.page)
    tasks.verify_links.apply(kwargs={"uid": alice.pk}, throw=True)
    wait_until(lambda: not fetch_threads.job_count())
    assert verified(alice) == [True]


def test_settings_say_how_to_verify_a_link(client, alice):
    client.force_login(alice)
    html = client.get("/settings/profile/").content.decode()
    assert "&lt;a rel=&#34;me&#34; href=&#34;http://testserver/@alice/&#34;&gt;" in html
