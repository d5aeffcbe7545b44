"""Which language a page, a mail, a push and an answer of the API has, and how people choose it."""

import json
import re

import pytest
from django.conf import settings as site_settings
from django.test import Client
from django.utils.translation import override

from accounts.blocklists.models import BlockedNetwork
from accounts.infra.plain_text import join_names
from accounts.models import User
from accounts.selectors.profiles import recipient_language
from accounts.services.account_status import request_deletion
from accounts.services.erasure import erase_user
from notifications.live.page_events import PageEvents
from notifications.live.streams import PageStream, PageUpdate
from notifications.selectors.read_state import unread_badge
from tests.api.api_client import Api, token_of
from tests.factories import PASSWORD

from .helpers import language_of, translated

CHOOSE = "/language/"


def visit(client, path="/explore/", accept=""):
    response = client.get(path, headers={"accept-language": accept})
    return response, language_of(response.content.decode())


@pytest.mark.parametrize(
    ("accept", "language", "direction"),
    [
        ("", "en", "ltr"),
        ("de", "de", "ltr"),
        ("de-AT,de;q=0.9,en;q=0.8", "de", "ltr"),
        ("pt-PT", "pt-br", "ltr"),
        ("zh-CN,zh;q=0.9", "zh-hans", "ltr"),
        ("tlh,ja;q=0.5", "ja", "ltr"),
        ("ar-EG", "ar", "rtl"),
        ("tlh", "en", "ltr"),
        ("x" * 5000, "en", "ltr"),
    ],
)
def test_visitors_see_the_language_of_their_browser(client, accept, language, direction):
    response, shown = visit(client, accept=accept)
    assert shown == (language, direction)
    assert response["Content-Language"] == language
    assert {"Accept-Language", "Cookie"} <= set(re.split(r",\s*", response["Vary"]))


def test_the_languages_are_the_files():
    codes = {"en", "de", "fr", "es", "pt-br", "zh-hans", "ja", "ar"}
    assert {code for code, _ in site_settings.LANGUAGES} >= codes
    assert dict(site_settings.LANGUAGES)["pt-br"] == "Português Brasileiro"


@pytest.mark.parametrize("path", ["/", "/explore/", "/accounts/login/", "/accounts/signup/"])
def test_pages_for_visitors_offer_the_other_languages(client, path):
    page = client.get(path).content.decode()
    assert page.count('class="language-menu"') == 1
    menu = page.partition('class="language-menu"')[2].partition("</details>")[0]
    offered = re.findall(r'name="language" value="([^"]+)"', menu)
    assert offered == [code for code, _ in site_settings.LANGUAGES if code != "en"]


def test_the_footer_remembers_the_language_of_a_visitor(client):
    page = client.get("/explore/").content.decode()
    assert 'value="fr" lang="fr">Français</button>' in page
    assert 'value="en"' not in page.partition('class="language-menu"')[2].partition("</details>")[0]
    response = client.post(CHOOSE, {"language": "fr", "next": "/tags/?page=2"})
    assert (response.status_code, response["Location"]) == (302, "/tags/?page=2")
    cookie = response.cookies["language"]
    assert (cookie.value, cookie["max-age"], cookie["samesite"]) == ("fr", 365 * 86_400, "Lax")
    assert cookie["httponly"]
    assert visit(client, accept="de")[1] == ("fr", "ltr")


@pytest.mark.parametrize("language", ["", "xx", "EN", "de\n", "../de", "d" * 10_000])
def test_unknown_languages_are_ignored(client, alice, language):
    client.force_login(alice)
    response = client.post(CHOOSE, {"language": language, "next": "//evil.example"})
    assert (response.status_code, response["Location"]) == (302, "/")
    assert "language" not in response.cookies
    assert User.objects.get(pk=alice.pk).language == ""


def test_a_choice_of_a_user_applies_to_all_browsers(client, alice):
    client.force_login(alice)
    client.post(CHOOSE, {"language": "ja"})
    assert User.objects.get(pk=alice.pk).language == "ja"
    other = Client()
    other.force_login(alice)
    assert visit(other, "/", accept="de")[1] == ("ja", "ltr")
    assert visit(other, "/nothing-here/", accept="de")[1] == ("ja", "ltr")
    assert visit(Client(), accept="de")[1] == ("de", "ltr")


def test_the_language_is_a_setting_of_the_account(client, alice):
    client.force_login(alice)
    page = client.get("/settings/account/").content.decode()
    assert '<option value="browser" selected>' in page
    response = client.post("/settings/account/", {"language": "de", "time_zone": "browser"})
    page = client.get(response["Location"]).content.decode()
    assert translated("Settings saved.", "de") in page
    assert '<option value="de" selected>Deutsch</option>' in page
    client.post("/settings/account/", {"language": "browser", "time_zone": "browser"})
    assert visit(client, "/", accept="es")[1] == ("es", "ltr")
    response = client.post("/settings/account/", {"language": "xx", "time_zone": "browser"})
    assert response.status_code == 422


def test_a_language_that_the_site_no_longer_has_is_ignored(client, alice, settings):
    User.objects.filter(pk=alice.pk).update(language="de")
    settings.LANGUAGES = [("en", "English"), ("fr", "Français")]
    client.force_login(alice)
    assert visit(client, "/", accept="fr")[1] == ("fr", "ltr")
    assert recipient_language(uid=alice.pk) == "en"


def test_the_language_does_not_leak_into_the_next_request(client, alice):
    User.objects.filter(pk=alice.pk).update(language="ar")
    client.force_login(alice)
    assert visit(client, "/")[1] == ("ar", "rtl")
    assert visit(Client())[1] == ("en", "ltr")
    assert client.get("/nothing-here/").status_code == 404
    assert visit(Client(), "/nothing-here/")[1] == ("en", "ltr")


def test_signing_up_saves_the_language_of_the_page(client, mailoutbox):
    fields = {"username": "dora", "email": "dora@example.org", "password1": PASSWORD + "-long"}
    client.post("/accounts/signup/", fields, headers={"accept-language": "fr"})
    assert User.objects.get(username="dora").language == "fr"
    (mail,) = mailoutbox
    assert translated("Open this link to confirm your email address:", "fr") in mail.body


def test_mails_about_an_account_have_the_language_of_the_account(alice, mailoutbox):
    User.objects.filter(pk=alice.pk).update(language="es", email="alice@example.org")
    visitor = Client(headers={"accept-language": "ja"})
    visitor.post("/accounts/password/reset/", {"email": "alice@example.org"})
    visitor.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    with override("fr"):
        request_deletion(uid=alice.pk)
        erase_user(uid=alice.pk)
    reset, unknown, request, erased = mailoutbox
    assert translated("Open this link to choose a new password:", "es") in reset.body
    assert translated("No account with this address", "ja") in unknown.subject
    assert translated("Your account will be deleted", "es") in request.subject
    assert translated("Your account has been deleted", "es") in erased.subject


def test_live_updates_have_the_language_of_the_page(alice):
    with override("fr"):
        stream = PageStream(viewer=alice.pk, session_key="", session_id=None)
        events = PageEvents(stream=stream, top=1, since=None)
        unread = unread_badge(count=2)
    with override("ja"):  # as left behind by another stream in this thread
        sent = events._events_of_counts(PageUpdate(unread_count=2, conversation_count=None))
    assert [json.loads(event.data) for event in sent] == [unread]
    assert "unread" not in unread["text"]


def test_errors_of_the_api_have_the_language_of_the_app(alice):
    api = Api(alice)
    answer = api.post("/api/v1/nothing", headers={"accept-language": "de"})
    assert answer.json() == {"error": translated("This endpoint does not exist", "de")}
    answer = api.post("/api/v1/statuses", headers={"accept-language": "es"})
    assert "Validation failed" not in answer.json()["error"]


def test_the_manifest_and_the_offline_page_have_the_language_of_the_browser(client):
    headers = {"accept-language": "ar"}
    manifest = client.get("/manifest.webmanifest", headers=headers).json()
    assert (manifest["lang"], manifest["dir"]) == ("ar", "rtl")
    offline = client.get("/offline/", headers=headers).content.decode()
    assert language_of(offline) == ("ar", "rtl")
    assert translated("You are offline", "ar") in offline


def test_an_app_is_told_the_languages_of_the_site():
    languages = Api().get("/api/v2/instance").json()["languages"]
    assert languages[0] == "en"
    assert set(languages) == {code for code, _ in site_settings.LANGUAGES}


def test_blocked_networks_get_the_page_in_their_language(client):
    BlockedNetwork.objects.create(value="127.0.0.0/8", scope=BlockedNetwork.Scope.ALL)
    page = client.get("/", headers={"accept-language": "de"})
    assert page.status_code == 403
    assert translated("Not available from your network", "de") in page.content.decode()


def test_names_are_joined_as_the_language_writes_them():
    names = ["Ann", "Bob"]
    joined = []
    for language in ("en", "ja", "ar"):
        with override(language):
            joined.append(join_names(names, prefix="@"))
    assert joined == ["@Ann, @Bob", "@Ann、@Bob", "\u2068@Ann\u2069، \u2068@Bob\u2069"]


def test_an_app_can_choose_the_language_of_a_new_account(mailoutbox, settings):
    api = Api(token=token_of(None))
    inputs = {"email": "dora@example.org", "password": PASSWORD + "-long", "agreement": True}
    for username, locale, language in (("dora", "fr", "fr"), ("emil", "pt-PT", "pt-br")):
        api.post("accounts", **inputs | {"username": username, "locale": locale}, headers={})
        inputs["email"] = "emil@example.org"
        assert User.objects.get(username=username).language == language
    assert translated("Open this link to confirm your email address:", "fr") in mailoutbox[0].body
    inputs |= {"username": "frida", "email": "frida@example.org", "locale": "tlh"}
    api.post("accounts", **inputs, headers={"accept-language": "ja"})
    assert User.objects.get(username="frida").language == "ja"
