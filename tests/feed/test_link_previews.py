"""Link previews, structured data and oEmbed show nothing but public posts and profiles."""

import json
import re
from html import unescape
from urllib.parse import urlencode

import pytest

from accounts.models import User
from accounts.services.account_status import suspend_user
from accounts.services.profiles import change_settings, set_private, update_profile
from feed.models import Post
from feed.services.moderation import set_post_hidden
from feed.services.posts import delete_post
from tests.actions import publish_post
from tests.factories import follow, publish
from tests.uploads import picture

from . import picture_uploads
from .poll_helpers import publish_poll

SITE = "http://testserver"
HOSTILE = '</script><script>alert(1)</script>" onload="x &lt; <b>'


def address(author, post):
    return f"/@{author.username}/{post}/"


def tags(html):
    return dict(
        re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', html)
    )


def structured_data(html):
    scripts = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    return [json.loads(text) for text in scripts]


@pytest.fixture
def page(client):
    def read(path):
        response = client.get(path)
        return response.status_code, response.content.decode()

    return read


@pytest.fixture
def embed(client):
    def ask(url, **parameters):
        response = client.get(f"/api/oembed?{urlencode({'url': url, **parameters})}")
        return response.status_code, response.json()

    return ask


def test_a_public_post_has_a_preview(page, embed, bob):
    post = publish(bob, f"Tea & {HOSTILE}")
    path = address(bob, post)
    status, html = page(path)
    assert status == 200
    preview = tags(html)
    assert preview["og:url"] == SITE + path
    assert preview["og:title"] == "Bob Brown (@bob)"
    assert preview["og:description"].startswith("Tea &amp; &lt;/script&gt;")
    assert preview["twitter:card"] == "summary"
    assert f'<link rel="canonical" href="{SITE}{path}">' in html
    assert 'name="robots"' not in html
    (data,) = structured_data(html)
    assert data["@type"] == "DiscussionForumPosting"
    assert data["text"] == f"Tea & {HOSTILE}"
    assert data["author"]["url"] == f"{SITE}/@bob/"
    assert "<script>alert" not in html
    discovery = re.search(r'type="application/json\+oembed" [^>]*href="([^"]+)"', html)[1]
    assert discovery == f"{SITE}/api/oembed?{urlencode({'url': SITE + path})}"
    assert embed(SITE + path)[0] == 200


@pytest.mark.parametrize("visibility", ["unlisted", "followers", "direct"])
def test_other_posts_have_no_preview_for_anybody(page, embed, client, alice, bob, visibility):
    follow(alice, bob)
    post = publish(bob, "secret words @alice", visibility=visibility)
    path = address(bob, post)
    assert embed(SITE + path) == (404, {"error": "Record not found"})
    for viewer in (None, alice, bob):
        if viewer is not None:
            client.force_login(viewer)
        status, html = page(path)
        assert status == (404 if viewer is None and visibility != "unlisted" else 200)
        assert tags(html) == {}
        assert structured_data(html) == []
        assert status == 404 or '<meta name="robots" content="noindex">' in html


def _make_private(author, _post):
    set_private(uid=author.pk, is_private=True)


def _limit(author, _post):
    User.objects.filter(pk=author.pk).update(is_limited=True)


def _suspend(author, _post):
    suspend_user(uid=author.pk)


def _delete(author, post):
    delete_post(post_id=post, actor=author)


def _remove(_author, post):
    set_post_hidden(post_id=post, state=Post.Hidden.REMOVED)


def _hold(_author, post):
    set_post_hidden(post_id=post, state=Post.Hidden.PENDING)


@pytest.mark.usefixtures("every_cache")
@pytest.mark.parametrize("change", [_make_private, _limit, _suspend, _delete, _remove, _hold])
def test_a_preview_ends_with_the_public_post(page, embed, client, alice, bob, change):
    follow(alice, bob)
    post = publish(bob, "words in question")
    path = address(bob, post)
    assert embed(SITE + path)[0] == 200
    change(bob, post)
    assert embed(SITE + path) == (404, {"error": "Record not found"})
    for viewer in (None, alice):
        if viewer is not None:
            client.force_login(viewer)
        _, html = page(path)
        assert tags(html) == {}
        assert structured_data(html) == []


def test_a_content_warning_hides_text_and_pictures(page, embed, client, alice):
    client.force_login(alice)
    post = picture_uploads.publish(client, picture(), alt="Hidden view", content_warning="Spiders")
    client.logout()
    path = address(alice, post.pk)
    _, html = page(path)
    preview = tags(html)
    assert preview["og:description"] == "Spiders"
    assert "/avatars/" in preview["og:image"]
    assert "og:image:alt" not in preview
    assert structured_data(html) == []
    answer = embed(SITE + path)[1]
    assert answer["title"] == "Spiders"
    assert "Look" not in answer["html"]
    assert "Hidden view" not in json.dumps(answer)


def test_the_first_picture_is_the_picture_of_the_preview(page, client, alice):
    client.force_login(alice)
    post = picture_uploads.publish(client, picture(), alt="A view")
    client.logout()
    _, html = page(address(alice, post.pk))
    preview = tags(html)
    assert preview["og:image"].startswith(f"{SITE}/media/pictures/")
    assert preview["og:image:alt"] == "A view 1"
    assert preview["twitter:card"] == "summary_large_image"
    response = client.get(preview["og:image"].removeprefix(SITE))
    response.close()
    assert response.status_code == 200
    assert structured_data(html)[0]["image"] == [preview["og:image"]]


def test_members_get_smaller_pages_without_previews(page, client, alice, bob):
    path = address(bob, publish(bob))
    client.force_login(alice)
    assert tags(page(path)[1]) == {}
    assert tags(page("/@bob/")[1]) == {}


def test_a_public_profile_has_a_preview(page, bob):
    update_profile(uid=bob.pk, display_name="Bob", bio=HOSTILE)
    _, html = page("/@bob/")
    assert tags(html)["og:type"] == "profile"
    (data,) = structured_data(html)
    assert data["mainEntity"]["description"] == HOSTILE
    assert 'name="robots"' not in html


@pytest.mark.parametrize("change", [_make_private, _limit])
def test_other_profiles_have_none(page, bob, change):
    update_profile(uid=bob.pk, display_name="Bob", bio="my bio")
    change(bob, None)
    _, html = page("/@bob/")
    assert tags(html) == {}
    assert structured_data(html) == []
    assert '<meta name="robots" content="noindex">' in html


def test_users_can_refuse_search_engines(page, client, bob):
    path = address(bob, publish(bob))
    client.force_login(bob)
    assert client.post("/settings/privacy/", {"has_view_counts": "on"}).status_code == 302
    client.logout()
    for place in (path, "/@bob/"):
        _, html = page(place)
        assert '<meta name="robots" content="noindex">' in html
        assert tags(html), "people still share links"
    change_settings(uid=bob.pk, is_indexable=True)
    assert 'name="robots"' not in page(path)[1]


def test_an_embedded_post_is_a_quote_without_scripts(embed, alice, bob):
    post = publish(bob, f"Hello @alice #tea {HOSTILE}")
    status, answer = embed(SITE + address(bob, post))
    assert status == 200
    assert (answer["version"], answer["type"], answer["width"]) == ("1.0", "rich", 400)
    assert answer["author_name"] == "Bob Brown"
    html = answer["html"]
    assert html.startswith(f'<blockquote cite="{SITE}{address(bob, post)}">')
    assert "<script" not in html
    assert "<iframe" not in html
    assert f'href="{SITE}/@alice/"' in html
    assert 'href="/' not in html


PARAMETERS = (
    ({"maxwidth": "250"}, 200, 250),
    ({"maxwidth": "9000", "maxheight": "10"}, 200, 400),
    ({"maxwidth": "0"}, 422, None),
    ({"maxwidth": "-5"}, 422, None),
    ({"maxwidth": "wide"}, 422, None),
    ({"maxheight": "1e9"}, 422, None),
    ({"format": "xml"}, 501, None),
)


def test_parameters_are_validated(embed, bob):
    url = SITE + address(bob, publish(bob))
    for parameters, expected_status, width in PARAMETERS:
        status, answer = embed(url, **parameters)
        assert (status, answer.get("width")) == (expected_status, width), parameters
        assert status == 200 or answer["error"]


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/@bob/1/",
        f"{SITE}/@bob/",
        f"{SITE}/@bob/999999999999/",
        f"{SITE}/@bob/{'9' * 30}/",
        f"{SITE}//[/",
        f"{SITE}/",
        f"{SITE}.evil.example/@bob/1/",
        "javascript:alert(1)",
    ],
)
def test_other_urls_are_not_found(embed, bob, url):
    assert embed(url) == (404, {"error": "Record not found"})


def test_the_url_is_required(client):
    assert client.get("/api/oembed").status_code == 422


def test_a_poll_shows_its_choices(embed, bob):
    post = publish_poll(bob, "Tea & <b>", "Coffee")
    _status, data = embed(SITE + address(bob, post))
    assert "<ul><li>Tea &amp; &lt;b&gt;</li><li>Coffee</li></ul></div>" in data["html"]
    warned = publish_poll(bob, content_warning="Drinks")
    assert "Coffee" not in embed(SITE + address(bob, warned))[1]["html"]


def test_previews_contain_all_texts_of_a_post(page, bob):
    def texts(expected):
        return [] if expected == "Warning" else [expected.split()]

    review = {"item": "book", "title": "Dune", "stars": 4}
    for post, expected in (
        (publish_poll(bob, "Tea & <b>", "Coffee", text="Drinks?"), "Drinks? Tea & <b> Coffee"),
        (publish_poll(bob, "Tea", "Coffee", content_warning="Warning"), "Warning"),
        (publish_post(author=bob.pk, kind="review", text="Long", details=review), "Dune Long"),
        (publish_post(author=bob.pk, kind="review", text="", details=review), "Dune"),
    ):
        html = page(address(bob, post))[1]
        assert unescape(tags(html)["og:description"]) == expected
        assert [data["text"].split() for data in structured_data(html)] == texts(expected)


def test_a_review_shows_its_title(embed, bob):
    post = publish_post(
        author=bob.pk,
        kind="review",
        text="Long but good",
        details={"item": "book", "title": "Dune", "rating": 4},
    )
    answer = embed(SITE + address(bob, post))[1]
    assert "Dune" in answer["html"]
    assert "Long but good" in answer["html"]
