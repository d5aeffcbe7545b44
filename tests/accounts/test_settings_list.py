"""The list of settings pages, and the choices that only apply to a browser."""

import re

import pytest

from accounts.services.account_status import deactivate_account
from notifications.push.keys import new_private_key

LIST, APPEARANCE, SHORTCUTS, SET = (
    "/settings/",
    "/settings/appearance/",
    "/shortcuts/",
    "/shortcuts/set/",
)
ENTRY = re.compile(
    r'<a class="section-link" href="([^"]+)">.*?<strong>([^<]+)</strong>\s*<span[^>]*>([^<]+)</span>',
    re.DOTALL,
)


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def text(response) -> str:
    return response.content.decode()


def entries(client) -> list[tuple[str, str, str]]:
    """Return (path, title, sentence) of each settings page."""
    return ENTRY.findall(text(client.get(LIST)))


def has_script(page: str) -> bool:
    return "js/shortcuts." in page


def test_each_settings_page_has_one_sentence_and_opens(as_alice, settings):
    settings.WEB_PUSH_PRIVATE_KEY = new_private_key()
    pages = entries(as_alice)
    titles = [title for _path, title, _sentence in pages]
    assert len(pages) == len(set(titles)) == 20
    for path, _title, sentence in pages:
        assert sentence.endswith("."), sentence
        assert as_alice.get(path).status_code in (200, 302), path


def test_pages_that_the_site_does_not_offer_are_not_listed(as_alice, settings):
    settings.WEB_PUSH_PRIVATE_KEY = ""
    settings.SIGN_UP_MODE = "closed"
    titles = [title for _path, title, _sentence in entries(as_alice)]
    assert not {"Push notifications", "Invitations"} & set(titles)


def test_each_settings_page_leads_back_and_to_the_others(as_alice):
    for path, title, _sentence in entries(as_alice):
        page = text(as_alice.get(path, follow=True))
        assert 'href="/settings/"' in page, path
        if path == "/requests/" or title == "Moderation decisions":
            continue
        navigation = re.search(r'<nav class="[^"]*settings-nav.*?</nav>', page, re.DOTALL)
        assert navigation is not None, path
        current = re.search(
            r'<a href="[^"]+" aria-current="page">.*?</i>([^<]+)</a>', navigation[0]
        )
        assert current is not None, path
        assert current[1] == title
        assert 'class="tabs"' not in page


def test_visitors_choose_appearance_and_shortcuts_but_see_no_other_settings(client):
    for path in (APPEARANCE, SHORTCUTS):
        page = text(client.get(path))
        assert 'href="/settings/"' not in page
        assert "settings-nav" not in page
    assert client.get(LIST)["Location"] == f"/accounts/login/?next={LIST}"


def test_shortcuts_are_on_until_they_are_turned_off(client, alice):
    assert has_script(text(client.get("/public/")))
    response = client.post(SET, {"shortcuts": "off"})
    assert response["Location"] == SHORTCUTS
    cookie = client.cookies["shortcuts"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("off", True, "Lax")
    assert not has_script(text(client.get("/public/")))
    client.force_login(alice)
    assert not has_script(text(client.get("/")))
    assert "Turn on shortcuts" in text(client.get(SHORTCUTS))
    client.post(SET, {"shortcuts": "on"})
    assert has_script(text(client.get("/")))


@pytest.mark.parametrize("state", ["", "OFF", "x" * 5000, "\x00"])
def test_other_values_change_nothing(client, state):
    assert client.post(SET, {"shortcuts": state}).status_code == 302
    assert "shortcuts" not in client.cookies
    client.cookies["shortcuts"] = "nonsense"
    assert has_script(text(client.get("/public/")))


def test_inactive_users_can_turn_shortcuts_off(as_alice, alice):
    deactivate_account(uid=alice.pk)
    assert as_alice.post(SET, {"shortcuts": "off"}).status_code == 302
    assert not has_script(text(as_alice.get("/standing/")))


def test_the_script_gets_only_the_list(as_alice):
    page = as_alice.get(SHORTCUTS)
    part = as_alice.get(SHORTCUTS, headers={"HX-Request": "true"})
    assert "<html" in text(page)
    assert "<html" not in text(part)
    assert "HX-Request" in page["Vary"]
    assert "HX-Request" in part["Vary"]
    for shown in ("Next post", "Write a post", 'method="dialog"', "Turn off shortcuts"):
        assert shown in text(part)


def test_visitors_are_not_told_of_keys_for_members(client):
    part = text(client.get(SHORTCUTS, headers={"HX-Request": "true"}))
    assert "Next post" in part
    assert "Bookmark" not in part
