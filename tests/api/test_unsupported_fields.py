"""Unsupported features are rejected with an explanation, never silently ignored."""

import pytest

from accounts.models import User
from feed.models import Post
from tests.api.api_client import Api
from tests.factories import follow, publish


def assert_rejected(response, *fields):
    """Assert that the response rejects exactly these fields and explains why."""
    body = response.json()
    assert response.status_code == 422, body
    assert body["error"]
    assert [*body.get("details", {})] == [*fields], body
    for errors in body.get("details", {}).values():
        assert all(len(error["description"]) > 10 for error in errors)


@pytest.mark.parametrize("visibility", ["private", "direct", "nobody"])
def test_a_share_for_fewer_people_is_refused(alice, bob, visibility):
    post = publish(bob)
    assert_rejected(Api(alice).post(f"statuses/{post}/reblog", visibility=visibility), "visibility")
    assert Post.objects.count() == 1
    for accepted in ("public", "unlisted", "", None):
        response = Api(alice).post(f"statuses/{post}/reblog", visibility=accepted)
        assert response.status_code == 200


@pytest.mark.parametrize(
    "data",
    [
        {"hide_collections": True},
        {"hide_collections": False, "locked": True},
        {"source": {"privacy": "direct"}},
        {"source": {"language": "Klingon!"}},
    ],
)
def test_unsupported_profile_settings_are_refused(alice, data):
    response = Api(alice).patch("accounts/update_credentials", display_name="New", **data)
    assert response.status_code == 422
    assert response.json()["error"]
    assert User.objects.get(pk=alice.pk).display_name == "Alice Adams"


def test_private_accounts_are_neither_discoverable_nor_indexable(alice):
    api, path = Api(alice), "accounts/update_credentials"
    for data in (
        {"indexable": False},
        {"locked": True, "indexable": True},
        {"locked": True, "discoverable": True},
    ):
        assert api.patch(path, **data).status_code == 422
    assert api.patch(path, discoverable=True, indexable=True).status_code == 200
    assert api.patch(path, locked=True, discoverable=False).status_code == 200
    assert api.patch(path, locked=False).json()["discoverable"] is True


def test_default_profile_fields_of_apps_are_accepted(alice):
    data = {
        "display_name": "New",
        "bot": False,
        "locked": False,
        "fields_attributes": {str(n): {"name": "", "value": ""} for n in range(4)},
        "source": {"privacy": "public", "sensitive": False, "language": "de"},
    }
    assert Api(alice).patch("accounts/update_credentials", **data).status_code == 200


def test_blocking_sites_is_refused(alice):
    assert Api(alice).post("domain_blocks", domain="example.org").status_code == 422


def test_a_list_accepts_followed_users_only(alice, bob, carol):
    follow(alice, bob)
    api = Api(alice)
    path = f"lists/{api.post('lists', title='Friends').json()['id']}/accounts"
    response = api.post(path, account_ids=[str(bob.pk), str(carol.pk)])
    assert (response.status_code, response.json()["error"]) == (
        422,
        "You can add only people you follow. Follow this person first.",
    )
    assert api.get(path).json() == []
    assert api.post(path, account_ids=[str(bob.pk)]).status_code == 200


@pytest.mark.parametrize("name", ["for_private_mentions", "for_limited_accounts"])
def test_notifications_that_are_always_accepted_cannot_be_filtered(alice, name):
    assert_rejected(Api(alice).patch("/api/v2/notifications/policy", **{name: "filter"}), name)
    assert Api(alice).patch("/api/v2/notifications/policy", **{name: "accept"}).status_code == 200
    old_version = Api(alice).patch("notifications/policy", filter_private_mentions=True)
    assert_rejected(old_version, "filter_private_mentions")
