"""Users who do not want to be suggested: the setting, and the pages that leave these users out."""

import pytest

from accounts.services.moderation import set_recommended
from accounts.services.profiles import change_settings
from tests.actions import like_post
from tests.api.api_client import Api
from tests.factories import follow, publish


def usernames(response):
    return {row.get("account", row)["username"] for row in response.json()}


def test_the_setting_is_changed_on_the_page_and_by_apps(client, bob):
    client.force_login(bob)
    assert "checked" in str(client.get("/settings/privacy/").context["form"]["is_discoverable"])
    client.post("/settings/privacy/", {"is_indexable": "on"})
    assert "checked" not in str(client.get("/settings/privacy/").context["form"]["is_discoverable"])
    api = Api(bob)
    assert api.get("accounts/verify_credentials").json()["source"]["discoverable"] is False
    changed = api.patch("accounts/update_credentials", discoverable=True).json()
    assert (changed["discoverable"], changed["source"]["discoverable"]) == (True, True)
    changed = api.patch("accounts/update_credentials", discoverable=False, note="Hi").json()
    assert (changed["discoverable"], changed["source"]["discoverable"]) == (False, False)


@pytest.mark.parametrize("is_discoverable", [True, False])
def test_lists_of_people_and_posts_leave_out_undiscoverable_users(
    client, alice, bob, carol, is_discoverable
):
    post = publish(bob, "Trending")
    for user in (alice, carol):
        like_post(post_id=post, actor=user)
    set_recommended(uid=bob.pk, is_recommended=True)
    change_settings(uid=bob.pk, is_discoverable=is_discoverable)
    api = Api(alice)
    assert ("bob" in usernames(api.get("directory", order="new"))) is is_discoverable
    assert ("bob" in usernames(api.get("/api/v2/suggestions"))) is is_discoverable
    assert ("bob" in usernames(api.get("trends/statuses"))) is is_discoverable
    client.force_login(alice)
    for page in ("/explore/", "/explore/people/"):
        assert ("@bob" in client.get(page).content.decode()) is is_discoverable


def test_undiscoverable_users_stay_visible_to_people_who_look_for_them(alice, bob):
    change_settings(uid=bob.pk, is_discoverable=False)
    follow(alice, bob)
    post = str(publish(bob, "Hello"))
    api = Api(alice)
    assert usernames(api.get("accounts/search", q="bob")) == {"bob"}
    assert [status["id"] for status in api.get("timelines/home").json()] == [post]
    assert [status["id"] for status in api.get("timelines/public").json()] == [post]
    assert Api().get(f"accounts/{bob.pk}").json()["discoverable"] is False
