"""What apps that people have on their telephones rely on, beyond what the documentation says.

Each test names those in whose source it was found.
"""

import http.client
import json
import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.conf import settings as site_settings
from django.db import connection
from django.urls import reverse

from accounts.models import User
from accounts.services.account_status import suspend_user
from accounts.services.profiles import set_private
from feed.services.comments import add_comment
from feed.services.likes import like_post
from feed.services.posts import publish_post
from notifications.services.choosing import save_preferences
from socialsite.moderation.models import Rule
from tests.api.calling import Api, link, token_of
from tests.browser.site import served_site
from tests.factories import follow, people, publish
from tests.uploads import picture

LONG = "https://www.example.org/very/long/path/of/some/thing?with=more"


def test_groups_tell_their_newest_by_number(alice, bob):
    """Ice Cubes shows an error instead of all notifications otherwise."""
    like_post(post_id=publish(alice), actor=bob)
    (group,) = Api(alice).get("/api/v2/notifications").json()["notification_groups"]
    assert isinstance(group["most_recent_notification_id"], int)
    assert group["page_max_id"] == str(group["most_recent_notification_id"])


def test_who_goes_on_below_the_last_group_misses_nothing(alice):
    """Mastodon for Android does, and ignores ``Link``."""
    liked, other = publish(alice), publish(alice)
    first, *others = people(5)
    like_post(post_id=liked, actor=first)
    like_post(post_id=other, actor=first)
    for one in others:
        like_post(post_id=liked, actor=one)
    api, seen, below = Api(alice), [], {}
    while groups := api.get("/api/v2/notifications", limit=1, **below).json()[
        "notification_groups"
    ]:
        seen += [one["status_id"] for one in groups]
        below = {"max_id": groups[-1]["page_min_id"]}
    assert set(seen) == {str(liked), str(other)}


def test_what_one_person_did_is_shown_while_it_waits(alice, bob):
    """All four ask for it so, on the page of a request."""
    save_preferences(recipient=alice.pk, disabled_kinds=[], filters=["strangers"])
    publish(bob, "Hello @alice")
    api = Api(alice)
    assert api.get("notifications").json() == []
    assert [one["type"] for one in api.get("notifications", account_id=bob.pk).json()] == [
        "mention"
    ]
    groups = api.get("/api/v2/notifications", account_id=bob.pk).json()["notification_groups"]
    assert [one["type"] for one in groups] == ["mention"]


@pytest.mark.parametrize("method", ["put", "patch"])
def test_the_policy_is_changed_by_both_methods(alice, method):
    """Ice Cubes puts the new one, Mastodon for iOS patches the old one."""
    api = Api(alice)
    new = getattr(api, method)("/api/v2/notifications/policy", for_not_following="filter")
    old = getattr(api, method)("notifications/policy", filter_not_following=True)
    assert new.json()["for_not_following"] == "filter"
    assert old.json()["filter_not_following"] is True


def test_a_conversation_has_somebody_in_it(alice, bob):
    """Ice Cubes ends where there is nobody."""
    publish(alice, "@bob psst", visibility="direct")
    suspend_user(uid=bob.pk)
    (one,) = Api(alice).get("conversations").json()
    assert [account["username"] for account in one["accounts"]] == ["alice"]


@pytest.mark.parametrize(
    ("poll", "status"), [({"multiple_answers": False}, 200), ({"options": ["a", "b"]}, 422)]
)
def test_an_edit_may_bring_a_poll_without_options(alice, poll, status):
    """Mastodon for iOS sends one with each."""
    post = publish(alice)
    assert Api(alice).put(f"statuses/{post}", status="New", poll=poll).status_code == status


def test_what_is_edited_as_it_was_shown_stays_as_it_was(alice):
    """Ice Cubes edits the text of the HTML."""
    api = Api(alice)
    made = api.post("statuses", status=f"Look at {LONG} and example.org").json()
    assert '<span class="invisible">https://www.</span><span class="ellipsis">' in made["content"]
    assert text_of(made["content"]) == f"Look at {LONG} and example.org"
    details = {"url": LONG, "host": "www.example.org"}
    linked = publish_post(author=alice.pk, text="Read it", kind="link", details=details)
    shown = api.get(f"statuses/{linked}").json()["content"]
    assert text_of(shown).endswith("Read it")
    api.put(f"statuses/{linked}", status=text_of(shown))
    assert api.get(f"statuses/{linked}").json()["content"] == shown


def text_of(html):
    return unescape(re.sub("<[^>]*>", "", html.replace("</p><p>", "\n\n")))


def test_who_is_answered_is_mentioned_first(alice, bob, carol):
    """Tusky says "X just posted" of comments otherwise, without a way to answer."""
    post = publish(alice)
    first = add_comment(post_id=post, actor=bob, text="Nice, @carol")
    second = add_comment(post_id=post, actor=carol, text="@bob yes", parent_id=first)
    own = add_comment(post_id=post, actor=alice, text="Thanks")
    found = Api(alice).get(f"statuses/{post}/context").json()["descendants"]
    mentions = {int(one["id"]): [who["acct"] for who in one["mentions"]] for one in found}
    assert mentions == {first: ["alice", "carol"], second: ["bob"], own: []}


def test_hidden_followers_are_an_empty_list(alice, bob):
    """Mastodon for iOS asks again every three seconds after an error, Ice Cubes waits for ever."""
    follow(bob, alice)
    set_private(uid=alice.pk, is_private=True)
    for page in ("followers", "following"):
        answer = Api().get(f"accounts/{alice.pk}/{page}")
        assert (answer.status_code, answer.json()) == (200, [])
    assert Api().get("accounts/1/followers").status_code == 404


def test_posts_with_one_of_several_hashtags_are_one_list(alice):
    """Groups of hashtags in Ice Cubes, and tabs in Tusky."""
    posts = [publish(alice, text) for text in ("#cats", "#dogs", "#birds", "#Cats and #dogs")]
    api = Api()
    first = api.get("timelines/tag/cats", **{"any[]": ["dogs"], "limit": 2})
    found = first.json() + api.get(link(first, "next")).json()
    assert [int(one["id"]) for one in found] == [posts[3], posts[1], posts[0]]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/auth/edit", "account_settings"),
        ("/auth/password/new", "account_reset_password"),
        ("/auth/confirmation/new", "account_email"),
        ("/settings/delete", "delete_account"),
        ("/terms", "rules"),
        ("/disputes/strikes/1", "decisions"),
    ],
)
def test_pages_that_apps_open_are_found(client, alice, path, name):
    """Tusky and both apps of Mastodon."""
    client.force_login(alice)
    answer = client.get(path)
    assert (answer.status_code, answer["Location"]) == (302, reverse(name))


def test_what_the_site_tells_of_itself_fits(alice):
    """Tusky ends where no duration of a poll is possible, and counts links by this number."""
    Rule.objects.create(text="Be kind")
    found = Api().get("/api/v2/instance").json()
    polls = found["configuration"]["polls"]
    assert polls["min_expiration"] <= 86_400 <= polls["max_expiration"]
    assert found["configuration"]["statuses"]["characters_reserved_per_url"] == 23
    assert found["api_versions"]["mastodon"] == 3  # with it Android sends a challenge at log-in


@pytest.mark.slow
def test_pictures_may_come_in_pieces_without_a_length(alice: User):
    """Mastodon for iOS sends them so, and no proxy need stand between."""
    edge = "0123456789"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
    body = (
        head.encode() + b"Content-Type: image/png\r\n\r\n" + picture() + f"\r\n--{edge}--".encode()
    )
    pieces = [body[start : start + 100] for start in range(0, len(body), 100)]
    with served_site(
        database=connection.settings_dict["NAME"], data_dir=site_settings.DATA_DIR
    ) as site:
        to = http.client.HTTPConnection(urlsplit(site).netloc, timeout=30)
        sent = {
            "Authorization": f"Bearer {token_of(alice)}",
            "Content-Type": f"multipart/form-data; boundary={edge}",
            "Transfer-Encoding": "chunked",
        }
        to.request("POST", "/api/v2/media", iter(pieces), sent, encode_chunked=True)
        answer = to.getresponse()
        made = json.loads(answer.read())
        to.close()
    assert (answer.status, made["type"]) == (200, "image")
