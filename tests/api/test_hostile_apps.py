"""Apps and addresses that want more than they should: nobody is let in, and nothing fails."""

import threading
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import tasks
from accounts.infra.ids import first_id_at
from accounts.oauth.models import AccessToken, Application, Grant
from accounts.services import apps
from tests.api.api_client import Api
from tests.api.test_oauth import (
    HIDDEN,
    OOB,
    VERIFIER,
    allow,
    app,
    asked,
    code_in,
    exchange,
    person,
)
from tests.log_ins import log_in

__all__ = ["person"]
BACK = "https://app.example/back"


def test_odd_addresses_of_the_page_are_answered_calmly(person):
    good = urlencode(asked(app(redirect_uris=BACK)))
    odd = ("x=%zz", "state=%00", "x=%FF", "scope=write&scope=read", "prompt=create", "resource=x")
    for row in odd:
        assert person.get(f"/oauth/authorize?{good}&{row}").status_code in (200, 302, 400), row
    for path in ("token", "revoke"):
        assert Client().post(f"/oauth/{path}?x=%zz").status_code == 400


@pytest.mark.parametrize(
    "target",
    [
        "https://app.example:99999/back",
        "https://app.example:443/back",
        "https://app.example./back",
        "https://app.example/back#x",
        "https://u@app.example/back",
        "https://app.example\\@evil.example/back",
        "https://app.example/back?x=1",
        "https://app.example/back/../x",
        "http://app.example/back",
        "http://localhost:9/back",
        "http://[::1",
        "\0",
    ],
)
def test_nobody_is_sent_to_what_only_looks_like_the_address(person, target):
    client_app = app(redirect_uris=f"{BACK}\nhttp://localhost:8/back")
    answer = person.get("/oauth/authorize", asked(client_app, redirect_uri=target))
    assert (answer.status_code, "Location" in answer) == (400, False)


@pytest.mark.parametrize(
    "uri",
    [
        "https://app.example;sandbox/",
        "https://user:word@app.example/",
        "https://app.example/#",
        "tusky://a@b",
        "https://bücher.example/",
    ],
)
def test_addresses_that_would_mean_something_else_later_are_refused(uri):
    sent = {"client_name": "An app", "redirect_uris": uri}
    assert Api().post("apps", **sent).status_code == 422


@pytest.mark.parametrize("is_allowed", [True, False])
@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/"},
        {"client_id": "nobody"},
        {"client_id": ""},
        {"scope": ""},
    ],
)
def test_a_form_that_was_changed_leads_nowhere(person, changes, is_allowed):
    page = person.get("/oauth/authorize", asked(app(redirect_uris=BACK)))
    fields = dict(HIDDEN.findall(page.content.decode())) | changes
    answer = person.post("/oauth/authorize", fields | ({"allow": "yes"} if is_allowed else {}))
    assert (answer.status_code, "Location" in answer) == (400, False)
    assert not Grant.objects.exists()


def test_the_page_asks_each_time_and_only_where_it_stands_alone(person, alice):
    client_app = app(redirect_uris=BACK)
    exchange(client_app, code_in(allow(person, client_app)))
    page = person.get("/oauth/authorize", asked(client_app, approval_prompt="auto"))
    assert page.status_code == 200
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    strict = Client(enforce_csrf_checks=True)
    log_in(strict, alice)
    fields = dict(HIDDEN.findall(page.content.decode()))
    assert strict.post("/oauth/authorize", fields | {"allow": "yes"}).status_code == 403


@pytest.mark.parametrize("target", ["tusky://oauth", "http://127.0.0.1:4321/back"])
def test_apps_on_the_same_machine_hear_what_was_wrong(person, target):
    client_app = app(redirect_uris="tusky://oauth\nhttp://127.0.0.1/back")
    answer = person.get("/oauth/authorize", asked(client_app, redirect_uri=target, scope="bogus"))
    assert answer["Location"].startswith(f"{target}?error=invalid_scope")


def test_who_brings_a_verifier_needs_a_code_with_a_challenge(person):
    client_app = app()
    code = code_in(allow(person, client_app))
    assert exchange(client_app, code, code_verifier=VERIFIER).status_code == 400
    assert not AccessToken.objects.exists()


def test_a_code_is_good_for_the_address_it_was_sent_to_alone(person):
    client_app = app(redirect_uris=f"{BACK}\ntusky://oauth")
    code = code_in(allow(person, client_app))
    assert exchange(client_app, code, redirect_uri="tusky://oauth").status_code == 400


def test_of_many_who_bring_a_code_at_once_one_gets_a_token(person):
    client_app = app()
    code = code_in(allow(person, client_app))
    together, seen = threading.Barrier(4), []

    def bring():
        together.wait()
        seen.append(exchange(client_app, code).status_code)
        connection.close()

    threads = [threading.Thread(target=bring) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [200, 400, 400, 400]
    # Whoever came late enough to find the code used up has revoked the token.
    assert AccessToken.objects.count() <= 1


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/api/v1/apps"])
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"client_id": "\\ud800", "code": "\\ud800", "token": "\\ud800"}', "application/json"),
        ("[" * 100_000, "application/json"),
        ('{"a":' + "[" * 100_000, "application/json"),
        ('{"a":' + "9" * 5000 + "}", "application/json"),
        ('{"a": "' + "x" * 1_100_000 + '"}', "application/json"),
        (b"\xff\xfe", "application/json"),
        ("grant_type=%zz&client_id=%ff", "application/x-www-form-urlencoded"),
        (b"a=1", "application/x-www-form-urlencoded; charset=rot13"),
        (b"a=1", "application/json; charset=zlib"),
        ("&".join(f"a{n}=1" for n in range(3000)), "application/x-www-form-urlencoded"),
        ("a[b][c][d]" * 3000, "application/x-www-form-urlencoded"),
        ("grant_type=openid", "application/x-www-form-urlencoded"),
        ("x", "multipart/form-data; boundary=x"),
        ("", ""),
    ],
)
def test_bodies_that_cannot_be_read_are_refused_in_json(path, body, kind):
    body = body if isinstance(body, bytes) else body.encode()
    answer = Client().generic("POST", path, body, content_type=kind)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]


def test_secrets_are_not_guessed_without_end(settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"visitor_api": "2/5m"}
    answers = [Client().post(f"/oauth/{path}") for path in ("token", "revoke", "token")]
    assert [answer.status_code for answer in answers] == [400, 400, 429]
    assert int(answers[-1]["Retry-After"]) > 0
    assert answers[-1].json()["error"]


def test_tokens_are_not_guessed_without_end(settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"visitor_api": "2/5m"}
    api = Api(token="guessed")
    answers = [api.get("timelines/home") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert answers[0]["X-RateLimit-Remaining"] == "1"


def test_tokens_in_addresses_are_not_logged(caplog):
    Client().get("/api/v1/streaming/user?access_token=very-secret&x=1")
    assert "access_token=...&x=1" in caplog.text
    assert "very-secret" not in caplog.text


def of_last_week(result):
    """The same app, made known eight days ago."""
    row = Application.objects.get(client_id=result["client_id"])
    Application.objects.filter(pk=row.pk).delete()
    row.pk = first_id_at(moment=timezone.now() - timedelta(days=8)) + Application.objects.count()
    row.save(force_insert=True)
    return result


def test_apps_that_nobody_lets_in_are_deleted_after_a_week(person, alice, monkeypatch):
    monkeypatch.setattr(apps, "BATCH_SIZE", 2)
    late = of_last_week(app(client_name="Left its code"))
    allow(person, late)
    Grant.objects.update(expires=timezone.now())
    results = [of_last_week(app(client_name=name)) for name in ("Used", "About to be", "Its own")]
    exchange(results[0], code_in(allow(person, results[0])))
    allow(person, results[1])
    arguments = {name: results[2][name] for name in ("client_id", "client_secret")}
    Client().post("/oauth/token", arguments | {"grant_type": "client_credentials"})
    new = app(client_name="New")
    unused = of_last_week(app(client_name="Unused"))
    for _ in range(2):
        tasks.delete_unused_apps()
        existing = set(Application.objects.values_list("client_id", flat=True))
        assert existing == {status["client_id"] for status in (*results, new)}
    assert unused["client_id"] not in existing
    assert (AccessToken.objects.count(), Grant.objects.count()) == (2, 1)


def test_a_kind_of_grant_that_is_not_offered_is_refused(person):
    client_app = app()
    code = code_in(allow(person, client_app))
    assert exchange(client_app, code, grant_type="openid").status_code == 400


@pytest.mark.parametrize("sent", ["Basic x", "Basic /w==", "Bearer", "Bearer é", "Bearer a b"])
def test_headers_that_say_nothing_let_nobody_in(person, sent):
    client_app = app()
    code = code_in(allow(person, client_app))
    client = Client(headers={"Authorization": sent})
    assert client.get("/api/v1/accounts/verify_credentials").status_code == 401
    arguments = {"grant_type": "authorization_code", "code": code, "redirect_uri": OOB}
    answer = client.post("/oauth/token", arguments | {"client_id": client_app["client_id"]})
    assert answer.status_code == 401
    assert Application.objects.count() == 1
