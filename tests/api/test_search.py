"""Search through the API returns the same results as the search page."""

import pytest

from accounts.services.blocks_and_mutes import block_user
from accounts.services.profiles import set_private
from feed.services.tags import follow_tag
from tests.actions import add_comment
from tests.api.api_client import Api
from tests.factories import follow, people, publish


def search(api, **query):
    response = api.get("/api/v2/search", **query)
    assert response.status_code == 200, response.content
    results = response.json()
    return (
        [account["username"] for account in results["accounts"]],
        [status["id"] for status in results["statuses"]],
        [tag["name"] for tag in results["hashtags"]],
    )


def test_search_finds_all_kinds_or_one_kind(alice, bob):
    post = publish(bob, "bobcats in the wild #bobcats")
    api = Api(alice)
    assert search(api, q="bobcats") == ([], [str(post)], ["bobcats"])
    assert search(api, q="bob") == (["bob"], [], ["bobcats"])
    assert search(api, q="bob", type="accounts") == (["bob"], [], [])
    assert search(api, q="@bob@testserver", type="accounts") == (["bob"], [], [])
    assert search(api, q="bob@elsewhere.example", type="accounts") == ([], [], [])
    assert search(api, q="wild", type="statuses", account_id=alice.pk) == ([], [], [])
    assert search(api, q="wild", type="statuses", account_id=bob.pk) == ([], [str(post)], [])
    assert search(api, q="wild", min_id=post) == ([], [], [])
    assert search(Api(), q="wild") == ([], [str(post)], [])


def test_results_are_paged(alice, bob):
    posts = [str(publish(bob, f"needle {number}")) for number in range(5)]
    users = people(5, prefix="finn")
    api = Api(alice)
    results = [search(api, q="needle", type="statuses", limit=2, offset=n)[1] for n in (0, 2, 4, 6)]
    assert [status_id for page in results for status_id in page] == posts[::-1]
    results = [search(api, q="finn", type="accounts", limit=2, offset=n)[0] for n in (0, 2, 4, 6)]
    assert [username for page in results for username in page] == [user.username for user in users]
    follow(alice, users[3])
    response = api.get("accounts/search", q="finn", following="true")
    assert [account["username"] for account in response.json()] == ["finn3"]


def test_urls_of_this_site_are_resolved(alice, bob):
    post = publish(bob, "Here")
    comment = add_comment(post_id=post, actor=alice, text="Indeed")
    secret = publish(bob, "Not here", "followers")
    api, site = Api(alice), "http://testserver"
    assert search(api, q=f"{site}/@bob", resolve="true") == (["bob"], [], [])
    for path, status in ((f"{post}/", post), (f"{post}/comments/{comment}/", comment)):
        assert search(api, q=f"{site}/@bob/{path}", resolve="true") == ([], [str(status)], [])
    for url in (
        f"{site}/@bob/{secret}/",
        f"{site}/@nobody/",
        f"{site}/x",
        "https://x.example/@bob",
    ):
        assert search(api, q=url, resolve="true") == ([], [], [])
    uri = api.get(f"statuses/{comment}").json()["uri"]
    assert search(api, q=uri, resolve="true") == ([], [str(comment)], [])
    url = api.get(f"statuses/{comment}").json()["url"]
    assert search(api, q=url, resolve="true") == ([], [str(comment)], [])


def test_hashtags_are_ordered_by_length_and_name(alice):
    for tag in ("rainbow", "rainb", "rainy", "rain", "raina"):
        publish(alice, f"#{tag}")
    assert search(Api(), q="#rain")[2] == ["rain", "raina", "rainb", "rainy", "rainbow"]


def test_search_hides_the_same_users_as_the_page(client, alice, bob, carol):
    publish(bob, "needle")
    block_user(owner=bob.pk, other=alice.pk)
    set_private(uid=carol.pk, is_private=True)
    publish(carol, "needle")
    client.force_login(alice)
    for name in ("bob", "carol"):
        page = client.get("/search/", {"q": name}).content.decode()
        listed = search(Api(alice), q=name, type="accounts")[0]
        assert (f"/@{name}/" in page) == (name in listed)
    assert search(Api(alice), q="needle") == ([], [], [])
    results = Api(alice).get("accounts/search", q="carol").json()
    assert (results[0]["statuses_count"], results[0]["last_status_at"]) == (0, None)


def test_blocked_users_are_found_by_their_exact_name(alice, bob):
    block_user(owner=alice.pk, other=bob.pk)
    people(2, prefix="bobby")
    api = Api(alice)
    assert search(api, q="bob")[0] == ["bobby0", "bobby1"]
    assert search(api, q="bob", resolve="true", limit=2)[0] == ["bob", "bobby0"]
    assert search(api, q="bo", resolve="true")[0] == ["bobby0", "bobby1"]
    assert search(api, q="bob", resolve="true", type="accounts", offset=1)[0] == [
        "bobby0",
        "bobby1",
    ]
    response = api.get("accounts/search", q="@BOB@testserver", resolve="true").json()
    assert [account["username"] for account in response] == ["bob", "bobby0", "bobby1"]
    assert api.get("accounts/search", q="bob", resolve="true", following="true").json() == []


def test_followed_hashtags_are_found_before_anyone_uses_them(alice, bob):
    follow_tag(uid=alice.pk, tag="cats")
    publish(bob, "#catsitting")
    assert search(Api(alice), q="#cats", type="hashtags") == ([], [], ["cats", "catsitting"])
    assert search(Api(alice), q="ats", type="hashtags") == ([], [], [])
    assert search(Api(bob), q="cats", type="hashtags") == ([], [], ["catsitting"])


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 422),
        ({"q": "x", "type": "planets"}, 422),
        ({"q": "x", "offset": "-1"}, 422),
        ({"q": ""}, 422),
        ({"q": "x", "limit": "0"}, 200),
        ({"q": "x", "max_id": "y"}, 422),
        ({"q": "x" * 501}, 422),
        ({"q": "\x00(", "offset": str(10**30), "type": "accounts"}, 200),
        ({"q": "http://[", "resolve": "1"}, 200),
        ({"q": "http://testserver/@a\x00b/", "resolve": "1"}, 200),
        ({"q": '"\\', "limit": "1000"}, 200),
    ],
)
def test_odd_queries_do_not_fail(alice, query, status):
    response = Api(alice).get("/api/v2/search", **query)
    assert response.status_code == status
    assert isinstance(response.json(), dict)


def test_anonymous_search_is_limited(alice, settings):
    assert Api().get("/api/v2/search", q="x", resolve="true").status_code == 401
    assert Api().get("/api/v2/search", q="x", type="accounts", offset=1).status_code == 401
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "search": "1/h"}
    api = Api(alice)
    search(api, q="x")
    assert api.get("accounts/search", q="x").status_code == 429


def test_more_results_cost_no_more_commands(alice, record_commands):
    people(20, prefix="finn")
    api, costs = Api(alice), []
    for limit in (2, 20):
        search(api, q="finn", limit=limit)
        with record_commands() as commands:
            assert len(search(api, q="finn", limit=limit)[0]) == limit
        costs.append(len(commands))
    assert costs[0] == costs[1]


def test_older_clients_get_names_of_hashtags(alice, bob):
    post = publish(bob, "the #kettle boils")
    new = Api(alice).get("/api/v2/search", q="kettle").json()
    old = Api(alice).get("/api/v1/search", q="kettle").json()
    assert [tag["name"] for tag in new["hashtags"]] == old["hashtags"] == ["kettle"]
    assert [status["id"] for status in old["statuses"]] == [str(post)]
    assert old["accounts"] == new["accounts"]
    assert Api().get("/api/v1/search", q="x", resolve=True).status_code == 401
