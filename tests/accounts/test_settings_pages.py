"""Settings over HTTP: profile, username, password, email addresses and theme."""

import re
import threading

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts.models import User
from tests.factories import PASSWORD, publish
from tests.log_ins import confirm_log_in

PROFILE, NAME = "/settings/profile/", "/settings/username/"
PASSWORD_CHANGE, RESET, EMAIL = (
    "/accounts/password/change/",
    "/accounts/password/reset/",
    "/accounts/email/",
)


@pytest.fixture
def alice(alice):
    alice.set_password(PASSWORD)
    alice.save(update_fields=["password"])
    return alice


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def reread(user):
    return User.objects.get(pk=user.pk)


def test_settings_require_a_log_in(client):
    for path in (PROFILE, NAME, PASSWORD_CHANGE, EMAIL):
        for response in (client.get(path), client.post(path)):
            assert response.status_code == 302, path
            assert response["Location"] == f"/accounts/login/?next={path}"


def test_a_profile_is_edited_and_shown(as_alice, alice):
    page = as_alice.get(PROFILE).content.decode()
    assert 'value="Alice Adams"' in page
    response = as_alice.post(PROFILE, {"display_name": "  Alice\t Zuse ", "bio": "I <3 &\nyou"})
    assert response["Location"] == PROFILE
    assert b"Profile saved." in as_alice.get(PROFILE).content
    assert reread(alice).display_name == "Alice Zuse"
    profile = as_alice.get("/@alice/").content.decode()
    assert "Alice Zuse" in profile
    assert "I &lt;3 &amp;<br>you" in profile


def test_a_profile_can_be_emptied(as_alice, alice):
    as_alice.post(PROFILE, {"display_name": "", "bio": ""})
    assert reread(alice).name == "alice"


def test_too_long_input_is_refused_and_stays_in_the_form(as_alice, alice):
    response = as_alice.post(PROFILE, {"display_name": "x" * 31, "bio": "y" * 501})
    assert response.status_code == 422
    html = response.content.decode()
    assert 'id="id_display_name_error"' in html
    assert 'id="id_bio_error"' in html
    assert "x" * 31 in html
    assert "y" * 501 in html
    assert reread(alice).display_name == "Alice Adams"


def test_line_ends_count_as_one_character(as_alice, alice):
    as_alice.post(PROFILE, {"display_name": "n" * 30, "bio": "a\r\n" * 249 + "zz"})
    assert reread(alice).bio == "a\n" * 249 + "zz"


SAVED_NAMES = {
    "Al\x07ice": "Alice",
    "\u202eecila": "ecila",
    "\u2066a\u2069": "a",
    "\u200b\u200b": "",
    "Zoe\u0308": "Zoë",
    "a\u2028b": "a b",
    "👩\u200d🚀": "👩\u200d🚀",
}


def test_invisible_and_bidirectional_characters_are_removed_from_names(as_alice, alice):
    for number, (name, saved_name) in enumerate(SAVED_NAMES.items()):
        data = {"display_name": name, "bio": f"b\x07c{number}"}
        assert as_alice.post(PROFILE, data).status_code == 302
        saved = reread(alice)
        assert (saved.display_name, saved.bio) == (saved_name, f"bc{number}")


@hypothesis_settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(name=st.text(max_size=40), bio=st.text(max_size=600), username=st.text(max_size=35))
def test_settings_accept_or_refuse_any_input(as_alice, name, bio, username):
    data = {"display_name": name, "bio": bio, "username": username}
    assert as_alice.post(PROFILE, data).status_code in (302, 422)
    assert as_alice.post(NAME, data).status_code in (302, 422)
    assert as_alice.get(PROFILE).status_code == 200


def test_a_new_username_moves_the_profile_and_the_posts(as_alice, alice, client):
    post = publish(alice, "from before")
    assert as_alice.post(NAME, {"username": "Alicia"})["Location"] == NAME
    assert b"Username changed." in as_alice.get(NAME).content
    assert b"from before" in client.get("/@alicia/").content
    assert client.get("/@alice/").status_code == 404
    moved = client.get(f"/@alice/{post}/")
    assert (moved.status_code, moved["Location"]) == (302, f"/@alicia/{post}/")
    assert f'href="/@alicia/{post}/"' in client.get("/public/").content.decode()


REFUSED_NAMES = (
    *("bob", "BOB", "admin", "person_1_a2b", "a b", "", "ä", "x" * 31, "a\x00", "../x", "a.", "٣"),
)


def test_taken_reserved_and_invalid_usernames_are_rejected(as_alice, alice, bob):
    for name in REFUSED_NAMES:
        response = as_alice.post(NAME, {"username": name})
        assert response.status_code == 422, name
        assert b'id="id_username_error"' in response.content
        assert b"@alice" in response.content
    assert reread(alice).username == "alice"


def test_saving_the_same_username_is_accepted(as_alice, alice):
    assert as_alice.post(NAME, {"username": "ALICE"}).status_code == 302
    assert reread(alice).username == "alice"


def test_a_user_keeps_a_placeholder_as_username(as_alice, alice):
    User.objects.filter(pk=alice.pk).update(username="person_1")
    assert as_alice.post(NAME, {"username": "person_1"}).status_code == 302
    assert reread(alice).username == "person_1"


def test_concurrent_changes_give_a_username_to_one_user_only(alice, bob):
    statuses, start = [], threading.Barrier(2)
    clients = []
    for user in (alice, bob):
        client = Client()
        client.force_login(user)
        clients.append(client)

    def rename(client):
        from django.db import connection

        start.wait()
        try:
            statuses.append(client.post(NAME, {"username": "prize"}).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=rename, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [302, 422]
    assert User.objects.filter(username="prize").count() == 1


def test_a_username_taken_after_validation_shows_an_error(as_alice, bob, monkeypatch):
    from accounts.forms import UsernameForm

    monkeypatch.setattr(UsernameForm, "clean_username", lambda form: "bob")
    response = as_alice.post(NAME, {"username": "bob"})
    assert response.status_code == 422
    assert b"This username is taken." in response.content


def test_a_password_is_changed_and_other_sessions_end(as_alice, alice):
    other = Client()
    other.force_login(alice)
    new = "another good secret"
    data = {"oldpassword": "wrong", "password1": new, "password2": new}
    assert b"error" in as_alice.post(PASSWORD_CHANGE, data).content
    assert as_alice.post(PASSWORD_CHANGE, {**data, "oldpassword": PASSWORD}).status_code == 302
    assert reread(alice).check_password(new)
    assert as_alice.get(PROFILE).status_code == 200
    assert other.get(PROFILE).status_code == 302


def test_a_weak_new_password_is_refused(as_alice, alice):
    data = {"oldpassword": PASSWORD, "password1": "password1", "password2": "password1"}
    assert as_alice.post(PASSWORD_CHANGE, data).status_code == 200
    assert reread(alice).check_password(PASSWORD)


def test_a_forgotten_password_is_reset_by_mail(client, alice, mailoutbox):
    assert client.post(RESET, {"email": "ALICE@example.org"}).status_code == 302
    (mail,) = mailoutbox
    assert "Your username is alice." in mail.body
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", mail.body)[1]
    form = client.get(link, follow=True)
    action = form.redirect_chain[-1][0]
    new = "brand new secret 9"
    assert client.post(action, {"password1": new, "password2": new}).status_code == 302
    assert reread(alice).check_password(new)
    assert b"This link is no longer valid" in Client().get(link, follow=True).content


def test_a_password_reset_does_not_reveal_which_addresses_exist(client, alice, mailoutbox):
    results = []
    for email in ("alice@example.org", "nobody@example.org"):
        response = client.post(RESET, {"email": email})
        results.append((response.status_code, response["Location"]))
        results.append(re.sub(rb'value="[^"]{60,}"', b"", client.get(response["Location"]).content))
    tokens = re.compile(rb'"X-CSRFToken": "[^"]+"')
    assert results[0] == results[2]
    assert tokens.sub(b"", results[1]) == tokens.sub(b"", results[3])
    assert [mail.to for mail in mailoutbox] == [["alice@example.org"], ["nobody@example.org"]]
    assert "no account with this address" in mailoutbox[1].body


@pytest.mark.parametrize("key", ["x-y", "٣-٣", "zzzzzzzzzzzzzzzzzzzz-abc", "1-set-password", "-"])
def test_an_invalid_reset_link_shows_an_error(client, key):
    response = client.get(f"/accounts/password/reset/key/{key}/", follow=True)
    assert response.status_code in (200, 404)
    assert b"This link is no longer valid" in response.content or response.status_code == 404


def test_email_addresses_are_added_confirmed_made_primary_and_removed(as_alice, alice, mailoutbox):
    alice.emailaddress_set.create(email=alice.email, verified=True, primary=True)
    confirm_log_in(as_alice)
    assert as_alice.post(EMAIL, {"action_add": "", "email": "New@example.org"}).status_code == 302
    page = as_alice.get(EMAIL).content.decode()
    assert "new@example.org" in page
    assert "Not confirmed" in page
    (mail,) = [mail for mail in mailoutbox if mail.to == ["new@example.org"]]
    link = re.search(r"http://testserver(/accounts/confirm-email/\S+)", mail.body)[1]
    as_alice.post(link)
    as_alice.post(EMAIL, {"action_primary": "", "email": "new@example.org"})
    assert reread(alice).email == "new@example.org"
    as_alice.post(EMAIL, {"action_remove": "", "email": "alice@example.org"})
    assert [address.email for address in alice.emailaddress_set.all()] == ["new@example.org"]


def test_invalid_and_foreign_email_addresses_cause_no_error(as_alice, alice, bob, settings):
    settings.ACCOUNT_RATE_LIMITS = False
    bob.emailaddress_set.create(email=bob.email, verified=True, primary=True)
    confirm_log_in(as_alice)
    for action in ("action_add", "action_primary", "action_remove", "action_send"):
        for email in ("", "x", "bob@example.org", "a\x00@b.org"):
            response = as_alice.post(EMAIL, {action: "", "email": email})
            assert response.status_code in (200, 302), (action, email)
            assert bob.emailaddress_set.filter(verified=True).exists(), (action, email)


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_the_theme_is_remembered(client, theme):
    response = client.post("/theme/", {"theme": theme, "next": "/public/"})
    assert response["Location"] == "/public/"
    assert response.cookies["theme"]["httponly"]
    assert f'data-theme="{theme}"' in client.get("/public/").content.decode()


@pytest.mark.parametrize("theme", ["", "pink", '"><script>', "٣", "\x00"])
def test_an_unknown_theme_changes_nothing(client, theme):
    assert "theme" not in client.post("/theme/", {"theme": theme}).cookies
    client.cookies["theme"] = "pink"
    assert 'data-theme="auto"' in client.get("/public/").content.decode()
