"""Sign-up through the API follows the rules of the sign-up page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.blocklists.models import BlockedName
from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.services.invitations import BY_INVITATION, CLOSED, create_invitation
from tests.api.api_client import Api, token_of

DORA = {
    "username": "Dora",
    "email": "Dora@Example.org",
    "password": "a long enough secret",
    "agreement": True,
    "locale": "de-DE",
}

LONG_ADDRESS = f"dora@{'.'.join(['a' * 50] * 5)}.org"
"""A valid address of 263 characters. The column has 254."""


@pytest.fixture
def app(clean_site):
    return Api(token=token_of(None, "read write"))


def register(app, **changes):
    return app.post("accounts", **{**DORA, **changes})


def test_a_new_user_gets_a_token_and_a_mail(app, mailoutbox):
    body = register(app).json()
    assert body["token_type"] == "Bearer"
    assert body["scope"] == "read write"
    me = Api(token=body["access_token"]).get("accounts/verify_credentials").json()
    assert me["username"] == "dora"
    assert not AccessToken.objects.filter(token=body["access_token"]).exists()
    (mail,) = mailoutbox
    assert mail.to == ["dora@example.org"]
    assert User.objects.get(username="dora").check_password(DORA["password"])


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"username": ""}, "username", "ERR_BLANK"),
        ({"username": "alice"}, "username", "ERR_TAKEN"),
        ({"username": "a b"}, "username", "ERR_INVALID"),
        ({"username": "admin"}, "username", "ERR_RESERVED"),
        ({"username": "person_123456789"}, "username", "ERR_RESERVED"),
        ({"username": "Person_123456789_a1b"}, "username", "ERR_RESERVED"),
        ({"username": "villain"}, "username", "ERR_BLOCKED"),
        ({"username": "x" * 31}, "username", "ERR_TOO_LONG"),
        ({"email": "nonsense"}, "email", "ERR_INVALID"),
        ({"email": LONG_ADDRESS}, "email", "ERR_TOO_LONG"),
        ({"password": "short"}, "password", "ERR_TOO_SHORT"),
        ({"password": ""}, "password", "ERR_BLANK"),
        ({"agreement": False}, "agreement", "ERR_ACCEPTED"),
    ],
)
def test_errors_are_listed_by_field(app, alice, changes, field, code):
    blocked = BlockedName(name="villain")
    blocked.full_clean()
    blocked.save()
    response = register(app, **changes)
    assert response.status_code == 422
    details = response.json()["details"]
    assert code in [detail["error"] for detail in details[field]]
    assert [*details] == [field]
    assert User.objects.count() == 1


def test_sign_up_requires_an_app_only_token(app, alice):
    assert register(Api()).status_code == 401
    assert register(Api(alice)).status_code == 403
    assert register(Api(token=token_of(None, "read"))).status_code == 403


def test_sign_up_respects_the_sign_up_mode(app, alice, settings):
    settings.SIGN_UP_MODE = CLOSED
    assert register(app).status_code == 403
    settings.SIGN_UP_MODE = BY_INVITATION
    assert register(app).status_code == 403
    assert register(app, invite_code="x" * 5).status_code == 403
    invitation = create_invitation(
        actor=alice, max_uses=1, expires_at=timezone.now() + timedelta(days=1)
    )
    assert register(app, invite_code=invitation.key, password="short").status_code == 422
    assert register(app, invite_code=invitation.key).status_code == 200
    second = register(app, invite_code=invitation.key, username="eve", email="eve@example.org")
    assert second.status_code == 403


def test_sign_ups_from_a_network_are_rate_limited(app, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "sign_up": "1/d"}
    assert register(app).status_code == 200
    response = register(app, username="eve", email="eve@example.org")
    assert response.status_code == 429
    assert response["Retry-After"]


def test_mandatory_verification_does_not_reveal_taken_addresses(app, alice, settings, mailoutbox):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    new = register(app)
    taken = register(app, username="eve", email="alice@example.org")
    assert [status.status_code for status in (new, taken)] == [200, 200]
    assert [message.to for message in mailoutbox] == [["dora@example.org"], ["alice@example.org"]]
    results = [
        Api(token=status.json()["access_token"]).get("accounts/verify_credentials")
        for status in (new, taken)
    ]
    assert results[0].json() == results[1].json()
    assert results[0].status_code == results[1].status_code == 422
    dora = User.objects.get(username="dora")
    dora.emailaddress_set.update(verified=True)
    api = Api(token=new.json()["access_token"])
    assert api.get("accounts/verify_credentials").json()["username"] == "dora"


@pytest.mark.parametrize("verification", ["none", "optional", "mandatory"])
def test_sign_up_does_not_reveal_whether_an_address_has_an_account(
    app, alice, settings, verification
):
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    responses = [
        register(app, username=f"dora{number}", email=email)
        for number, email in enumerate((alice.email, "nobody@example.org"))
    ]
    assert [response.status_code for response in responses] == [200, 200]
    taken, new = (sorted(response.json()) for response in responses)
    assert taken == new
