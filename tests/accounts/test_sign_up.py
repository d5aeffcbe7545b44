"""Sign-up and log-in over HTTP: accepted and rejected input, rate limits and messages."""

import re

import pytest
from allauth.account.adapter import DefaultAccountAdapter
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts import allauth_rate_limits, usernames
from accounts.models import User
from accounts.services.profiles import change_username
from tests.factories import PASSWORD

SIGN_UP, LOG_IN, LOG_OUT = "/accounts/signup/", "/accounts/login/", "/accounts/logout/"
DORA = {"username": "dora", "email": "dora@example.org", "password1": "a long enough secret"}


@pytest.fixture
def alice(alice):
    alice.set_password(PASSWORD)
    alice.save(update_fields=["password"])
    return alice


def sign_up(client, **changes):
    return client.post(SIGN_UP, {**DORA, **changes})


def log_in(client, login, password=PASSWORD, **more):
    return client.post(LOG_IN, {"login": login, "password": password}, **more)


def is_logged_in(client):
    return "_auth_user_id" in client.session


def links(mail):
    return re.findall(r"http://testserver(\S+)", mail.body)


def test_signing_up_creates_a_user_and_logs_in(client):
    assert b"Sign up" in client.get(SIGN_UP).content
    response = sign_up(client, username="Dora.D", email="Dora@Example.org")
    assert response.status_code == 302
    assert response["Location"] == "/welcome/"
    dora = User.objects.get(username="dora.d")
    assert dora.email == "dora@example.org"
    assert client.session["_auth_user_id"] == str(dora.pk)
    assert b"@dora.d" in client.get("/").content


def test_an_address_that_is_too_long_gets_no_mail(client, alice, mailoutbox):
    address = f"dora@{'.'.join(['a' * 50] * 5)}.org"
    assert b"at most 254 characters" in sign_up(client, email=address).content
    assert not User.objects.filter(username="dora").exists()
    log_in(client, "alice")
    response = client.post(reverse("account_email"), {"email": address, "action_add": ""})
    assert b"at most 254 characters" in response.content
    assert mailoutbox == []


def test_the_mail_after_sign_up_confirms_the_address(client, mailoutbox):
    sign_up(client)
    (mail,) = mailoutbox
    assert mail.to == ["dora@example.org"]
    assert mail.subject == "[Socialsite] Confirm your email address"
    (link,) = [path for path in links(mail) if "confirm-email" in path]
    address = User.objects.get(username="dora").emailaddress_set.get()
    assert not address.verified
    assert b"dora@example.org" in client.get(link).content
    address.refresh_from_db()
    assert not address.verified, "opening the link does not confirm the address"
    assert client.post(link).status_code == 302
    address.refresh_from_db()
    assert address.verified


@pytest.mark.parametrize("key", ["nonsense", "MQ:1abc:def", "٣", "%00", "a" * 3000])
def test_an_invalid_confirmation_link_shows_a_way_out(client, key):
    response = client.get(f"/accounts/confirm-email/{key}/")
    assert response.status_code in (200, 404)
    assert b"Go to the home page" in response.content or b"Send a new link" in response.content


INVALID_NAMES = (
    *("", " ", "a b", "a/b", "a..b", ".a", "a.", "a@b", "a-b", "ä", "\u0430lice", "a" * 31),
    *("٣٣٣", "a\x00b", "<b>", "../..", "\u202eabc"),
)


def test_an_invalid_username_shows_an_error_and_keeps_the_other_fields(client, settings):
    settings.ACCOUNT_RATE_LIMITS = False
    for name in INVALID_NAMES:
        response = sign_up(client, username=name)
        assert response.status_code == 200, name
        html = response.content.decode()
        assert 'id="id_username_error"' in html, name
        assert 'value="dora@example.org"' in html, name
        assert DORA["password1"] not in html
    assert not User.objects.exists()


def test_white_space_around_a_username_is_removed(client):
    assert sign_up(client, username="a\n").status_code == 302
    assert User.objects.get().username == "a"


@pytest.mark.parametrize("name", ["admin", "Support", "ROOT", "settings", "Person_12345"])
def test_reserved_names_are_refused(client, name):
    assert b"This username is reserved" in sign_up(client, username=name).content
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["alice", "Alice", "ALICE", " alice "])
def test_a_taken_username_is_rejected_in_any_case(client, alice, name):
    response = sign_up(client, username=name)
    assert b"This username is taken." in response.content
    assert User.objects.count() == 1


def test_a_dot_in_a_username_is_not_a_pattern(client, alice):
    change_username(uid=alice.pk, username="a.b")
    assert sign_up(client, username="axb").status_code == 302


def sign_up_response(client, email):
    """Return the response to a sign-up with this email address.

    Random parts are removed, so that tests can compare responses.
    """
    response = sign_up(client, username="dora", email=email)
    page = re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', "", response.content.decode())
    return response.status_code, response.get("Location"), page.replace(email, "")


@pytest.mark.parametrize(
    ("verification", "email"),
    [
        ("none", "alice@example.org"),
        ("optional", "alice@example.org"),
        ("mandatory", "alice@example.org"),
        ("mandatory", "ALICE@Example.ORG"),
    ],
)
def test_sign_up_does_not_reveal_whether_an_address_has_an_account(
    alice, settings, mailoutbox, verification, email
):
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    text = sign_up_response(Client(), email)
    User.objects.filter(username="dora").delete()
    assert text == sign_up_response(Client(), "nobody@example.org")


def test_a_confirmed_address_is_not_confirmed_for_a_second_account(client, alice):
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    assert sign_up(client, email="alice@example.org").status_code == 302
    second = User.objects.exclude(pk=alice.pk).get()
    assert not second.emailaddress_set.filter(verified=True).exists()
    assert log_in(Client(), "alice@example.org").status_code == 302
    reset = client.post("/accounts/password/reset/", {"email": "alice@example.org"})
    assert reset.status_code == 302


@pytest.mark.parametrize("email", ["", "x", "x@", "@y.org", "a b@c.org", "a@b.org\nBcc: c@d.org"])
def test_invalid_email_addresses_are_rejected(client, email, mailoutbox):
    response = sign_up(client, email=email)
    assert b'id="id_email_error"' in response.content
    assert not User.objects.exists()
    assert mailoutbox == []


@pytest.mark.parametrize("password", ["", "short", "password123", "dora@example.org", "dora1"])
def test_weak_passwords_are_rejected(client, password):
    response = sign_up(client, password1=password)
    assert b'id="id_password1_error"' in response.content
    assert not User.objects.exists()


def test_submitting_the_form_twice_creates_one_account(client):
    assert sign_up(client).status_code == 302
    assert sign_up(client).status_code == 302
    assert User.objects.count() == 1


@hypothesis_settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(name=st.text(max_size=40), email=st.text(max_size=40), password=st.text(max_size=7))
def test_the_form_accepts_any_input_without_a_server_error(client, settings, name, email, password):
    settings.ACCOUNT_RATE_LIMITS = False
    response = sign_up(client, username=name, email=email, password1=password)
    assert response.status_code == 200


@pytest.mark.parametrize("login", ["alice", "Alice", " ALICE ", "alice@example.org", "A@x"])
def test_log_in_accepts_username_or_email_address_in_any_case(client, alice, login):
    if login == "A@x":
        login = "ALICE@Example.Org"
    assert log_in(client, login)["Location"] == "/"
    assert client.session["_auth_user_id"] == str(alice.pk)


@pytest.mark.parametrize("login", ["nobody_here", "alice", "x@example.org", ".*", "al.ce"])
def test_a_failed_log_in_keeps_the_name_but_not_the_password(client, alice, login):
    response = log_in(client, login, "wrong password 1")
    assert response.status_code == 200
    html = response.content.decode()
    assert "not correct" in html
    assert f'value="{login}"' in html
    assert "wrong password 1" not in html
    assert not is_logged_in(client)


def test_suspended_users_log_in_to_the_status_page(client, alice):
    alice.is_active = False
    alice.save()
    response = client.post(LOG_IN, {"login": "alice", "password": PASSWORD}, follow=True)
    assert response.redirect_chain[-1] == ("/standing/", 302)
    assert b"Your account is suspended" in response.content


def test_log_in_redirects_to_the_requested_page(client, alice):
    log_in_url = client.get("/settings/profile/")["Location"]
    assert log_in_url == f"{LOG_IN}?next=/settings/profile/"
    response = client.post(log_in_url, {"login": "alice", "password": PASSWORD})
    assert response["Location"] == "/settings/profile/"


ELSEWHERE = [
    *["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "post"],
    *["http:///evil.example", "\t//evil.example", "https:evil.example", "/\t/evil.example", "home"],
    *["no-such-page", "http://[", "data:text/html,x", "/" + "a" * 5000, "\x00", "//["],
]


def test_log_in_never_redirects_to_another_site(client, alice):
    def redirects_within_site(response):
        return response.status_code == 302 and re.match(r"/(?![/\\\t])", response["Location"])

    data = {"login": "alice", "password": PASSWORD}
    assert redirects_within_site(client.post(LOG_IN, {**data, "next": "https://evil.example/"}))
    for target in [*ELSEWHERE, "/\r\nX: y"]:
        for path in (LOG_IN, SIGN_UP):
            # the response is a redirect, because the user is logged in
            response = client.get(path, {"next": target})
            assert redirects_within_site(response), target
            assert "X" not in response.headers
    client.logout()
    for target in ELSEWHERE:
        assert client.get(LOG_IN, {"next": target}).status_code == 200


def test_logging_out_requires_a_post(client, alice):
    client.force_login(alice)
    assert b"Log out?" in client.get(LOG_OUT).content
    assert is_logged_in(client)
    assert client.post(LOG_OUT).status_code == 302
    assert not is_logged_in(client)


def test_guessing_a_password_is_rate_limited(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "5/h/key"}
    for _ in range(5):
        assert b"not correct" in log_in(client, "alice", "wrong").content
    for login in ("alice", "ALICE"):
        response = log_in(client, login)
        assert b"Too many incorrect passwords. Wait up to 60 minutes" in response.content
    assert not is_logged_in(client)


def test_guesses_from_one_network_do_not_lock_users_out_in_another(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "5/h/key"}
    for _ in range(6):
        log_in(Client(), "alice", "wrong", REMOTE_ADDR="10.0.0.1")
    assert log_in(client, "alice", REMOTE_ADDR="10.0.0.2").status_code == 302


@pytest.mark.parametrize("address", ["10.0.0.1", "2001:db8::1"])
def test_a_known_device_has_its_own_limit(client, alice, bob, settings, address):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "3/h/key"}
    log_in(client, "alice", REMOTE_ADDR=address)
    client.post(LOG_OUT)
    for _ in range(4):
        response = log_in(Client(), "alice", "wrong", REMOTE_ADDR=address)
    assert response.status_code == 429
    assert log_in(client, "alice", REMOTE_ADDR=address).status_code == 302
    client.post(LOG_OUT)
    for _ in range(3):
        assert log_in(client, "alice", "wrong", REMOTE_ADDR=address).status_code == 200
    assert log_in(client, "alice", REMOTE_ADDR=address).status_code == 429


def test_guesses_from_the_same_network_do_not_count_for_a_known_device(
    client, alice, bob, settings
):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "4/5m/ip,25/h/key"}
    log_in(client, "alice")
    client.post(LOG_OUT)
    for name in ("alice", "bob", "nobody", "alice", "bob"):
        response = log_in(Client(), name, "wrong")
    assert response.status_code == 429
    assert log_in(Client(), "bob").status_code == 429
    for _ in range(3):
        assert log_in(client, "alice", "wrong").status_code == 200
    assert log_in(client, "alice").status_code == 302


def test_a_name_that_looks_like_a_device_counts_for_its_network(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/5m/ip,25/h/key"}
    responses = [log_in(client, f"device-{number}", "wrong") for number in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]


def test_a_device_is_only_known_for_users_who_logged_in_on_it(client, alice, bob, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/h/key"}
    log_in(client, "bob")
    client.post(LOG_OUT)
    for _ in range(2):
        log_in(Client(), "alice", "wrong")
    assert log_in(client, "alice").status_code == 429
    device = client.cookies["device"]
    assert device["httponly"]
    assert device["samesite"] == "Lax"
    client.cookies["device"] = device.value[:-2] + "xx"
    assert log_in(client, "bob").status_code == 302


def test_log_ins_from_an_ipv6_network_are_counted_together(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/h/key"}
    for last in range(2):
        log_in(client, "alice", "wrong", REMOTE_ADDR=f"2001:db8::{last}")
    assert log_in(client, "alice", REMOTE_ADDR="2001:db8::9").status_code == 429
    assert log_in(client, "alice", REMOTE_ADDR="2001:db8:0:1::9").status_code == 302


def test_username_and_email_address_of_a_user_are_counted_together(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "3/h/key"}
    for login in ("alice", "Alice ", "alice@example.org"):
        assert log_in(client, login, "wrong").status_code == 200
    assert log_in(client, "ALICE@example.org").status_code == 429


def test_a_rejected_log_in_shows_the_time_to_wait(client, alice, bob, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/5m/ip,9/h/key"}
    for login in ("alice", "nobody", "bob"):
        response = log_in(client, login, "wrong")
    assert response.status_code == 429
    assert response["Retry-After"] == "3600"
    assert b"up to 60 minutes" in response.content
    assert log_in(client, "bob", "wrong", REMOTE_ADDR="10.0.0.9").status_code == 200


@pytest.mark.parametrize("names", [("alice", "nobody"), ("bob@example.org", "no@example.org")])
def test_a_rejected_log_in_does_not_reveal_whether_the_account_exists(
    client, alice, bob, settings, names
):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/h/key"}
    pages_by_name = []
    for name in names:
        responses = [log_in(client, name, "wrong") for _ in range(3)]
        assert [response.status_code for response in responses] == [200, 200, 429]
        pages = [response.content.decode().replace(name, "") for response in responses]
        pages_by_name.append(
            [re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', "", page) for page in pages]
        )
    assert pages_by_name[0] == pages_by_name[1]


def test_successful_log_ins_are_not_counted(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/h/key"}
    for _ in range(4):
        assert log_in(client, "alice").status_code == 302
        client.logout()


def test_reauthentication_is_rate_limited(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "2/h/key"}
    log_in(client, "alice")
    responses = [client.post("/accounts/reauthenticate/", {"password": "wrong"}) for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert int(responses[-1]["Retry-After"]) > 3500


def test_a_password_reset_does_not_reveal_whether_the_account_exists(client, alice, mailoutbox):
    reset, addresses = "/accounts/password/reset/", ("alice@example.org", "nobody@example.org")
    assert len({client.post(reset, {"email": address})["Location"] for address in addresses}) == 1
    assert [message.to for message in mailoutbox] == [[address] for address in addresses]


def test_too_many_log_ins_from_a_network_are_rejected(client, alice, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login": "3/m/ip"}
    for n in range(3):
        client.post(LOG_IN, {}, HTTP_X_FORWARDED_FOR=f"10.0.0.{n}")
    response = client.post(LOG_IN, {}, HTTP_X_FORWARDED_FOR="10.0.1.1")
    assert response.status_code == 429
    assert b"Too many requests" in response.content
    assert 0 < int(response["Retry-After"]) <= 60
    assert client.post(LOG_IN, {}, REMOTE_ADDR="10.0.0.9").status_code == 200


@pytest.mark.parametrize(
    ("path", "action"),
    [
        (LOG_IN, "login"),
        (SIGN_UP, "signup"),
        ("/accounts/email/", "manage_email"),
        ("/accounts/password/change/", "change_password"),
        ("/accounts/password/reset/", "reset_password"),
        ("/accounts/password/reset/key/1-x/", "reset_password_from_key"),
        ("/accounts/reauthenticate/", "reauthenticate"),
    ],
)
def test_rate_limited_pages_show_the_time_to_wait(client, alice, settings, path, action):
    settings.ACCOUNT_RATE_LIMITS = {action: "1/2h/ip"}
    if action in ("manage_email", "change_password", "reauthenticate"):
        log_in(client, "alice")
    responses = [client.post(path, {"email": "alice@example.org"}) for _ in range(2)]
    assert [response.status_code == 429 for response in responses] == [False, True]
    assert responses[1]["Retry-After"] == "7200"
    assert re.search(rb"Please wait up to 2 hours and", responses[1].content)


def test_password_resets_for_an_address_are_rate_limited(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"reset_password": "9/m/ip,1/h/key"}
    reset = "/accounts/password/reset/"
    assert client.post(reset, {"email": "a@example.org"}).status_code == 302
    rejected = client.post(reset, {"email": " A@example.org"})
    assert rejected.status_code == 429
    assert int(rejected["Retry-After"]) > 3500
    assert client.post(reset, {"email": "b@example.org"}).status_code == 302


def test_no_time_to_wait_is_shown_for_unknown_actions(client, settings, monkeypatch):
    settings.ACCOUNT_RATE_LIMITS = {"signup": "1/h/ip"}
    monkeypatch.setattr(allauth_rate_limits, "ACTION_BY_URL_NAME", {})
    response = [client.post(SIGN_UP, {}) for _ in range(2)][1]
    assert response.status_code == 429
    assert "Retry-After" not in response
    assert b"try again later" in response.content


def test_sign_ups_from_a_network_are_rate_limited(client):
    responses = {client.post(SIGN_UP, {}).status_code for _ in range(21)}
    assert responses == {200, 429}


def test_profile_paths_never_collide_with_pages():
    # Profile paths start with "@", so a username can equal the name of a page.
    assert all(
        reverse("profile", args=[name]).startswith("/@") for name in usernames.RESERVED_NAMES
    )


def test_a_username_taken_during_sign_up_shows_an_error_at_the_field(client, alice, monkeypatch):
    monkeypatch.setattr(DefaultAccountAdapter, "clean_username", lambda self, name, **_: name)
    response = sign_up(client, username="alice")
    assert response.status_code == 200
    assert b"This username is taken." in response.content
    assert not is_logged_in(client)


@pytest.mark.parametrize("host", ["testserver:8123", "evil.example", "evil.example:99"])
def test_links_in_mails_ignore_the_host_header(client, alice, mailoutbox, settings, host):
    # ALLOWED_HOSTS does not check ports, and the test settings allow every host name.
    settings.SITE_URL = "https://social.example"
    request_options = {"headers": {"Host": host}}
    client.post("/accounts/password/reset/", {"email": alice.email}, **request_options)
    client.post("/accounts/password/reset/", {"email": "nobody@example.org"}, **request_options)
    client.post(SIGN_UP, DORA, **request_options)
    assert {mail.to[0] for mail in mailoutbox} >= {alice.email, DORA["email"]}
    for mail in mailoutbox:
        text = "".join([mail.body, *(str(part.content) for part in mail.alternatives)])
        assert host not in text
        links = re.findall(r"https?://[^\s\"<>]+", text)
        assert links
        assert all(link.startswith("https://social.example/") for link in links), links
