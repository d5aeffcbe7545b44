"""Security: headers, forms, cookies, and checks of production settings."""

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


def run(*arguments, **changes):
    """Run Python with production settings in a new process. None means a missing variable."""
    inherited_names = ("PATH", "HOME", "LANG", "DATA_DIR")
    inherited = {name: value for name, value in os.environ.items() if name in inherited_names}
    # Set missing variables to an empty text, because a developer's .env would define unset variables.
    variables = {name: value or "" for name, value in {**PRODUCTION, **changes}.items()}
    for boolean in ("DEBUG", "HTTPS"):
        if not variables[boolean]:
            variables[boolean] = "false" if boolean == "DEBUG" else "true"
    variables["DJANGO_SETTINGS_MODULE"] = "socialsite.settings"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env={**inherited, **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )


def manage(*arguments, **changes):
    return run("manage.py", *arguments, **changes)


def directives(response):
    policy = response["Content-Security-Policy"]
    return {part.split()[0]: part.split()[1:] for part in policy.split(";") if part.strip()}


PAGES = [
    "/",
    "/public/",
    "/explore/people/",
    "/@alice/",
    "/accounts/login/",
    "/nothing",
    "/avatars/1-A.svg",
]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_security_headers(client, alice, path):
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


def test_no_page_violates_the_content_security_policy(as_alice, alice, admin_user):
    post = publish(alice)
    paths = [
        "/",
        "/posts/",
        "/explore/people/",
        "/settings/profile/",
        "/settings/username/",
        "/nothing",
    ]
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
            is_inert = 'type="application/json"' in script
            assert "src=" in script or is_inert, (path, script)


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
def test_forms_from_other_sites_are_refused_with_a_message(alice, bob, path):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    response = client.post(path, {"text": "x", "next": "/"})
    assert response.status_code == 403
    assert b"Please try again" in response.content


def test_forms_and_scripts_send_csrf_tokens(alice):
    client = Client(enforce_csrf_checks=True)
    page = client.get("/accounts/login/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
    data = {"login": "alice", "password": PASSWORD, "csrfmiddlewaretoken": token}
    assert client.post("/accounts/login/", data).status_code == 302
    page = client.get("/").content.decode()
    token = re.search(r'"X-CSRFToken": "([^"]+)"', page)[1]
    response = client.post("/posts/", {"text": "hi"}, headers={"X-CSRFToken": token})
    assert response.status_code == 302


def test_cookies_are_protected_from_scripts_and_other_sites(client, alice):
    response = client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    session = response.cookies["sessionid"]
    assert session["httponly"]
    assert session["samesite"] == "Lax"
    assert response.cookies["csrftoken"]["samesite"] == "Lax"


def test_logging_in_changes_the_session(client, alice):
    client.get("/accounts/login/")
    client.session["planted"] = "x"
    client.session.save()
    old_key = client.session.session_key
    client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert client.session.session_key != old_key


def test_an_unknown_host_is_refused(client, settings):
    settings.ALLOWED_HOSTS = ["social.example"]
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"host": "social.example"}).status_code == 200


@pytest.mark.parametrize("language", ["he", "xx", "en-GB;q=0.1, he", "*", "\x00", "a" * 500])
def test_pages_are_in_english_for_browsers_without_a_language_of_the_site(client, language):
    html = client.get("/accounts/login/", headers={"Accept-Language": language}).content.decode()
    assert '<html lang="en" dir="ltr"' in html
    response = client.post("/accounts/login/", {}, headers={"Accept-Language": language})
    assert "This field is required." in response.content.decode()


def test_a_wrong_host_gets_a_neutral_page_and_the_reason_is_logged(client, settings, caplog):
    settings.ALLOWED_HOSTS = ["example.org"]
    response = client.get("/", headers={"Host": "evil.example"})
    page = response.content.decode()
    assert response.status_code == 400
    assert "cannot process this request" in page
    assert "too large" not in page
    assert "evil.example" not in page
    assert "Invalid HTTP_HOST header: 'evil.example'" in caplog.text


def test_too_large_bodies_get_a_page_with_the_reason(as_alice):
    page = as_alice.post("/posts/", {f"f{n}": "" for n in range(1001)}).content.decode()
    assert "too large" in page
    assert "cannot process this request" not in page


def test_too_many_fields_and_broken_uploads_are_refused(as_alice):
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
    result = manage("check", "--deploy", "--fail-level", "WARNING")
    assert (result.returncode, result.stderr) == (0, "")


SHOW = (
    "from django.conf import settings as s; print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, "
    "s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS >= 31536000, s.DEBUG, s.CSRF_TRUSTED_ORIGINS, "
    "s.TRUSTED_PROXIES, s.SECURE_PROXY_SSL_HEADER)"
)


@pytest.mark.slow
def test_a_production_site_uses_https_only():
    result = run("-c", SHOW)
    assert result.stdout.strip() == "True True True True False ['https://social.example'] 0 None"


@pytest.mark.slow
def test_behind_a_proxy_the_client_address_comes_from_the_proxy():
    """Otherwise all users would share one rate limit, or could evade limits with a forged address."""
    result = run("-c", SHOW, BEHIND_PROXY="true")
    assert "1 ('HTTP_X_FORWARDED_PROTO', 'https')" in result.stdout


def test_behind_a_proxy_rate_limits_apply_to_the_last_forwarded_address(client, settings):
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
def test_a_missing_secret_or_database_stops_the_start(name, tmp_path):
    result = manage("check", **{name: None}, DATA_DIR=str(tmp_path))
    assert result.returncode == 1
    assert f"{name} is not set" in result.stderr
    assert "Traceback" not in result.stderr
    assert "make" in result.stderr


def test_an_unknown_strategy_is_reported(settings):
    settings.FEED_STRATEGY = "magic"
    with pytest.raises(SystemCheckError, match="FEED_STRATEGY is 'magic'"):
        call_command("check")


@pytest.mark.django_db
def test_the_health_check_needs_no_https_and_no_database(client, settings, record_commands):
    settings.SECURE_SSL_REDIRECT = True
    with record_commands() as commands:
        response = client.get("/health")
    assert (response.status_code, response.content, response["Content-Type"]) == (
        200,
        b"OK",
        "text/plain",
    )
    assert commands == []
    assert client.get("/").status_code == 301


@pytest.mark.parametrize(
    "path", ["/", "/public/", "/@alice/", "/notifications/", "/settings/profile/"]
)
def test_pages_of_signed_in_users_are_private(as_alice, path):
    assert as_alice.get(path)["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("path", ["/", "/public/"])
def test_pages_of_visitors_have_no_cache_header(client, path):
    assert not client.get(path).has_header("Cache-Control")


def test_stricter_cache_headers_are_preserved(as_alice):
    assert "no-store" in as_alice.get("/settings/sessions/")["Cache-Control"]
