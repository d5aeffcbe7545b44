"""Behavior that popular apps rely on beyond the documentation.

Each test names the apps whose source code relies on the tested behavior.
"""

import re
from html import unescape

import pytest
from django.urls import reverse

from accounts.services.account_status import suspend_user
from accounts.services.profiles import set_private
from notifications.store.preferences import save_kinds
from socialsite.moderation.models import Rule
from tests.actions import add_comment, like_post, publish_post
from tests.api.api_client import Api, link
from tests.factories import follow, people, publish

LONG = "https://www.example.org/very/long/path/of/some/thing?with=more"


def test_groups_have_a_numeric_newest_id(alice, bob):
    """Without a numeric id, Ice Cubes shows an error instead of all notifications."""
    like_post(post_id=publish(alice), actor=bob)
    (group,) = Api(alice).get("/api/v2/notifications").json()["notification_groups"]
    assert isinstance(group["most_recent_notification_id"], int)
    assert group["page_max_id"] == str(group["most_recent_notification_id"])


def test_paging_below_the_last_group_misses_nothing(alice):
    """Mastodon for Android uses ``page_min_id`` of the last group as ``max_id`` and ignores ``Link``."""
    liked, other = publish(alice), publish(alice)
    first, *others = people(5)
    like_post(post_id=liked, actor=first)
    like_post(post_id=other, actor=first)
    for user in others:
        like_post(post_id=liked, actor=user)
    api, seen, cursor = Api(alice), [], {}
    while groups := api.get("/api/v2/notifications", limit=1, **cursor).json()[
        "notification_groups"
    ]:
        seen += [group["status_id"] for group in groups]
        cursor = {"max_id": groups[-1]["page_min_id"]}
    assert set(seen) == {str(liked), str(other)}


def test_filtered_notifications_of_one_account_are_shown(alice, bob):
    """Tusky, Ice Cubes and both Mastodon apps show these notifications for a notification request."""
    save_kinds(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    publish(bob, "Hello @alice")
    api = Api(alice)
    assert api.get("notifications").json() == []
    assert [
        notification["type"] for notification in api.get("notifications", account_id=bob.pk).json()
    ] == ["mention"]
    groups = api.get("/api/v2/notifications", account_id=bob.pk).json()["notification_groups"]
    assert [notification["type"] for notification in groups] == ["mention"]


@pytest.mark.parametrize("method", ["put", "patch"])
def test_the_policy_is_changed_by_put_and_patch(alice, method):
    """Ice Cubes sends PUT for the new policy. Mastodon for iOS sends PATCH for the old policy."""
    api = Api(alice)
    new = getattr(api, method)("/api/v2/notifications/policy", for_not_following="filter")
    old = getattr(api, method)("notifications/policy", filter_not_following=True)
    assert new.json()["for_not_following"] == "filter"
    assert old.json()["filter_not_following"] is True


def test_a_conversation_is_never_without_accounts(alice, bob):
    """Ice Cubes crashes if a conversation has an empty list of accounts."""
    publish(alice, "@bob psst", visibility="direct")
    suspend_user(uid=bob.pk)
    (conversation,) = Api(alice).get("conversations").json()
    assert [account["username"] for account in conversation["accounts"]] == ["alice"]


@pytest.mark.parametrize(
    ("poll", "status"),
    [
        ({"multiple_answers": False}, 200),
        ({"options": [], "expires_in": 3600}, 200),
        ({"options": ["a", "b"], "expires_in": 600}, 422),
    ],
)
def test_an_edit_may_contain_a_poll_without_options(alice, poll, status):
    """Mastodon for iOS sends a poll without options with every edit."""
    post = publish(alice)
    assert Api(alice).put(f"statuses/{post}", status="New", poll=poll).status_code == status


def test_saving_the_rendered_text_changes_nothing(alice):
    """Ice Cubes extracts the text from the rendered HTML, lets the user edit this text and saves it."""
    api = Api(alice)
    published = api.post("statuses", status=f"Look at {LONG} and example.org").json()
    assert (
        '<span class="invisible">https://www.</span><span class="ellipsis">' in published["content"]
    )
    assert text_of(published["content"]) == f"Look at {LONG} and example.org"
    details = {"url": LONG, "host": "www.example.org"}
    linked = publish_post(author=alice.pk, text="Read it", kind="link", details=details)
    shown = api.get(f"statuses/{linked}").json()["content"]
    assert text_of(shown).endswith("Read it")
    api.put(f"statuses/{linked}", status=text_of(shown))
    assert api.get(f"statuses/{linked}").json()["content"] == shown


def text_of(html):
    return unescape(re.sub("<[^>]*>", "", html.replace("</p><p>", "\n\n")))


def test_the_recipient_is_mentioned_first(alice, bob, carol):
    """Tusky otherwise shows "X just posted" for comments and offers no reply."""
    post = publish(alice)
    first = add_comment(post_id=post, actor=bob, text="Nice, @carol")
    second = add_comment(post_id=post, actor=carol, text="@bob yes", parent_id=first)
    own = add_comment(post_id=post, actor=alice, text="Thanks")
    results = Api(alice).get(f"statuses/{post}/context").json()["descendants"]
    mentions = {
        int(status["id"]): [mention["acct"] for mention in status["mentions"]] for status in results
    }
    assert mentions == {first: ["alice", "carol"], second: ["bob"], own: []}


def test_hidden_followers_are_an_empty_list(alice, bob):
    """After an error, Mastodon for iOS retries every three seconds and Ice Cubes never stops loading."""
    follow(bob, alice)
    set_private(uid=alice.pk, is_private=True)
    for page in ("followers", "following"):
        response = Api().get(f"accounts/{alice.pk}/{page}")
        assert (response.status_code, response.json()) == (200, [])
    assert Api().get("accounts/1/followers").status_code == 404


def test_posts_with_one_of_several_hashtags_are_one_list(alice):
    """Hashtag groups in Ice Cubes and tabs in Tusky request several hashtags at once."""
    posts = [publish(alice, text) for text in ("#cats", "#dogs", "#birds", "#Cats and #dogs")]
    api = Api()
    first = api.get("timelines/tag/cats", **{"any[]": ["dogs"], "limit": 2})
    results = first.json() + api.get(link(first, "next")).json()
    assert [int(status["id"]) for status in results] == [posts[3], posts[1], posts[0]]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/auth/edit", "account_settings"),
        ("/auth/password/new", "account_reset_password"),
        ("/auth/confirmation/new", "account_email"),
        ("/settings/delete", "delete_account"),
        ("/privacy-policy", "privacy"),
        ("/terms-of-service", "terms"),
        ("/disputes/strikes/1", "moderation_actions"),
    ],
)
def test_pages_that_apps_open_are_found(client, alice, path, name):
    """Tusky and both Mastodon apps link to these paths of Mastodon."""
    client.force_login(alice)
    response = client.get(path)
    assert (response.status_code, response["Location"]) == (302, reverse(name))


def test_the_instance_has_values_that_apps_need(alice):
    """Tusky crashes if no poll duration is possible. Tusky counts every link as 23 characters."""
    Rule.objects.create(text="Be kind")
    results = Api().get("/api/v2/instance").json()
    polls = results["configuration"]["polls"]
    assert polls["min_expiration"] <= 86_400 <= polls["max_expiration"]
    assert results["configuration"]["statuses"]["characters_reserved_per_url"] == 23
    # With this version, Mastodon for Android sends a PKCE challenge at log-in.
    # From version 7, apps offer quotes.
    assert results["api_versions"]["mastodon"] == 7
