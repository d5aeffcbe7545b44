"""Blocklists refuse sign-ups and show a clear message."""

from datetime import timedelta
from ipaddress import ip_address

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.blocklists import normalization
from accounts.blocklists.models import BlockedEmail, BlockedName, BlockedNetwork
from accounts.models import User
from accounts.selectors import blocklists

from .test_admin import joins_and_counts

SIGN_UP = "/accounts/signup/"
DORA = {"username": "dora", "email": "dora@example.org", "password1": "a long enough secret"}
ADMIN = "/admin/accounts"


@pytest.fixture
def as_admin(client, admin_user):
    client.force_login(admin_user)
    return client


def block(model, **fields):
    result = model(**fields)
    result.clean()
    result.save()
    return result


def expiry_fields(text):
    """Return the two form fields of the admin for a date and time."""
    day, _, hour = text.partition(" ")
    return {"expires_at_0": day, "expires_at_1": hour}


def is_rejected(check, **arguments):
    try:
        check(**arguments)
    except ValidationError:
        return True
    return False


# --- Email addresses -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("blocked", "address", "should_reject"),
    [
        ("example.org", "a@example.org", True),
        (" @Example.ORG. ", "a@EXAMPLE.org", True),
        ("example.org", "a@mail.example.org", True),
        ("example.org", "a@notexample.org", False),
        ("mail.example.org", "a@example.org", False),
        ("bücher.example", "a@xn--bcher-kva.example", True),
        ("xn--bcher-kva.example", "a@Bücher.example", True),
        ("zip", "a@b.zip", True),
        ("spam@example.org", "spam@example.org", True),
        ("Spam+1@example.org", "spam+other@example.org", True),
        ("spam@example.org", "a@example.org", False),
        ("spam@example.org", "s.pam@example.org", False),
        ("sp.am@gmail.com", "spa.m+x@GMAIL.com", True),
        ("[192.0.2.1]", "a@[192.0.2.1]", True),
    ],
)
def test_a_block_covers_subdomains_and_all_spellings_of_an_address(blocked, address, should_reject):
    block(BlockedEmail, value=blocked)
    assert is_rejected(blocklists.reject_blocked_email, address=address) == should_reject


@pytest.mark.parametrize(
    "text", ["", "@", " ", "a b.org", "a@", "a@@b.org", "." * 300, "a/b", "x" * 300]
)
def test_invalid_domains_cannot_be_blocked_and_are_not_rejected(text):
    with pytest.raises(ValidationError):
        block(BlockedEmail, value=text)
    assert not is_rejected(blocklists.reject_blocked_email, address=text)


def test_blocked_addresses_are_rejected_at_sign_up_and_in_settings(client, alice, mailoutbox):
    block(BlockedEmail, value="example.org", reason="secret reason")
    response = client.post(SIGN_UP, {**DORA, "email": "dora@mail.Example.org"})
    html = response.content.decode()
    assert "This email address is not accepted." in html
    assert 'id="id_email_error"' in html
    assert "secret reason" not in html
    client.force_login(alice)
    response = client.post("/accounts/email/", {"action_add": "", "email": "new@example.org"})
    assert b"This email address is not accepted." in response.content
    assert mailoutbox == []
    assert User.objects.count() == 1


# --- Usernames -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("blocked", "matches_words", "name", "should_reject"),
    [
        ("viagra", False, "viagra", True),
        ("Viagra", False, "V1AGRA", True),
        ("viagra", False, "v.i_a.g_r.a", True),
        ("viagra", False, "viagra_shop", False),
        ("viagra", True, "buy_viagra.now", True),
        ("viagra", True, "buy.v1agra2026", True),
        ("viagra", True, "buyviagra", False),
        ("cassa", True, "cassandra", False),
        ("modern", False, "modem", True),
        ("bill", False, "b1ll", True),
        ("0", False, "o", True),
    ],
)
def test_a_blocked_name_covers_similar_looking_names(blocked, matches_words, name, should_reject):
    block(BlockedName, name=blocked, matches_words=matches_words)
    assert is_rejected(blocklists.reject_blocked_name, name=name) == should_reject


def test_blocked_names_are_rejected_but_existing_users_keep_them(client, alice):
    block(BlockedName, name="alice")
    block(BlockedName, name="casino", matches_words=True)
    response = client.post(SIGN_UP, {**DORA, "username": "Cas1no_77"})
    assert b"This username is not allowed." in response.content
    client.force_login(alice)
    response = client.post("/settings/username/", {"username": "best.casino"})
    assert response.status_code == 422
    assert b"This username is not allowed." in response.content
    assert client.post("/settings/username/", {"username": "alice"}).status_code == 302
    assert client.get("/").status_code == 200


def test_invalid_names_cannot_be_blocked(as_admin):
    for name in ("", "...", ".*", "a b", "ä", "x" * 31):
        response = as_admin.post(f"{ADMIN}/blockedname/add/", {"name": name})
        assert response.status_code == 200, name
        assert response.context["adminform"].form.errors, name
    assert not BlockedName.objects.exists()


# --- Networks ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("network", "address", "is_in"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.99/24", "192.0.2.7", True),
        ("192.0.2.0/25", "192.0.2.128", False),
        ("2001:DB8::/32", "2001:db8:1::9", True),
        ("2001:db8::/32", "2001:db9::", False),
        ("::ffff:192.0.2.0/120", "192.0.2.7", True),
        ("c000:200::/24", "192.0.2.0", False),
    ],
)
def test_a_network_block_covers_its_addresses(network, address, is_in):
    block(BlockedNetwork, value=network, scope="all")
    assert blocklists.is_network_blocked(address=ip_address(address)) == is_in
    assert blocklists.can_sign_up_from(address=ip_address(address)) != is_in


def test_invalid_or_too_large_networks_cannot_be_blocked(as_admin):
    networks = ("", "x", "1.2.3", "1.2.3.4/33", "0.0.0.0/0", "10.0.0.0/7", "::/0", "1.2.3.4 /24")
    for network in networks:
        data = {"value": network, "scope": "all"}
        response = as_admin.post(f"{ADMIN}/blockednetwork/add/", data)
        assert response.status_code == 200, network
        assert "value" in response.context["adminform"].form.errors, network
    assert not BlockedNetwork.objects.exists()


def test_a_sign_up_block_still_allows_reading_and_logging_in(client, alice, settings):
    settings.TRUSTED_PROXIES = 1
    block(BlockedNetwork, value="192.0.2.0/24", scope="sign-up")
    headers = {"HTTP_X_FORWARDED_FOR": "8.8.8.8, 192.0.2.9"}
    for response in (client.get(SIGN_UP, **headers), client.post(SIGN_UP, DORA, **headers)):
        assert b"Sign-ups are not accepted from your network." in response.content
    assert User.objects.count() == 1
    assert client.get("/accounts/login/", **headers).status_code == 200
    assert client.get("/public/", **headers).status_code == 200
    assert (
        b'name="username"' in client.get(SIGN_UP, HTTP_X_FORWARDED_FOR="192.0.2.9, 8.8.8.8").content
    )


def test_a_full_network_block_only_allows_logging_out(client, alice):
    client.force_login(alice)
    block(BlockedNetwork, value="192.0.2.7", scope="all")
    blocklists.clear_network_cache()
    for path in ("/", "/public/", "/@alice/", SIGN_UP, "/admin/", "/nothing"):
        for send in (client.get, client.post):
            response = send(path, REMOTE_ADDR="192.0.2.7")
            assert response.status_code == 403
            assert b"Your network is blocked." in response.content
            assert response["X-Frame-Options"] == "DENY"
            assert "Content-Security-Policy" in response
    assert client.get("/", REMOTE_ADDR="192.0.2.8").status_code == 200
    assert client.get("/accounts/logout/", REMOTE_ADDR="192.0.2.7").status_code == 200
    assert client.post("/accounts/logout/", REMOTE_ADDR="192.0.2.7").status_code == 302
    assert "_auth_user_id" not in client.session


def test_blocked_networks_are_cached_between_pages(client, record_commands):
    with record_commands() as commands:
        for _ in range(3):
            client.get("/avatars/1-A.svg")
    assert not [
        command for command in commands if command[1].get("aggregate") == "accounts_blockednetwork"
    ]
    block(BlockedNetwork, value="127.0.0.1", scope="all")
    assert client.get("/public/").status_code == 200
    blocklists.clear_network_cache()  # as if the copy of the blocked networks had expired
    assert client.get("/public/").status_code == 403


# --- Admin ---------------------------------------------------------------------------------------
def test_expired_blocks_have_no_effect(as_admin):
    data = {"value": "example.org", "reason": "x", **expiry_fields("2020-01-01 10:00")}
    response = as_admin.post(f"{ADMIN}/blockedemail/add/", data)
    assert b"Enter a time in the future." in response.content
    past = timezone.now() - timedelta(seconds=1)
    block(BlockedEmail, value="example.org", expires_at=past)
    block(BlockedName, name="casino", expires_at=past)
    block(BlockedNetwork, value="192.0.2.7", scope="all", expires_at=past)
    assert not is_rejected(blocklists.reject_blocked_email, address="a@example.org")
    assert not is_rejected(blocklists.reject_blocked_name, name="casino")
    assert blocklists.can_sign_up_from(address=ip_address("192.0.2.7"))
    assert not blocklists.is_network_blocked(address=ip_address("192.0.2.7"))


def test_network_blocks_of_the_admin_take_effect_immediately(as_admin, admin_user, client):
    data = {
        "value": "192.0.2.1/24",
        "scope": "all",
        "reason": "spam",
        **expiry_fields("2090-01-01 10:00"),
    }
    assert as_admin.post(f"{ADMIN}/blockednetwork/add/", data).status_code == 302
    blocked_network = BlockedNetwork.objects.get()
    assert (blocked_network.value, blocked_network.created_by_id) == ("192.0.2.0/24", admin_user.pk)
    assert client.get("/public/", REMOTE_ADDR="192.0.2.200").status_code == 403
    assert (
        b"@root_admin"
        in as_admin.get(f"{ADMIN}/blockednetwork/{blocked_network.pk}/change/").content
    )
    as_admin.post(f"{ADMIN}/blockednetwork/{blocked_network.pk}/delete/", {"post": "yes"})
    assert client.get("/public/", REMOTE_ADDR="192.0.2.200").status_code == 200


def test_moderators_cannot_lock_themselves_out(as_admin, settings):
    data = {"value": "127.0.0.0/8", "scope": "all"}
    response = as_admin.post(f"{ADMIN}/blockednetwork/add/", data)
    assert b"This block would lock you out" in response.content
    assert not BlockedNetwork.objects.exists()
    as_admin.post(f"{ADMIN}/blockednetwork/add/", {**data, "scope": "sign-up"})
    assert BlockedNetwork.objects.exists()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("blockedemail", {"value": "a.org"}),
        ("blockedname", {"name": "abc"}),
        ("blockednetwork", {"value": "192.0.2.7", "scope": "all"}),
    ],
)
def test_duplicate_blocks_are_rejected(as_admin, kind, data):
    assert as_admin.post(f"{ADMIN}/{kind}/add/", data).status_code == 302
    again = {name: text.upper() if name != "scope" else text for name, text in data.items()}
    response = as_admin.post(f"{ADMIN}/{kind}/add/", again)
    assert response.status_code == 200
    assert response.context["adminform"].form.errors


@pytest.mark.parametrize("kind", ["blockedemail", "blockedname", "blockednetwork"])
def test_blocklists_are_bounded_and_searched_by_prefix(as_admin, record_commands, kind):
    for n in range(3):
        block(BlockedEmail, value=f"bad{n}.example")
        block(BlockedName, name=f"bad.{'xyz'[n]}")
        block(BlockedNetwork, value=f"192.0.{n}.0/24")
    query = {"blockedemail": "Bad1", "blockedname": "b4d_y", "blockednetwork": "192.0.1"}[kind]
    with record_commands() as commands:
        page = as_admin.get(f"{ADMIN}/{kind}/")
        response = as_admin.get(f"{ADMIN}/{kind}/", {"q": query})
    assert len(page.context["cl"].result_list) == 3
    assert len(response.context["cl"].result_list) == 1
    assert joins_and_counts(commands) == []
    assert len(commands) <= 12


def test_blocking_requires_a_permission(client, alice):
    client.force_login(alice)
    assert (
        client.post(f"{ADMIN}/blockedemail/add/", {"value": "a.org"}, follow=True).status_code
        == 403
    )
    alice.is_staff = True
    alice.save()
    assert client.post(f"{ADMIN}/blockedemail/add/", {"value": "a.org"}).status_code == 403
    alice.user_permissions.add(Permission.objects.get(codename="add_blockedemail"))
    client.post(f"{ADMIN}/blockedemail/add/", {"value": "a.org"})
    assert BlockedEmail.objects.get().created_by_id == alice.pk


def test_an_address_has_a_bounded_number_of_containing_networks():
    assert len(normalization.containing_networks(ip_address("192.0.2.7"))) == 33
    assert len(normalization.containing_networks(ip_address("2001:db8::"))) == 129
