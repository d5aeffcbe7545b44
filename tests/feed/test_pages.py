"""Pages of posts over HTTP: cursors, missing pages and HTTP methods."""

import re
from html import unescape
from itertools import chain

import pytest

from accounts.models import User
from feed.models import Post
from tests.factories import follow, publish, publish_many

CURSORS = ("max_id", "min_id")
UNKNOWN_ID = 123_456_789
INVALID_CURSORS = ["abc", "-1", "99999999999999999999", "٣٣", "", "1.5", "1e3", " 1", "\x00", "max"]


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def shown(response):
    return [post.text for post in response.context["page"].posts]


def test_visitors_see_the_newest_posts_and_sign_up_links(client, bob):
    publish(bob, "hello world")
    response = client.get("/")
    assert shown(response) == ["hello world"]
    html = response.content.decode()
    assert 'href="/accounts/signup/"' in html
    assert 'href="/accounts/login/"' in html


def test_pages_without_posts_have_one_heading(client, alice, bob):
    for user in (None, alice, bob):
        if user:
            client.force_login(user)
        for path in ("/", "/public/", "/explore/people/", "/@alice/"):
            response = client.get(path)
            assert response.status_code == 200, path
            assert response.content.count(b"<h1") == 1, path


MISSING = [
    *[
        "/nothing",
        "/@nobody_here/",
        f"/@alice/{UNKNOWN_ID}/",
        "/@alice/abc/",
        "/@alice/-1/",
        "/%ff",
    ],
    *[
        "/@alice/99999999999999999999/",
        "/@alice/٣/",
        "/posts/1/",
        f"/posts/{UNKNOWN_ID}/delete/",
        "/@/",
    ],
    *["/@%00/", "/@.*/", "/@alice%2f/", "/@al%ED%A0%80/", "/index.php", "/" + "a" * 5000],
]


def test_missing_pages_show_the_404_page(as_alice):
    for path in MISSING:
        response = as_alice.get(path)
        assert response.status_code == 404, path
        html = response.content.decode()
        assert "Page not found" in html
        assert 'href="/"' in html
        assert "@alice" in html, "it knows its viewer"


def test_visitors_get_the_404_page_too(client):
    response = client.get("/nothing")
    assert response.status_code == 404
    assert b"Page not found" in response.content


@pytest.mark.parametrize("name", ["alice", "Bob", "BOB", "nobody", ".*"])
def test_a_post_under_another_user_name_redirects_to_its_author(client, bob, name):
    post = publish(bob)
    response = client.get(f"/@{name}/{post}/")
    assert (response.status_code, response["Location"]) == (302, f"/@bob/{post}/")


def test_posts_of_deactivated_users_are_hidden_until_reactivation(client, alice, bob):
    follow(alice, bob)
    post = publish(bob)
    client.force_login(alice)
    paths = ["/", "/public/"]
    for active, status in ((False, 404), (True, 200)):
        User.objects.get(pk=bob.pk)
        bob.is_active = active
        bob.save()
        assert client.get(f"/@bob/{post}/").status_code == status
        assert client.get("/@bob/").status_code == status
        assert [len(shown(client.get(path))) for path in paths] == [int(active)] * 2


def test_invalid_cursors_are_ignored(as_alice, alice):
    """All pages share the code that reads cursors."""
    publish(alice, "the post")
    queries = [("/public/", {name: cursor}) for name in CURSORS for cursor in INVALID_CURSORS]
    queries += [(path, {name: "abc"}) for path in ("/", "/@alice/") for name in CURSORS]
    for path, query in queries:
        response = as_alice.get(path, query)
        assert response.status_code == 200, (path, query)
        assert shown(response) == ["the post"], (path, query)


@pytest.mark.parametrize("path", ["/", "/public/", "/@alice/"])
def test_extreme_cursors_and_the_links_on_their_pages_work(as_alice, alice, path):
    publish(alice, "the post")
    for cursor in ("0", "9223372036854775807"):
        for query in ({"max_id": cursor}, {"min_id": cursor}, {"max_id": cursor, "min_id": cursor}):
            response = as_alice.get(path, query)
            assert response.status_code == 200
            assert response.content.count(b"<h1") == 1
            for link in re.findall(r'href="(\?[^"]+)"', response.content.decode()):
                assert as_alice.get(path + unescape(link)).status_code == 200


@pytest.mark.parametrize("path", ["/", "/public/", "/@alice/"])
def test_links_lead_to_the_first_post_and_back(as_alice, alice, settings, path):
    settings.FEED_PAGE_SIZE = 3
    posts = [f"alice writes {n}" for n in range(11)]
    publish_many(alice, 11)

    def walk(query, rel):
        seen = []
        while query is not None:
            response = as_alice.get(path + query)
            seen.append(shown(response))
            link = re.search(rf'<a[^>]*href="([^"]+)" rel="{rel}"', response.content.decode())
            query = unescape(link[1]) if link else None
        return seen

    assert list(chain.from_iterable(walk("", "next"))) == posts[::-1]
    first = Post.objects.order_by("pk").values_list("pk", flat=True)[0]
    upwards = walk(f"?min_id={first - 1}", "prev")
    assert list(chain.from_iterable(reversed(upwards))) == posts[::-1]


def test_htmx_gets_only_the_next_posts(as_alice, alice):
    publish_many(alice, 45)
    older = as_alice.get("/").context["page"].older_cursor
    response = as_alice.get("/", {"max_id": older}, headers={"HX-Request": "true"})
    html = response.content.decode()
    assert html.lstrip().startswith("<li>")
    assert "<html" not in html
    assert "HX-Request" in response["Vary"]
    assert shown(response) == [f"alice writes {n}" for n in range(24, 4, -1)]


REFUSED = {
    "/": ["post", "put", "delete"],
    "/public/": ["post", "patch"],
    "/explore/people/": ["post"],
    "/@alice/": ["post"],
    "/@alice/followers/": ["post"],
    "/posts/": ["put", "delete"],
    "/@alice/follow/": ["get", "head", "put"],
    "/@alice/unfollow/": ["get", "head"],
    "/theme/": ["get", "head"],
    "/settings/profile/": ["put", "delete"],
    "/settings/username/": ["put"],
    "/avatars/1-A.svg": ["post"],
}


def test_other_methods_are_refused(as_alice):
    for path, methods in REFUSED.items():
        for method in methods:
            response = getattr(as_alice, method)(path)
            assert (response.status_code, method) == (405, method), path
            assert response["Allow"]


def test_pages_accept_head_requests(as_alice):
    for path in [*REFUSED, "/accounts/email/"]:
        if "get" not in REFUSED.get(path, []):
            response = as_alice.head(path)
            assert response.status_code == 200, path
            assert response.content == b""
