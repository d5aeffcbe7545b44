"""Accounts through the API: profiles, posts and privacy."""

import io
import json
from itertools import chain

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from accounts.infra.ids import time_of
from accounts.models import User
from accounts.selectors import access_tokens
from accounts.services.account_status import deactivate_account
from accounts.services.blocks_and_mutes import block_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private, update_profile
from accounts.user_cards import ProfileField
from feed.models import Post
from feed.services.user_lists import choose_lists, create_list
from feed.store import posts
from tests.actions import pin_post, share_post
from tests.api.api_client import Api, link, token_of
from tests.factories import add_conversation, follow, people, publish, publish_many
from tests.uploads import picture


def ids(response):
    assert response.status_code == 200, response.content
    return [account_or_status["id"] for account_or_status in response.json()]


def test_accounts_are_found_by_id_by_name_and_by_several_ids(alice, bob):
    update_profile(uid=bob.pk, display_name="Bob", bio="I like #cats")
    api = Api(alice)
    shown = api.get(f"accounts/{bob.pk}").json()
    assert (shown["acct"], shown["display_name"], shown["locked"]) == ("bob", "Bob", False)
    assert 'href="http://testserver/tags/cats/"' in shown["note"]
    for acct in ("bob", "@BOB", "bob@testserver"):
        assert api.get("accounts/lookup", acct=acct).json() == shown
    assert api.get("accounts/lookup", acct="bob@elsewhere.example").status_code == 404
    assert api.get("accounts/1").status_code == 404
    response = api.get("accounts", **{"id[]": [str(bob.pk), "1", str(alice.pk), str(bob.pk)]})
    assert ids(response) == [str(bob.pk), str(alice.pk)]
    assert Api().get("accounts", **{"id[]": ["x"]}).status_code == 422


def test_changes_in_another_process_show_at_once_in_the_own_account(alice):
    api = Api(alice)
    assert api.get("accounts/verify_credentials").json()["bot"] is False
    User.objects.filter(pk=alice.pk).update(is_bot=True)
    assert api.get("accounts/verify_credentials").json()["bot"] is True


def test_an_account_without_a_name_has_an_empty_display_name(alice, bob):
    update_profile(uid=bob.pk, display_name="")
    assert Api(alice).get(f"accounts/{bob.pk}").json()["display_name"] == ""
    assert Api(bob).get("accounts/verify_credentials").json()["display_name"] == ""


def test_update_credentials_changes_only_the_given_fields(alice):
    api = Api(alice)
    changed = api.patch("accounts/update_credentials", note="Hello\nyou", locked=True).json()
    assert changed["source"]["note"] == "Hello\nyou"
    assert changed["locked"] is True
    assert changed["display_name"] == "Alice Adams"
    assert api.patch("accounts/update_credentials", display_name="A").json()["note"]
    assert api.get("accounts/verify_credentials").json()["display_name"] == "A"
    for data in ({"display_name": "x" * 31}, {"note": "x" * 501}, {"locked": "perhaps"}):
        response = api.patch("accounts/update_credentials", **data)
        assert response.status_code == 422
        assert list(response.json()["details"]) == [*data]
    assert User.objects.get(pk=alice.pk).bio == "Hello\nyou"


def test_avatar_is_uploaded_as_a_form_and_deleted(alice):
    def upload(content):
        data = {"avatar": content, "display_name": "Al", "source[privacy]": "public"}
        return Api(alice).form("accounts/update_credentials", data, method="patch")

    generated_url = Api(alice).get(f"accounts/{alice.pk}").json()["avatar"]
    good = io.BytesIO(picture(size=(40, 30)))
    good.name = "a.png"
    shown = upload(good).json()
    assert shown["avatar"] != generated_url
    assert shown["display_name"] == "Al"
    bad = io.BytesIO(b"no picture")
    bad.name = "b.png"
    assert list(upload(bad).json()["details"]) == ["avatar"]
    for _ in range(2):
        assert Api(alice).delete("profile/avatar").json()["avatar"] == generated_url


def upload_header(user, content, **data):
    file = SimpleUploadedFile("h.png", content, content_type="image/png")
    return Api(user).form("accounts/update_credentials", {"header": file, **data}, method="patch")


def test_header_is_uploaded_and_deleted(alice, bob):
    default_url = Api(alice).get(f"accounts/{alice.pk}").json()["header"]
    shown = upload_header(alice, picture(), display_name="Al").json()
    assert "/media/headers/" in shown["header"]
    assert shown["header"] == shown["header_static"] != default_url
    path = shown["header"].removeprefix("http://testserver")
    assert b"".join(Client().get(path).streaming_content)[:4] == b"RIFF"
    publish(alice)
    (status,) = Api(bob).get(f"accounts/{alice.pk}/statuses").json()
    assert status["account"]["header"] == shown["header"]
    refused = upload_header(alice, b"no picture", display_name="Not saved")
    assert (refused.status_code, list(refused.json()["details"])) == (422, ["header"])
    assert User.objects.get(pk=alice.pk).display_name == "Al"
    for _ in range(2):
        assert Api(alice).delete("profile/header").json()["header"] == default_url
    assert Client().get(path).status_code == 404


FIELDS = [("Web", "https://example.org/alice/"), ("Pronouns", "she/her")]


@pytest.mark.parametrize("form", ["list", "hash", "rails", "rails list"])
def test_profile_fields_are_changed_in_every_notation(alice, bob, form):
    api, path = Api(alice), "accounts/update_credentials"
    pairs = [{"name": name, "value": value} for name, value in FIELDS]
    match form:
        case "list":
            response = api.patch(path, fields_attributes=pairs)
        case "hash":
            response = api.patch(path, fields_attributes=dict(enumerate(pairs)))
        case "rails":
            data = {
                f"fields_attributes[{n}][{key}]": value
                for n, pair in enumerate([*pairs, {"name": "", "value": ""}])
                for key, value in pair.items()
            }
            response = api.form(path, data, method="patch")
        case _:
            data = {
                f"fields_attributes[][{key}]": [pair[key] for pair in pairs]
                for key in ("name", "value")
            }
            response = api.form(path, data, method="patch")
    account = response.json()
    assert response.status_code == 200, account
    assert [(field["name"], field["value"]) for field in account["source"]["fields"]] == FIELDS
    shown = Api(bob).get(f"accounts/{alice.pk}").json()["fields"]
    assert shown == account["fields"]
    assert [field["name"] for field in shown] == ["Web", "Pronouns"]
    assert 'rel="me nofollow noopener"' in shown[0]["value"]
    assert 'href="https://example.org/alice/"' in shown[0]["value"]
    assert [field["verified_at"] for field in shown] == [None, None]
    assert api.patch(path, note="Other").json()["source"]["fields"]
    assert api.patch(path, fields_attributes=[]).json()["fields"] == []


@pytest.mark.parametrize(
    "fields",
    [
        [{"name": str(n), "value": "x"} for n in range(5)],
        [{"name": "", "value": "x"}],
        [{"name": "x", "value": ""}],
        [{"name": "x" * 256, "value": "x"}],
        [{"name": "x", "value": "x" * 256}],
        [{"name": 5, "value": {}}],
        ["x"],
        "x",
    ],
)
def test_invalid_profile_fields_are_refused(alice, fields):
    response = Api(alice).patch("accounts/update_credentials", fields_attributes=fields)
    assert response.status_code == 422
    assert response.json()["error"]
    assert User.objects.get(pk=alice.pk).profile_fields == []


def test_fields_are_escaped(alice):
    fields = [{"name": "<b>", "value": "<script>alert(1)</script> javascript:alert(1)"}]
    account = Api(alice).patch("accounts/update_credentials", fields_attributes=fields).json()
    assert "<script>" not in account["fields"][0]["value"]
    assert "href" not in account["fields"][0]["value"]


@pytest.mark.parametrize("reason", ["limited", "blocked"])
def test_header_and_fields_are_hidden_like_the_note(alice, bob, reason):
    upload_header(bob, picture())
    update_profile(uid=bob.pk, bio="Bio", profile_fields=[ProfileField("Web", "bob.example")])
    default_url = Api(alice).get(f"accounts/{alice.pk}").json()["header"]
    if reason == "limited":
        set_limited(uid=bob.pk, is_limited=True)
    else:
        block_user(owner=bob.pk, other=alice.pk)
    shown = Api(alice).get(f"accounts/{bob.pk}").json()
    assert (shown["note"], shown["fields"]) == ("", [])
    assert shown["header"] == shown["header_static"] == default_url
    assert Api(bob).get(f"accounts/{bob.pk}").json()["fields"]


def test_an_account_is_marked_as_automated(alice, bob):
    api = Api(alice)
    assert api.get(f"accounts/{alice.pk}").json()["bot"] is False
    assert api.patch("accounts/update_credentials", bot=True).json()["bot"] is True
    assert api.patch("accounts/update_credentials", note="x").json()["bot"] is True
    assert Api(bob).get(f"accounts/{alice.pk}").json()["bot"] is True
    assert api.patch("accounts/update_credentials", bot=False).json()["bot"] is False


def test_new_statuses_start_with_the_defaults_of_the_account(alice):
    api, path = Api(alice), "accounts/update_credentials"
    source = {"privacy": "private", "language": "pt-BR", "sensitive": False}
    changed = api.patch(path, source=source).json()
    assert (changed["source"]["privacy"], changed["source"]["language"]) == ("private", "pt")
    preferences = api.get("preferences").json()
    assert preferences["posting:default:visibility"] == "private"
    assert preferences["posting:default:language"] == "pt"
    assert api.post("statuses", status="Default").json()["visibility"] == "private"
    assert (
        api.post("statuses", status="Chosen", visibility="public").json()["visibility"] == "public"
    )
    api.form(path, {"source[privacy]": "", "source[language]": ""}, method="patch")
    preferences = api.get("preferences").json()
    assert preferences["posting:default:visibility"] == "private"
    assert preferences["posting:default:language"] is None
    assert api.patch(path, source={"privacy": "public"}).json()["source"]["privacy"] == "public"
    assert api.post("statuses", status="Again").json()["visibility"] == "public"


def test_another_process_may_have_changed_the_defaults_just_now(alice):
    """This process has the user of the token in a cache, and is not told about the change."""
    token = token_of(alice)
    api = Api(token=token)
    assert api.get("preferences").json()["posting:default:sensitive"] is False
    User.objects.filter(pk=alice.pk).update(
        has_sensitive_media=True, post_visibility="unlisted", post_language="de"
    )
    cached = access_tokens.find_access_token(token=token, is_fresh=False)
    assert cached.user.has_sensitive_media is False
    preferences = api.get("preferences").json()
    assert preferences["posting:default:sensitive"] is True
    assert preferences["posting:default:visibility"] == "unlisted"
    assert preferences["posting:default:language"] == "de"


def test_media_are_hidden_by_default_if_the_account_says_so(alice):
    api, path = Api(alice), "accounts/update_credentials"
    changed = api.patch(path, source={"sensitive": True}).json()
    assert changed["source"]["sensitive"] is True
    # Other changes keep the default.
    assert (
        api.patch(path, note="x", source={"language": "de"}).json()["source"]["sensitive"] is True
    )
    assert api.get("preferences").json()["posting:default:sensitive"] is True

    def warning(text="Look", has_picture=True, **data):
        media_ids = []
        if has_picture:
            file = SimpleUploadedFile("a.png", picture())
            media_ids = [api.form("/api/v2/media", {"file": file}).json()["id"]]
        post = api.post("statuses", status=text, media_ids=media_ids, **data).json()
        return post["spoiler_text"], post["sensitive"]

    assert warning() == ("Sensitive", True)
    assert warning(sensitive=None) == ("Sensitive", True)
    assert warning(sensitive=False) == ("", False)
    assert warning(spoiler_text="Food") == ("Food", True)
    assert warning(has_picture=False) == ("", False)
    form = api.form(path, {"source[sensitive]": "false"}, method="patch").json()
    assert form["source"]["sensitive"] is False
    assert warning() == ("", False)
    assert warning(sensitive=True) == ("Sensitive", True)
    assert api.patch(path, source={"sensitive": "perhaps"}).status_code == 422


def test_collections_are_hidden_exactly_for_private_accounts(alice):
    api, path = Api(alice), "accounts/update_credentials"
    assert api.patch(path, hide_collections=False).status_code == 200
    assert api.patch(path, locked=True, hide_collections=True).status_code == 200
    assert api.get("accounts/verify_credentials").json()["source"]["hide_collections"] is True
    assert api.patch(path, hide_collections=True).status_code == 200
    refused = api.patch(path, hide_collections=False, note="Not saved")
    assert refused.status_code == 422
    assert User.objects.get(pk=alice.pk).bio == ""


def test_the_instance_names_the_limits_of_fields():
    limits = Api().get("/api/v2/instance").json()["configuration"]["accounts"]
    assert limits["max_featured_tags"] == 10
    assert limits["max_profile_fields"] == 4
    assert limits["profile_field_name_limit"] == limits["profile_field_value_limit"] == 255


@pytest.fixture
def writings(bob):
    """Posts, comments and a share of bob, as ids from the newest: (share, hidden, second, first, post)."""
    (carol,) = people(1)
    done = Post.DeliveryState.DONE
    post, open_post, closed_post = Post.objects.bulk_create(
        Post(
            author=author,
            text="#cats",
            delivery_state=done,
            visibility=visibility,
            attributes=[{"kind": "hashtag", "value": "cats"}],
        )
        for author, visibility in ((bob, "public"), (carol, "public"), (carol, "followers"))
    )
    first, second = add_conversation(open_post.pk, comments=[(bob, "One #cats"), (bob, "Two")])
    (hidden,) = add_conversation(closed_post.pk, comments=[(bob, "Hidden")])
    share = share_post(post_id=open_post.pk, actor=bob)
    return [str(id_) for id_ in (share, hidden, second, first, post.pk)]


def test_comments_are_among_the_statuses_of_an_account(alice, bob, carol, writings):
    share, _hidden, second, first, post = writings
    api, path = Api(alice), f"accounts/{bob.pk}/statuses"
    response = api.get(path)
    assert ids(response) == [share, second, first, post]
    assert response.json()[1]["in_reply_to_id"] == response.json()[0]["reblog"]["id"]
    assert ids(api.get(path, exclude_reblogs=True)) == [second, first, post]
    assert ids(api.get(path, exclude_replies=True)) == [share, post]
    assert ids(api.get(path, tagged="cats")) == [post]
    assert ids(api.get(path, only_media=True)) == []
    assert ids(api.get(path, since_id=first)) == [share, second]
    follow(carol, bob)
    closed = str(publish(bob, "For followers", "followers"))
    for viewer in (bob, carol):
        assert ids(Api(viewer).get(path))[:2] == [closed, share]
    assert ids(api.get(path))[0] == share
    set_private(uid=bob.pk, is_private=True)
    assert ids(api.get(path)) == []


def test_comments_of_an_account_are_paged_and_cursors_do_not_reveal_others(alice, bob, writings):
    share, hidden, *others = writings
    api, path = Api(alice), f"accounts/{bob.pk}/statuses"
    expected, seen = [share, *others], {"next": [], "prev": []}
    for rel, query in (("next", {}), ("prev", {"min_id": 1})):
        response = api.get(path, limit=2, **query)
        while True:
            seen[rel].append(ids(response))
            assert hidden not in response.get("Link", "")
            if not (next_path := link(response, rel)):
                break
            response = api.get(next_path)
    assert [*chain(*seen["next"])] == expected
    assert [*chain(*reversed(seen["prev"]))] == expected


def test_posts_of_an_account_can_be_filtered_and_paged(alice, bob):
    first = publish(bob, "One #cats")
    with_picture = publish(bob, "Two")
    Post.objects.filter(pk=with_picture).update(
        media=[{"id": 1, "name": "0" * 32, "alt": "", "width": 2, "height": 2}]
    )
    share = share_post(post_id=publish(alice, "Hers"), actor=bob)
    api, path = Api(alice), f"accounts/{bob.pk}/statuses"
    all_ids = [str(status_id) for status_id in (share, with_picture, first)]
    assert ids(api.get(path)) == all_ids
    shown = api.get(f"accounts/{bob.pk}").json()
    assert shown["last_status_at"] == time_of(id=share).date().isoformat()
    assert ids(api.get(path, exclude_reblogs="true", exclude_replies="1")) == all_ids[1:]
    assert ids(api.get(path, only_media="true")) == all_ids[1:2]
    assert ids(api.get(path, tagged="Cats")) == all_ids[2:]
    seen, response = [], api.get(path, limit=1)
    while True:
        seen += ids(response)
        if not (next_path := link(response, "next")):
            break
        response = api.get(next_path)
    assert seen == all_ids
    assert ids(api.get(path, pinned="true")) == []
    pin_post(post_id=first, actor=bob)
    assert ids(api.get(path, pinned="true")) == all_ids[2:]


def test_a_filtered_page_examines_a_limited_number_of_posts(
    alice, bob, monkeypatch, record_commands
):
    monkeypatch.setattr(posts, "MAX_EXAMINED", 4)
    many = publish_many(bob, 3)
    matching_ids = [publish(bob, "Yes #cats")]
    publish(bob, "Only for my followers #cats", "followers")
    many += publish_many(bob, 6)
    matching_ids.append(publish(bob, "Again #cats"))
    for author in (alice, alice, alice):
        publish(author, "Hers #cats")
    api, path = Api(alice), f"accounts/{bob.pk}/statuses"
    with record_commands() as commands:
        response = api.get(path, tagged="cats", exclude_reblogs=True)
    (aggregation,) = [
        command for name, command in commands if name == "aggregate" and "cats" in str(command)
    ]
    explained_command = {name: aggregation[name] for name in ("aggregate", "pipeline", "hint")} | {
        "cursor": {}
    }
    explanation = connection.database.command(
        "explain", explained_command, verbosity="executionStats"
    )
    assert '"totalDocsExamined": 4,' in json.dumps(explanation, default=str)
    down, up = [], []
    while next_path := link(response, "next"):
        down.append(ids(response))
        response = api.get(next_path)
    down.append(ids(response))
    assert [*chain(*down)] == [str(post_id) for post_id in matching_ids[::-1]]
    assert [] in down
    response = api.get(path, tagged="cats", exclude_reblogs=True, min_id=0)
    while next_path := link(response, "prev"):
        up.append(ids(response))
        response = api.get(next_path)
    up.append(ids(response))
    assert [*chain(*up)] == [str(post_id) for post_id in matching_ids]


@pytest.mark.parametrize("reason", ["private", "limited", "blocking", "blocked"])
def test_api_shows_strangers_no_more_than_the_profile_page(client, alice, bob, reason):
    update_profile(uid=bob.pk, display_name="Bob", bio="Secrets of mine")
    post = publish(bob, "Not for everybody")
    pin_post(post_id=post, actor=bob)
    follow(bob, alice)
    match reason:
        case "private":
            set_private(uid=bob.pk, is_private=True)
        case "limited":
            set_limited(uid=bob.pk, is_limited=True)
        case "blocking":
            block_user(owner=bob.pk, other=alice.pk)
        case "blocked":
            block_user(owner=alice.pk, other=bob.pk)
    client.force_login(alice)
    page = client.get("/@bob/").content.decode()
    api = Api(alice)
    shown = api.get(f"accounts/{bob.pk}").json()
    assert ("Secrets of mine" in page) == ("Secrets of mine" in shown["note"])
    assert ("Not for everybody" in page) is False
    assert ids(api.get(f"accounts/{bob.pk}/statuses")) == []
    assert ids(api.get(f"accounts/{bob.pk}/statuses", pinned="1")) == []
    if reason != "blocked":  # the viewer still sees the counts of accounts that the viewer blocks
        assert (shown["statuses_count"], shown["last_status_at"]) == (0, None)
    assert ('id="profile-counts"' in page) == (reason != "blocking")
    if reason == "blocking":
        assert shown["followers_count"] == shown["following_count"] == 0
    assert shown.get("limited", False) == (reason == "limited")
    for kind in ("followers", "following"):
        is_open = client.get(f"/@bob/{kind}/").status_code == 200
        response = api.get(f"accounts/{bob.pk}/{kind}")
        assert (response.status_code, response.json() == [] or is_open) == (200, True)


def test_cursors_do_not_reveal_posts_of_a_private_account(alice, bob):
    posts = [publish(alice) for _ in range(6)]
    set_private(uid=alice.pk, is_private=True)
    for api in (Api(), Api(bob)):
        for query in ({"max_id": 2**62}, {"min_id": 1}, {"since_id": 1}):
            response = api.get(f"accounts/{alice.pk}/statuses", limit=2, **query)
            content = response.content.decode() + response.get("Link", "")
            assert not [post_id for post_id in posts if str(post_id) in content]


def test_deactivated_accounts_are_not_found(alice, bob):
    deactivate_account(uid=bob.pk)
    api = Api(alice)
    paths = [
        "",
        "/statuses",
        "/followers",
        "/following",
        "/featured_tags",
        "/lists",
        "/endorsements",
    ]
    for path in paths:
        assert api.get(f"accounts/{bob.pk}{path}").status_code == 404, path
    assert api.get("accounts/lookup", acct="bob").status_code == 404
    assert ids(api.get("accounts", id=bob.pk)) == []
    assert api.get("accounts/relationships", id=bob.pk).json() == []
    for name in ("follow", "unfollow", "block", "unblock", "mute", "unmute", "note", "pin"):
        assert api.post(f"accounts/{bob.pk}/{name}").status_code == 404, name


def test_only_the_owner_sees_the_lists_of_an_account(alice, bob):
    list_id = create_list(owner=alice, title="Friends")
    choose_lists(owner=alice, username="bob", list_ids={list_id})
    (user_list,) = Api(alice).get(f"accounts/{bob.pk}/lists").json()
    assert (user_list["id"], user_list["title"]) == (str(list_id), "Friends")
    assert Api(bob).get(f"accounts/{bob.pk}/lists").json() == []


def test_unsupported_features_return_empty_values(alice, bob):
    api = Api(alice)
    assert api.get("domain_blocks").json() == []
    assert api.delete("domain_blocks", domain="example.org").json() == {}
    assert api.get("preferences").json()["posting:default:visibility"] == "public"


def test_tokens_without_the_scope_are_refused(alice, bob):
    reading = Api(alice, scopes="read")
    assert reading.patch("accounts/update_credentials", note="x").status_code == 403
    assert reading.post(f"accounts/{bob.pk}/follow").status_code == 403
    assert Api(alice, scopes="read:statuses").get("blocks").status_code == 403
    assert Api().get("blocks").status_code == 401
    assert Api(alice, scopes="follow").post(f"accounts/{bob.pk}/follow").status_code == 200


def test_twenty_accounts_cost_as_many_commands_as_two(alice, record_commands):
    users = people(20)
    costs = []
    for asked_users in (users[:2], users):
        query = {"id[]": [str(user.pk) for user in asked_users]}
        api = Api(alice)
        api.get("accounts", **query)
        with record_commands() as commands:
            assert len(ids(api.get("accounts", **query))) == len(asked_users)
        costs.append(len(commands))
    assert costs[0] == costs[1]
