"""Atom feeds: content, visibility and caching."""

from datetime import datetime
from xml.etree import ElementTree

import pytest
from django.urls import reverse

from accounts.services.blocks_and_mutes import block_user
from accounts.services.profiles import set_private, update_profile
from feed.models import Post
from feed.services.posts import delete_post
from tests.actions import add_comment, edit_post, publish_post, share_post
from tests.factories import follow, publish

from .poll_helpers import publish_poll

A = "{http://www.w3.org/2005/Atom}"
FEEDS = ["/@bob/feed/", "/tags/cats/feed/"]


def parsed(response):
    """Return the parsed feed after checking the elements that RFC 4287 (the Atom format) requires."""
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(response.content)  # noqa: S314 - the site's own output
    assert feed.tag == f"{A}feed"
    ids = [feed.findtext(f"{A}id")]
    for element in (feed, *feed.iter(f"{A}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{A}{name}")) == 1, name
        assert element.findtext(f"{A}id")
        assert datetime.fromisoformat(element.findtext(f"{A}updated")).tzinfo
    for entry in feed.iter(f"{A}entry"):
        assert entry.findtext(f"{A}author/{A}name")
        assert entry.find(f"{A}content").get("type") == "html"
        assert len(entry.findall(f"{A}link[@rel='alternate']")) == 1
        ids.append(entry.findtext(f"{A}id"))
    assert len(ids) == len(set(ids))
    assert len(feed.findall(f"{A}link[@rel='self']")) == 1
    return feed


def contents(feed):
    return [entry.findtext(f"{A}content") for entry in feed.iter(f"{A}entry")]


@pytest.mark.parametrize("path", FEEDS)
def test_a_feed_has_posts_as_safe_html_with_absolute_urls(client, bob, path):
    post = publish(bob, "#cats <b>&\nhttps://example.org/ @bob")
    feed = parsed(client.get(path))
    (content,) = contents(feed)
    assert "<b>" not in content
    assert "&lt;b&gt;&amp;<br>" in content
    assert '<a href="http://testserver/tags/cats/">#cats</a>' in content
    assert '<a href="http://testserver/@bob/">@bob</a>' in content
    entry = feed.find(f"{A}entry")
    link = entry.find(f"{A}link").get("href")
    assert link == f"http://testserver/@bob/{post}/"
    assert client.get(link).status_code == 200
    assert entry.findtext(f"{A}title").startswith("#cats <b>& https://")


@pytest.mark.parametrize("path", FEEDS)
def test_a_feed_has_only_public_posts(client, alice, bob, path):
    follow(alice, bob)
    for visibility in Post.Visibility.values:
        publish(bob, f"@alice #cats {visibility}", visibility)
    client.force_login(alice)
    result = "".join(contents(parsed(client.get(path))))
    assert "public" in result
    assert "followers" not in result
    assert "direct" not in result
    set_private(uid=bob.pk, is_private=True)
    response = client.get(path)
    assert response.status_code == 404 or not contents(parsed(response))


def test_a_feed_is_the_same_for_all_viewers(client, alice, bob):
    publish(bob, "#cats")
    block_user(owner=alice.pk, other=bob.pk)
    for path in FEEDS:
        anonymous_content = client.get(path).content
        client.force_login(alice)
        assert client.get(path).content == anonymous_content
        client.logout()


@pytest.mark.parametrize("path", FEEDS)
def test_an_unchanged_feed_returns_304(client, bob, path):
    changes = [
        lambda: publish(bob, "#cats"),
        lambda: edit_post(post_id=Post.objects.get().pk, actor=bob, text="#cats edited"),
        lambda: update_profile(uid=bob.pk, display_name="Robert", bio=""),
        lambda: delete_post(post_id=Post.objects.get().pk, actor=bob),
    ]
    for change in changes:
        old = {"If-None-Match": client.get(path)["ETag"]}
        assert client.get(path, headers=old).status_code == 304
        change()
        assert client.get(path, headers=old).status_code == 200


def test_a_share_names_the_sharer(client, bob, carol):
    share_post(post_id=publish(carol, "worth a look"), actor=bob)
    feed = parsed(client.get("/@bob/feed/"))
    assert feed.findtext(f"{A}entry/{A}title") == "Bob Brown shared: worth a look"
    assert feed.findtext(f"{A}entry/{A}author/{A}name") == "Carol Clark"


def test_a_comment_activity_names_the_commenter(client, bob, carol, settings):
    settings.FEED_HOME_KINDS = ["note", "comment"]
    add_comment(post_id=publish(carol, "worth a word"), actor=bob, text="Yes")
    feed = parsed(client.get("/@bob/feed/"))
    assert feed.findtext(f"{A}entry/{A}title") == "Bob Brown commented: worth a word"


@pytest.mark.parametrize("path", FEEDS)
def test_text_behind_a_content_warning_stays_collapsed(client, bob, path):
    publish_post(author=bob.pk, text="#cats they all die", content_warning="End of <the> film")
    feed = parsed(client.get(path))
    assert feed.findtext(f"{A}entry/{A}title") == "End of <the> film"
    (content,) = contents(feed)
    hidden = content.removeprefix("<details><summary>End of &lt;the&gt; film</summary>")
    assert hidden.endswith("they all die</details>")
    assert hidden != content


def test_a_feed_has_pictures_and_review_titles(client, bob):
    picture = {"id": 1, "name": "0" * 32, "alt": 'A "cat"', "width": 9, "height": 9}
    Post.objects.create(author=bob, text="", media=[picture])
    review = {"title": "Dune & more", "item": "book", "stars": 4}
    publish_post(author=bob.pk, text="Sand.", kind="review", details=review)
    first, second = contents(parsed(client.get("/@bob/feed/")))
    assert first == "Dune &amp; more<br>Sand."
    source = f"http://testserver/media/pictures/{'0' * 32}-small.webp"
    assert second == f'<p><img src="{source}" alt="A &quot;cat&quot;"></p>'


def test_characters_invalid_in_xml_are_removed(client, bob):
    Post.objects.create(author=bob, text="a\ufffeb\x01c\uffff d")
    Post.objects.filter(author=bob).update(attributes=[{"kind": "hashtag", "value": "cats"}])
    update_profile(uid=bob.pk, display_name="B\uffffob", bio="")
    for path in FEEDS:
        assert contents(parsed(client.get(path))) == ["abc d"]


def test_pages_link_their_feeds(client, bob):
    publish(bob, "#cats")
    for page, feed in (("/@bob/", FEEDS[0]), ("/tags/cats/", FEEDS[1])):
        html = client.get(page).content.decode()
        assert '<link rel="alternate" type="application/atom+xml"' in html
        assert f'href="{feed.replace("@", "%40")}"' in html or f'href="{feed}"' in html
    set_private(uid=bob.pk, is_private=True)
    assert "atom+xml" not in client.get("/@bob/").content.decode()


def test_feeds_of_unknown_users_and_tags(client, bob):
    assert client.get("/@nobody/feed/").status_code == 404
    assert client.get("/tags/123/feed/").status_code == 404
    assert client.get("/@BOB/feed/")["Location"] == reverse("profile_feed", args=["bob"])
    assert client.get("/tags/CATS/feed/")["Location"] == "/tags/cats/feed/"
    assert contents(parsed(client.get("/tags/cats/feed/"))) == []


def test_polls_show_their_choices(client, bob):
    publish_poll(bob, "Tea & <b>", "Coffee", text="#cats: tea or coffee?")
    for path in FEEDS:
        (content,) = contents(parsed(client.get(path)))
        assert content.endswith("<ul><li>Tea &amp; &lt;b&gt;</li><li>Coffee</li></ul>")
