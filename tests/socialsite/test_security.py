"""What guards the site: headers, forms, cookies, and settings that refuse to be careless."""

import os
import re
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client

from tests.factories import PASSWORD, publish

PRODUCTION = {
    "SECRET_KEY": "a production secret that nobody knows 0123456789 abcdefghijk",
    "MONGODB_URI": "mongodb://127.0.0.1:1/?replicaSet=none",
    "ALLOWED_HOSTS": "social.example",
    "SITE_URL": "https://social.example",
    "DEBUG": "",
    "HTTPS": "",
}


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def manage(*arguments, **changes):
    """manage.py in a process of its own, as in production; variables that are None are not set."""
    wanted = {**PRODUCTION, **changes}
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "DATA_DIR")}
    # Set to nothing instead of unset: .env of a developer's machine only fills what is not there.
    set_ = {name: "" if value is None else value for name, value in wanted.items()}
    for boolean in ("DEBUG", "HTTPS"):
        if not set_[boolean]:
            set_[boolean] = "false" if boolean == "DEBUG" else "true"
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env={**kept, **set_},
        capture_output=True,
        text=True,
        timeout=60,
    )


def directives(response):
    policy = response["Content-Security-Policy"]
    return {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}


PAGES = ["/", "/public/", "/people/", "/@alice/", "/accounts/login/", "/nothing", "/avatars/1.svg"]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_its_guarding_headers(client, alice, path):
    response = client.get(path)
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    policy = directives(response)
    assert policy["default-src"] == ["'self'"]
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == ["'none'"]
    assert policy["form-action"] == ["'self'"]
    assert "unsafe" not in response["Content-Security-Policy"]


def test_no_page_needs_what_the_policy_forbids(as_alice, alice, admin_user):
    post = publish(alice)
    paths = ["/", "/posts/", "/people/", "/settings/profile/", "/settings/username/", "/nothing"]
    paths += ["/@alice/", f"/@alice/{post}/", f"/posts/{post}/delete/", "/accounts/email/"]
    paths += ["/accounts/password/change/", "/accounts/logout/"]
    pages = [as_alice.get(path) for path in paths]
    as_alice.force_login(admin_user)
    pages += [as_alice.get(path) for path in ("/admin/", f"/admin/feed/post/{post}/change/")]
    as_alice.logout()
    for path in ("/", "/accounts/signup/", "/accounts/login/", "/accounts/password/reset/"):
        pages.append(as_alice.get(path))
    for page in pages:
        html, path = page.content.decode(), page.request["PATH_INFO"]
        assert not re.search(r"<[^>]*\son\w+=", html), path
        assert not re.search(r"<[^>]*\sstyle=", html), path
        assert "<style" not in html, path
        assert "javascript:" not in html, path
        for script in re.findall(r"<script\b([^>]*)>", html):
            inert = 'type="application/json"' in script
            assert "src=" in script or inert, (path, script)


FORMS = [
    "/posts/",
    "/theme/",
    "/settings/profile/",
    "/settings/username/",
    "/@bob/follow/",
    "/@bob/unfollow/",
    "/accounts/login/",
    "/accounts/logout/",
    "/accounts/signup/",
    "/accounts/password/change/",
    "/accounts/password/reset/",
    "/accounts/email/",
]


@pytest.mark.parametrize("path", FORMS)
def test_a_form_from_elsewhere_is_refused_with_a_word(alice, bob, path):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    response = client.post(path, {"text": "x", "next": "/"})
    assert response.status_code == 403
    assert b"Please send that again" in response.content


def test_the_forms_of_the_site_carry_what_they_need(alice):
    client = Client(enforce_csrf_checks=True)
    page = client.get("/accounts/login/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
    data = {"login": "alice", "password": PASSWORD, "csrfmiddlewaretoken": token}
    assert client.post("/accounts/login/", data).status_code == 302
    page = client.get("/").content.decode()
    token = re.search(r'"X-CSRFToken": "([^"]+)"', page)[1]
    response = client.post("/posts/", {"text": "hi"}, headers={"X-CSRFToken": token})
    assert response.status_code == 302


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(client, alice):
    response = client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    session = response.cookies["sessionid"]
    assert session["httponly"]
    assert session["samesite"] == "Lax"
    assert response.cookies["csrftoken"]["samesite"] == "Lax"


def test_a_log_in_changes_the_session(client, alice):
    client.get("/accounts/login/")
    client.session["planted"] = "x"
    client.session.save()
    before = client.session.session_key
    client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert client.session.session_key != before


def test_an_unknown_host_is_refused(client, settings):
    settings.ALLOWED_HOSTS = ["social.example"]
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"host": "social.example"}).status_code == 200


@pytest.mark.parametrize("language", ["ar", "de", "xx", "en-GB;q=0.1, he", "*", "\x00", "a" * 500])
def test_a_page_is_in_one_language_and_direction(client, language):
    html = client.get("/accounts/login/", headers={"Accept-Language": language}).content.decode()
    assert '<html lang="en" dir="ltr"' in html
    response = client.post("/accounts/login/", {}, headers={"Accept-Language": language})
    assert "This field is required." in response.content.decode()


def test_a_wrong_host_gets_a_neutral_page_and_the_operator_reads_why(client, settings, caplog):
    settings.ALLOWED_HOSTS = ["example.org"]
    answer = client.get("/", headers={"Host": "evil.example"})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "cannot answer this request" in page
    assert "too large" not in page
    assert "evil.example" not in page
    assert "Invalid HTTP_HOST header: 'evil.example'" in caplog.text


def test_a_body_that_is_too_large_gets_a_page_that_says_so(as_alice):
    page = as_alice.post("/posts/", {f"f{n}": "" for n in range(1001)}).content.decode()
    assert "too large" in page
    assert "cannot answer this request" not in page


def test_too_many_fields_or_a_broken_upload_are_refused_calmly(as_alice):
    assert as_alice.post("/posts/", {f"f{n}": "" for n in range(1001)}).status_code == 400
    broken = b"--x\r\nContent-Disposition: form-data; name=text\r\n\r\nab"
    kind = "multipart/form-data; boundary="
    for boundary in ("x", "", "\x00", "y" * 300):
        response = as_alice.generic("POST", "/posts/", broken, kind + boundary)
        assert response.status_code in (302, 400, 422)
    for content_type in (
        "application/json",
        "text/plain",
        "",
        "multipart/form-data",
        "x/y; charset=no",
    ):
        response = as_alice.generic("POST", "/settings/profile/", b"\xff\x00{", content_type)
        assert response.status_code in (302, 400, 422)


@pytest.mark.slow
def test_a_production_site_passes_all_checks():
    done = manage("check", "--deploy", "--fail-level", "WARNING")
    assert (done.returncode, done.stderr) == (0, "")


SHOW = (
    "from django.conf import settings as s; print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, "
    "s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS >= 31536000, s.DEBUG, s.CSRF_TRUSTED_ORIGINS, "
    "s.TRUSTED_PROXIES, s.SECURE_PROXY_SSL_HEADER)"
)


@pytest.mark.slow
def test_cookies_and_pages_of_a_production_site_go_over_https_only():
    done = manage("shell", "--no-imports", "-c", SHOW)
    assert done.stdout.strip() == "True True True True False ['https://social.example'] 0 None"


@pytest.mark.slow
def test_behind_a_proxy_the_address_of_the_client_is_the_one_the_proxy_saw():
    """Otherwise all people would share the limits of one address, or choose their own."""
    done = manage("shell", "--no-imports", "-c", SHOW, BEHIND_PROXY="true")
    assert "1 ('HTTP_X_FORWARDED_PROTO', 'https')" in done.stdout


def test_behind_a_proxy_limits_hold_for_the_last_address_it_names(client, settings):
    settings.TRUSTED_PROXIES = 1
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip"}
    statuses = [
        client.post("/accounts/login/", {}, headers={"X-Forwarded-For": addresses}).status_code
        for addresses in (
            "1.1.1.1, 9.9.9.9",
            "2.2.2.2, 9.9.9.9",
            "3.3.3.3, 9.9.9.9",
            "9.9.9.9, 4.4.4.4",
        )
    ]
    assert statuses == [200, 200, 429, 200]


@pytest.mark.parametrize("name", ["SECRET_KEY", "MONGODB_URI"])
def test_a_missing_secret_or_database_is_said_in_a_line_and_nothing_starts(name, tmp_path):
    done = manage("check", **{name: None}, DATA_DIR=str(tmp_path))
    assert done.returncode == 1
    assert f"{name} is not set" in done.stderr
    assert "Traceback" not in done.stderr
    assert "make" in done.stderr


def test_a_mistaken_strategy_is_said_at_once(settings):
    settings.FEED_STRATEGY = "magic"
    with pytest.raises(SystemCheckError, match="FEED_STRATEGY is 'magic'"):
        call_command("check")


@pytest.mark.django_db
def test_load_balancers_ask_without_https_and_without_the_database(
    client, settings, record_commands
):
    settings.SECURE_SSL_REDIRECT = True
    with record_commands() as commands:
        answer = client.get("/health")
    assert (answer.status_code, answer.content, answer["Content-Type"]) == (
        200,
        b"OK",
        "text/plain",
    )
    assert commands == []
    assert client.get("/").status_code == 301


@pytest.mark.parametrize(
    "path", ["/", "/public/", "/@alice/", "/notifications/", "/settings/profile/"]
)
def test_pages_of_a_logged_in_user_are_kept_by_no_shared_cache(as_alice, path):
    assert as_alice.get(path)["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("path", ["/", "/public/"])
def test_pages_of_visitors_say_nothing_about_caching(client, path):
    assert not client.get(path).has_header("Cache-Control")


def test_stricter_answers_stay_as_they_are(as_alice):
    assert "no-store" in as_alice.get("/settings/sessions/")["Cache-Control"]
