"""Quotes in the API: https://docs.joinmastodon.org/client/quotes/."""

import pytest

from accounts.services.blocks_and_mutes import block_user, mute_user
from feed.models import Post
from feed.services.posts import delete_post
from tests.actions import add_comment, share_post
from tests.factories import follow, publish
from tests.feed.quote_helpers import number, quote, revoke

from .api_client import Api

AUTOMATIC = {"automatic": ["public"], "manual": [], "current_user": "automatic"}


def test_a_post_is_quoted(alice, bob, carol):
    post = publish(bob, "Rain")
    published = Api(alice).post("statuses", status="Indeed", quoted_status_id=str(post)).json()
    quoted = published["quote"]["quoted_status"]
    assert published["quote"]["state"] == "accepted"
    assert (quoted["id"], quoted["content"]) == (str(post), "<p>Rain</p>")
    assert (quoted["account"]["username"], quoted["quotes_count"]) == ("bob", 1)
    assert quoted["quote_approval"] == AUTOMATIC
    link = f"http://testserver/@bob/{post}/"
    assert published["content"] == (
        f'<p class="quote-inline">RE: <a href="{link}">{link}</a></p><p>Indeed</p>'
    )
    assert Api(alice).get(f"statuses/{published['id']}/source").json()["text"] == "Indeed"
    for api in (Api(carol), Api()):
        assert api.get(f"statuses/{published['id']}").json()["quote"]["state"] == "accepted"
    (row,) = Api(bob).get("notifications").json()
    assert (row["type"], row["account"]["username"]) == ("quote", "alice")
    assert (row["status"]["id"], row["socialsite"]["kind"]) == (published["id"], "quote")


def test_some_apps_use_another_name_for_the_quoted_post(alice, bob):
    post = str(publish(bob))
    published = Api(alice).post("statuses", status="Indeed", quote_id=post).json()
    assert published["quote"]["quoted_status"]["id"] == post
    assert Api(alice).post("statuses", status="Lost", quote_id="5").status_code == 404


def test_the_same_idempotency_key_quotes_once(alice, bob):
    post, headers = publish(bob), {"Idempotency-Key": "k"}
    inputs = {"status": "Once", "quoted_status_id": str(post)}
    ids = {Api(alice).post("statuses", headers=headers, **inputs).json()["id"] for _ in range(2)}
    assert (len(ids), number(post)) == (1, 1)


def test_the_viewer_sees_interactions_with_the_quoted_post(alice, bob):
    post = publish(bob)
    quoting = quote(post, alice)
    Api(alice).post(f"statuses/{post}/favourite")
    Api(alice).post(f"statuses/{post}/bookmark")
    for path in (f"statuses/{quoting}", "timelines/home"):
        status = Api(alice).get(path).json()
        status = status if isinstance(status, dict) else status[0]
        quoted = status["quote"]["quoted_status"]
        assert (quoted["favourited"], quoted["bookmarked"]) == (True, True)


@pytest.mark.parametrize(
    ("policy", "groups", "stranger", "follower"),
    [
        ("public", ["public"], "automatic", "automatic"),
        ("followers", ["followers"], "denied", "automatic"),
        ("nobody", [], "denied", "denied"),
    ],
)
def test_the_policy_of_a_post_is_chosen_and_changed(
    alice, bob, carol, policy, groups, stranger, follower
):
    follow(carol, alice)
    status = Api(alice).post("statuses", status="Hi", quote_approval_policy=policy).json()
    post = status["id"]
    assert status["quote_approval"] == AUTOMATIC | {"automatic": groups}
    for user, answer in ((bob, stranger), (carol, follower)):
        approval = Api(user).get(f"statuses/{post}").json()["quote_approval"]
        assert (approval["automatic"], approval["current_user"]) == (groups, answer)
        quoted = Api(user).post("statuses", status="Look", quoted_status_id=post)
        assert quoted.status_code == (200 if answer == "automatic" else 422), quoted.json()
    assert Api().get(f"statuses/{post}").json()["quote_approval"]["current_user"] == "denied"
    api, path = Api(alice), f"statuses/{post}/interaction_policy"
    changed = api.put(path, quote_approval_policy="nobody").json()
    assert changed["quote_approval"]["automatic"] == []
    edited = api.put(f"statuses/{post}", status="Hi", quote_approval_policy="public").json()
    assert (edited["quote_approval"]["automatic"], edited["edited_at"]) == (["public"], None)
    for bad in ({}, {"quote_approval_policy": "x"}, {"quote_approval_policy": None}):
        assert api.put(path, **bad).status_code == 422
    assert Api(bob).put(path, quote_approval_policy="nobody").status_code == 404
    assert Post.objects.get(pk=post).quote_policy == "everyone"


def test_the_default_policy_is_a_preference(alice):
    api = Api(alice)
    assert api.get("preferences").json()["posting:default:quote_policy"] == "public"
    changed = api.patch("accounts/update_credentials", source={"quote_policy": "nobody"}).json()
    assert changed["source"]["quote_policy"] == "nobody"
    assert api.get("preferences").json()["posting:default:quote_policy"] == "nobody"
    assert api.post("statuses", status="Hi").json()["quote_approval"]["automatic"] == []
    bad = api.patch("accounts/update_credentials", source={"quote_policy": "x"})
    assert bad.status_code == 422


def test_what_cannot_be_quoted(alice, bob):
    api, post = Api(alice), publish(bob)
    comment = add_comment(post_id=post, actor=bob, text="A comment")
    hidden = publish(bob, "For followers", "followers")
    message = publish(bob, "@alice psst", "direct")
    for quoted, code in ((comment, 422), (hidden, 404), (message, 422), (404, 404), ("x", 422)):
        refused = api.post("statuses", status="Look", quoted_status_id=str(quoted))
        assert refused.status_code == code, (quoted, refused.json())
        assert refused.json()["error"]
    both = api.post("statuses", status="x", quoted_status_id=str(post), in_reply_to_id=str(post))
    assert both.status_code == 422
    approval = api.get(f"statuses/{comment}").json()["quote_approval"]
    assert approval == {"automatic": [], "manual": [], "current_user": "denied"}
    assert not Post.objects.filter(author=alice).exists()


def test_the_quoted_author_revokes_a_quote(alice, bob, carol):
    post = publish(bob, "Rain")
    quoting = quote(post, alice)
    path = f"statuses/{post}/quotes/{quoting}/revoke"
    for user in (alice, carol):
        assert Api(user).post(path).status_code == 404
    assert Api(bob).post(f"statuses/{post}/quotes/{post}/revoke").status_code == 404
    for _ in range(2):
        revoked = Api(bob).post(path)
        assert revoked.status_code == 200
        assert revoked.json()["id"] == str(quoting)
        assert revoked.json()["quote"] == {"state": "revoked", "quoted_status": None}
        assert "RE:" not in revoked.json()["content"]
    assert Api(bob).get(f"statuses/{post}").json()["quotes_count"] == 0


def test_the_quotes_of_a_post_are_listed_in_pages(alice, bob, carol):
    post = publish(bob)
    ids = [quote(post, alice, f"Number {n}") for n in range(3)]
    quote(post, alice, visibility="followers")
    revoke(post, quote(post, alice), bob)
    first = Api(carol).get(f"statuses/{post}/quotes", limit=2)
    assert [status["id"] for status in first.json()] == [str(id_) for id_ in ids[:0:-1]]
    assert 'rel="next"' in first["Link"]
    rest = Api(carol).get(f"statuses/{post}/quotes", limit=2, max_id=first.json()[-1]["id"])
    assert [status["id"] for status in rest.json()] == [str(ids[0])]
    comment = add_comment(post_id=post, actor=bob, text="A comment")
    assert Api(carol).get(f"statuses/{comment}/quotes").json() == []


def test_a_quoted_post_that_the_viewer_may_not_see_is_left_out(alice, bob, carol):
    post = publish(bob, "Secret weather")
    quoting = quote(post, alice)

    def answer(user):
        response = Api(user).get(f"statuses/{quoting}")
        is_shown = "Secret weather" in response.content.decode()
        return response.json()["quote"]["state"], is_shown, f"/{post}/" in response.content.decode()

    assert answer(carol) == ("accepted", True, True)
    mute_user(owner=carol.pk, other=bob.pk, until=None)
    assert answer(carol) == ("muted_account", False, False)
    block_user(owner=bob.pk, other=carol.pk)
    assert answer(carol) == ("unauthorized", False, False)
    delete_post(post_id=post, actor=bob)
    assert answer(alice) == ("deleted", False, False)


def test_a_quote_in_a_quote_is_shallow(alice, bob, carol):
    first = publish(carol)
    second = quote(first, bob)
    third = quote(second, alice)
    nested = Api(alice).get(f"statuses/{third}").json()["quote"]["quoted_status"]["quote"]
    assert nested == {"state": "accepted", "quoted_status_id": str(first)}


def test_a_share_of_a_quote_has_the_quote_inside(alice, bob):
    quoting = quote(publish(bob, "Rain"), bob)
    share = Api(alice).get(f"statuses/{share_post(post_id=quoting, actor=alice)}").json()
    assert share["quote"] is None
    assert share["reblog"]["quote"]["quoted_status"]["content"] == "<p>Rain</p>"


def test_a_quote_costs_an_app_no_further_commands(alice, bob, record_commands):
    post = publish(bob)
    share_post(post_id=publish(bob), actor=alice)
    api, costs = Api(alice), []
    for _ in range(2):
        api.get("timelines/home")
        with record_commands() as commands:
            api.get("timelines/home")
        costs.append(len(commands))
        quote(post, alice)
    assert costs[0] == costs[1]


def test_apps_know_that_quotes_exist():
    assert Api().get("/api/v2/instance").json()["api_versions"]["mastodon"] >= 7
