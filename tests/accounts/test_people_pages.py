"""Following over HTTP, and lists of users."""

import re

import pytest

from accounts.selectors.follow_graph import is_following
from tests.factories import UserFactory, follow, follow_many, people


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def listed(response):
    return [row.card.username for row in response.context["people"]]


def test_following_and_unfollowing_are_safe_to_repeat(as_alice, alice, bob):
    for _ in range(2):
        response = as_alice.post("/@bob/follow/", {"next": "/explore/people/"})
        assert (response.status_code, response["Location"]) == (302, "/explore/people/")
    profile = as_alice.get("/@bob/").content.decode()
    assert re.search(r"<strong>1</strong> follower\s*<", profile)
    assert 'action="/@bob/unfollow/"' in profile
    for _ in range(2):
        assert as_alice.post("/@bob/unfollow/")["Location"] == "/@bob/"
    profile = as_alice.get("/@bob/").content.decode()
    assert re.search(r"<strong>0</strong> followers\s*<", profile)
    assert 'action="/@bob/follow/"' in profile


def test_usernames_in_urls_ignore_case(as_alice, alice, bob):
    assert as_alice.post("/@BOB/follow/").status_code == 302
    assert is_following(follower=alice.pk, followee=bob.pk)
    assert as_alice.get("/@Bob/").status_code == 200


def test_following_oneself_is_refused_with_a_message(as_alice, alice):
    response = as_alice.post("/@alice/follow/", follow=True)
    assert b"You cannot follow yourself." in response.content
    assert not is_following(follower=alice.pk, followee=alice.pk)


def test_following_a_missing_user_is_not_found(as_alice):
    for name in ("nobody_here", "%00", ".*", "%ED%A0%80", "a" * 3000, "%2e%2e"):
        assert as_alice.post(f"/@{name}/follow/").status_code == 404
        assert as_alice.post(f"/@{name}/unfollow/").status_code == 404


def test_an_inactive_user_is_not_found(as_alice, alice, bob, carol):
    follow(carol, bob)
    follow(bob, carol)
    bob.is_active = False
    bob.save()
    for path in ("/@bob/", "/@bob/followers/", "/@bob/following/"):
        assert as_alice.get(path).status_code == 404
    assert as_alice.post("/@bob/follow/").status_code == 404
    assert "bob" not in listed(as_alice.get("/explore/people/"))
    assert listed(as_alice.get("/@carol/followers/")) == []
    assert listed(as_alice.get("/@carol/following/")) == []


@pytest.mark.parametrize("action", ["follow", "unfollow"])
def test_an_anonymous_follow_redirects_to_the_log_in_page(client, bob, action):
    response = client.post(f"/@bob/{action}/", {"next": "/explore/people/"})
    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/%40bob/"
    assert client.get("/%40bob/").status_code == 200


ELSEWHERE = [
    *["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "post"],
    *[
        "people",
        "no-such-page",
        "http://[",
        "\x00",
        "//[",
        "a.b",
        ".",
        "/\t/evil.example",
        "///x.y",
    ],
    *[
        "/" + "a" * 20_000,
        "https:evil.example",
        "http://testserver.evil.example/",
        " //evil.example",
    ],
]


def test_next_redirects_only_within_this_site(as_alice, bob):
    """All views share the code that reads ``next``."""
    requests = [("/theme/", target) for target in [*ELSEWHERE, "/\r\nX: y"]]
    requests += [(f"/@bob/{action}/", ELSEWHERE[0]) for action in ("follow", "unfollow")]
    for path, target in requests:
        response = as_alice.post(path, {"next": target})
        assert response.status_code == 302, (path, target)
        assert re.match(r"/(?![/\\\t])", response["Location"]), response["Location"]
        assert "X" not in response.headers


def test_next_keeps_its_query(as_alice, bob):
    response = as_alice.post("/@bob/follow/", {"next": "/explore/people/?max_id=5"})
    assert response["Location"] == "/explore/people/?max_id=5"


def test_all_users_are_listed_once_newest_first_in_pages(client, alice):
    all_usernames = ["alice", *[user.username for user in people(45)]][::-1]
    seen, path = [], "/explore/people/"
    while path:
        page = client.get(path)
        seen += listed(page)
        path = page.context["older"] and f"/explore/people/?max_id={page.context['older']}"
        if path:
            assert f"?max_id={page.context['older']}" in page.content.decode()
    assert seen == all_usernames
    newer, seen = page.context["newer"], listed(page)
    while newer:
        page = client.get(f"/explore/people/?min_id={newer}")
        seen = listed(page) + seen
        newer = page.context["newer"]
    assert seen == all_usernames


@pytest.mark.parametrize("kind", ["followers", "following"])
def test_followers_and_followees_are_listed_once_in_pages(client, alice, kind):
    others = people(45)
    if kind == "followers":
        follow_many(others, alice)
    else:
        follow_many([alice], *others)
    seen, path = [], f"/@alice/{kind}/"
    while path:
        page = client.get(path)
        assert page.status_code == 200
        assert b"Alice Adams" in page.content
        seen += listed(page)
        path = page.context["older"] and f"/@alice/{kind}/?max_id={page.context['older']}"
    assert seen == [user.username for user in others][::-1]


def test_lists_show_which_users_the_viewer_follows(as_alice, alice, bob, carol):
    follow(alice, bob)
    page = as_alice.get("/explore/people/")
    rows = {row.card.username: row for row in page.context["people"]}
    assert rows["bob"].is_following
    assert not rows["carol"].is_following
    assert rows["alice"].is_self
    html = page.content.decode()
    assert 'action="/@bob/unfollow/"' in html
    assert 'action="/@carol/follow/"' in html
    assert "/@alice/follow/" not in html


def test_empty_lists_show_a_hint(as_alice, alice, bob):
    assert b"Find people" in as_alice.get("/@alice/following/").content
    assert b"No followers yet" in as_alice.get("/@bob/followers/").content
    assert b"Not following anyone yet" in as_alice.get("/@bob/following/").content


INVALID_CURSORS = ("abc", "-1", "99999999999999999999", "٣٣", "", "1.5", "0x1", "\x00")


@pytest.mark.parametrize(
    ("path", "invalid_cursors"),
    [
        ("/explore/people/", INVALID_CURSORS),
        ("/@bob/followers/", ["abc"]),  # all lists share the code that reads cursors
        ("/@bob/following/", ["abc"]),
    ],
)
def test_invalid_cursors_are_ignored_and_extreme_ones_work(
    client, alice, bob, path, invalid_cursors
):
    follow(alice, bob)
    follow(bob, alice)
    plain = listed(client.get(path))
    for name in ("max_id", "min_id"):
        for cursor in invalid_cursors:
            response = client.get(path, {name: cursor})
            assert response.status_code == 200, (name, cursor)
            assert listed(response) == plain, (name, cursor)
    for cursor in ("0", "9223372036854775807"):
        for query in ({"max_id": cursor}, {"min_id": cursor}, {"max_id": cursor, "min_id": cursor}):
            assert client.get(path, query).status_code == 200


def test_a_page_beyond_the_end_links_to_the_first_page(client, alice):
    response = client.get("/explore/people/?max_id=1")
    assert listed(response) == []
    assert 'href="/explore/people/"' in response.content.decode()


def test_lists_cost_the_same_for_few_and_many_users(as_alice, alice, record_commands):
    from accounts import user_cards

    costs = []
    as_alice.get("/explore/people/")
    for count in (2, 20):
        follow_many(people(count, prefix=f"c{count}x"), alice)
        for path in ("/explore/people/", "/@alice/followers/"):
            user_cards.clear_cards()
            with record_commands() as commands:
                assert as_alice.get(path).status_code == 200
            assert not any("$lookup" in str(document) for _, document in commands)
            costs.append(len(commands))
    assert costs[:2] == costs[2:]
    assert max(costs) <= 11


def test_html_in_names_is_escaped(as_alice, alice):
    UserFactory(username="mallory", display_name="<script>alert(1)</script>", bio='"><img src=x>')
    for path in ("/explore/people/", "/@mallory/", "/@mallory/followers/"):
        html = as_alice.get(path).content.decode()
        assert "<script>alert" not in html
        assert "<img src=x>" not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
