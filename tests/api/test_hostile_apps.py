"""Hostile apps and malformed OAuth requests get no access and cause no server error."""

import threading
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.db.models.signals import post_save
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
    authorization_query,
    code_in,
    exchange,
    register_app,
    user_client,
)
from tests.log_ins import log_in

__all__ = ["user_client"]
BACK = "https://app.example/back"


def test_malformed_queries_cause_no_server_error(user_client):
    good = urlencode(authorization_query(register_app(redirect_uris=BACK)))
    queries = (
        "x=%zz",
        "state=%00",
        "x=%FF",
        "scope=write&scope=read",
        "prompt=create",
        "resource=x",
    )
    for query in queries:
        assert user_client.get(f"/oauth/authorize?{good}&{query}").status_code in (200, 302, 400), (
            query
        )
    for path in ("token", "revoke"):
        assert Client().post(f"/oauth/{path}?x=%zz").status_code == 400


SIMILAR_URIS = (
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
)


def test_similar_redirect_uris_are_rejected(user_client):
    client_app = register_app(redirect_uris=f"{BACK}\nhttp://localhost:8/back")
    for uri in SIMILAR_URIS:
        query = authorization_query(client_app, redirect_uri=uri)
        response = user_client.get("/oauth/authorize", query)
        assert (response.status_code, "Location" in response) == (400, False), uri


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
def test_ambiguous_redirect_uris_are_rejected(uri):
    header = {"client_name": "An app", "redirect_uris": uri}
    assert Api().post("apps", **header).status_code == 422


def test_a_manipulated_form_is_rejected_without_a_redirect(user_client):
    page = user_client.get(
        "/oauth/authorize", authorization_query(register_app(redirect_uris=BACK))
    )
    fields = dict(HIDDEN.findall(page.content.decode()))
    for changes in (
        {"redirect_uri": "https://evil.example/"},
        {"client_id": "nobody"},
        {"client_id": ""},
        {"scope": ""},
    ):
        for decision in ({"allow": "yes"}, {}):
            response = user_client.post("/oauth/authorize", fields | changes | decision)
            assert (response.status_code, "Location" in response) == (400, False), changes
    assert not Grant.objects.exists()


def test_the_consent_page_is_always_shown_and_cannot_be_framed(user_client, alice):
    client_app = register_app(redirect_uris=BACK)
    exchange(client_app, code_in(allow(user_client, client_app)))
    page = user_client.get(
        "/oauth/authorize", authorization_query(client_app, approval_prompt="auto")
    )
    assert page.status_code == 200
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    csrf_client = Client(enforce_csrf_checks=True)
    log_in(csrf_client, alice)
    fields = dict(HIDDEN.findall(page.content.decode()))
    assert csrf_client.post("/oauth/authorize", fields | {"allow": "yes"}).status_code == 403


@pytest.mark.parametrize("target", ["tusky://oauth", "http://127.0.0.1:4321/back"])
def test_local_apps_receive_the_error(user_client, target):
    client_app = register_app(redirect_uris="tusky://oauth\nhttp://127.0.0.1/back")
    response = user_client.get(
        "/oauth/authorize", authorization_query(client_app, redirect_uri=target, scope="bogus")
    )
    assert response["Location"].startswith(f"{target}?error=invalid_scope")


def test_a_verifier_requires_a_code_with_a_challenge(user_client):
    client_app = register_app()
    code = code_in(allow(user_client, client_app))
    assert exchange(client_app, code, code_verifier=VERIFIER).status_code == 400
    assert not AccessToken.objects.exists()


def test_a_code_is_only_valid_for_its_redirect_uri(user_client):
    client_app = register_app(redirect_uris=f"{BACK}\ntusky://oauth")
    code = code_in(allow(user_client, client_app))
    assert exchange(client_app, code, redirect_uri="tusky://oauth").status_code == 400


def test_a_code_used_again_before_the_token_is_sent_returns_no_token(user_client):
    client_app = register_app()
    code = code_in(allow(user_client, client_app))
    second_responses = []

    def exchange_again(**_signal):
        second_responses.append(exchange(client_app, code))

    post_save.connect(exchange_again, sender=AccessToken)
    try:
        first_response = exchange(client_app, code)
    finally:
        post_save.disconnect(exchange_again, sender=AccessToken)
    for response in (first_response, *second_responses):
        assert (response.status_code, response.json()["error"]) == (400, "invalid_grant")
    assert len(second_responses) == 1
    assert not AccessToken.objects.exists()


def test_concurrent_exchanges_of_a_code_return_one_token(user_client):
    client_app = register_app()
    code = code_in(allow(user_client, client_app))
    barrier, statuses = threading.Barrier(4), []

    def exchange_code():
        barrier.wait()
        statuses.append(exchange(client_app, code).status_code)
        connection.close()

    threads = [threading.Thread(target=exchange_code) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The second use of a code revokes the token of the first use, maybe before the token is sent.
    assert len(statuses) == 4
    assert statuses.count(400) >= 3
    assert set(statuses) <= {200, 400}
    assert AccessToken.objects.count() <= statuses.count(200)


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
def test_unreadable_bodies_are_rejected_with_json(path, body, kind):
    body = body if isinstance(body, bytes) else body.encode()
    response = Client().generic("POST", path, body, content_type=kind)
    assert 400 <= response.status_code < 500
    assert response.json()["error"]


def test_guessing_client_secrets_is_rate_limited(settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"visitor_api": "2/5m"}
    responses = [Client().post(f"/oauth/{path}") for path in ("token", "revoke", "token")]
    assert [response.status_code for response in responses] == [400, 400, 429]
    assert int(responses[-1]["Retry-After"]) > 0
    assert responses[-1].json()["error"]


def test_guessing_tokens_is_rate_limited(settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"visitor_api": "2/5m"}
    api = Api(token="guessed")
    responses = [api.get("timelines/home") for _ in range(3)]
    assert [response.status_code for response in responses] == [401, 401, 429]
    assert responses[0]["X-RateLimit-Remaining"] == "1"


def test_tokens_in_urls_are_not_logged(caplog):
    Client().get("/api/v1/streaming/user?access_token=very-secret&x=1")
    assert "access_token=...&x=1" in caplog.text
    assert "very-secret" not in caplog.text


def registered_last_week(result):
    """Move the registration of this app eight days into the past. Return ``result`` unchanged."""
    application = Application.objects.get(client_id=result["client_id"])
    Application.objects.filter(pk=application.pk).delete()
    application.pk = (
        first_id_at(moment=timezone.now() - timedelta(days=8)) + Application.objects.count()
    )
    application.save(force_insert=True)
    return result


def test_unused_apps_are_deleted_after_a_week(user_client, alice, monkeypatch):
    monkeypatch.setattr(apps, "BATCH_SIZE", 2)
    late = registered_last_week(register_app(client_name="Left its code"))
    allow(user_client, late)
    Grant.objects.update(expires=timezone.now())
    used_apps = [
        registered_last_week(register_app(client_name=name))
        for name in ("Used", "About to be", "Its own")
    ]
    exchange(used_apps[0], code_in(allow(user_client, used_apps[0])))
    allow(user_client, used_apps[1])
    arguments = {name: used_apps[2][name] for name in ("client_id", "client_secret")}
    Client().post("/oauth/token", arguments | {"grant_type": "client_credentials"})
    new = register_app(client_name="New")
    unused = registered_last_week(register_app(client_name="Unused"))
    for _ in range(2):
        tasks.delete_unused_apps()
        existing = set(Application.objects.values_list("client_id", flat=True))
        assert existing == {used_app["client_id"] for used_app in (*used_apps, new)}
    assert unused["client_id"] not in existing
    assert (AccessToken.objects.count(), Grant.objects.count()) == (2, 1)


def test_unsupported_grant_types_are_rejected(user_client):
    client_app = register_app()
    code = code_in(allow(user_client, client_app))
    assert exchange(client_app, code, grant_type="openid").status_code == 400


def test_invalid_authorization_headers_are_rejected(user_client):
    client_app = register_app()
    code = code_in(allow(user_client, client_app))
    arguments = {"grant_type": "authorization_code", "code": code, "redirect_uri": OOB}
    arguments["client_id"] = client_app["client_id"]
    for header in ("Basic x", "Basic /w==", "Bearer", "Bearer é", "Bearer a b"):
        client = Client(headers={"Authorization": header})
        response = client.get("/api/v1/accounts/verify_credentials")
        assert response.status_code == 401, header
        assert client.post("/oauth/token", arguments).status_code == 401, header
    assert Application.objects.count() == 1
