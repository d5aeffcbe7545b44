"""Explore: the posts, hashtags, people and links that are active now, as each viewer may see them."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts import user_cards
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private
from feed.attributes import attributes_of
from feed.models import Post
from feed.selectors import trends
from feed.selectors.trends import trending_links, trending_posts
from feed.services.moderation import set_post_hidden
from feed.services.tags import follow_tag
from feed.store import active_posts, stats, tags
from tests.actions import publish_post
from tests.factories import follow, people, publish_many

from .reading_html import words

pytestmark = pytest.mark.usefixtures("every_cache")

TABS = ("/explore/", "/explore/tags/", "/explore/people/", "/explore/links/")


def active(viewer=None):
    """Return the texts of the active posts."""
    cache.clear()
    return [post.text for post in trending_posts(viewer=viewer.pk if viewer else None)]


def links(viewer=None):
    """Return (host, url, number of users) of the trending links."""
    cache.clear()
    trends = trending_links(viewer=viewer.pk if viewer else None)
    return [(link.host, link.url, link.user_count) for link in trends]


def liked(author, text, likers=(), *, hours_ago=0, **fields):
    """Insert a post with likes. Return its id. One database command."""
    (post,) = Post.objects.bulk_create(
        [
            Post(
                author=author,
                text=text,
                attributes=attributes_of(text=text),
                likes=len(likers),
                newest_likers=[liker.pk for liker in likers[-2:]],
                created_at=timezone.now() - timedelta(hours=hours_ago),
                delivery_state=Post.DeliveryState.DONE,
                **fields,
            )
        ]
    )
    return post.pk


def link_post(author, url):
    host = url.split("/")[2]
    return publish_post(author=author.pk, text="", kind="link", details={"url": url, "host": host})


def count_tags(authors_by_tag):
    """Count this many authors of each hashtag now."""
    now = timezone.now()
    stats.add_counts(
        counts={
            (tags.subject(tag), tags.METRIC, now): number for tag, number in authors_by_tag.items()
        }
    )


@pytest.fixture
def fans():
    return people(8, "fan")


def test_likes_count_half_after_twelve_hours(alice, bob, carol, fans):
    liked(alice, "older", fans[:6], hours_ago=24)
    liked(bob, "newer", fans[:2])
    liked(carol, "yesterday", fans[:7], hours_ago=24)
    assert active() == ["newer", "yesterday", "older"]


def test_posts_need_likes_or_shares_of_two_users(alice, bob, carol, fans):
    liked(alice, "one like", fans[:1])
    post = liked(bob, "two likes", fans[:2])
    liked(carol, "a quarrel", comments=8)
    assert active() == ["two likes"]
    Post.objects.filter(pk=post).update(comments=500)
    liked(alice, "four likes", fans[:4])
    liked(carol, "five likes", fans[:5])
    assert active() == ["five likes", "four likes", "two likes"], "comments count at most as likes"


def test_an_author_has_at_most_two_posts(alice, bob, fans):
    for n in range(4):
        liked(alice, f"alice {n}", fans[: 8 - n])
    liked(bob, "bob", fans[:2])
    assert active() == ["alice 0", "alice 1", "bob"]


def test_old_posts_are_not_active(alice, fans, monkeypatch):
    liked(alice, "old", fans)
    assert active() == ["old"]
    monkeypatch.setattr(trends, "ACTIVE_POSTS_PERIOD", -timedelta(minutes=1))
    assert active() == []


def test_only_public_posts_of_discoverable_authors_are_shown(alice, bob, fans):
    private, limited, suspended, muted, blocked, blocking, hidden, fine = people(8, "author")
    for author in (private, limited, suspended, muted, blocked, blocking, hidden, fine):
        post = liked(author, author.username, fans[:3])
        if author is hidden:
            set_post_hidden(post_id=post, state=Post.Hidden.REMOVED)
    follow(alice, private, limited)
    for visibility in ("unlisted", "followers"):
        liked(bob, visibility, fans, visibility=visibility)
    assert len(active(alice)) == 7
    set_private(uid=private.pk, is_private=True)
    set_limited(uid=limited.pk, is_limited=True)
    suspend_user(uid=suspended.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    block_user(owner=alice.pk, other=blocked.pk)
    block_user(owner=blocking.pk, other=alice.pk)
    assert active(alice) == ["author7"], "even if the viewer follows the private author"
    assert set(active()) == {"author3", "author4", "author5", "author7"}


def test_hosts_that_two_users_link_to_trend_with_their_most_shared_address(alice, bob, carol):
    for author in (alice, bob, carol):
        link_post(author, "https://news.example.org/story#part")
    liked(alice, "Again https://news.example.org/other and https://alone.example.net/")
    liked(alice, "The same www.example.com/a/")
    liked(bob, "http://example.com/b")
    assert links() == [
        ("news.example.org", "https://news.example.org/story", 3),
        ("example.com", "http://example.com/b", 2),
    ]


def test_links_to_this_site_do_not_trend(alice, bob, settings):
    settings.SITE_URL = "https://example.org"
    for author in (alice, bob):
        liked(author, "https://example.org/@alice/ and https://example.net/")
    assert [host for host, _url, _count in links()] == ["example.net"]


def test_links_of_hidden_users_do_not_count(alice, bob, carol):
    fourth, *_ = people(1)
    for author in (bob, carol, fourth):
        link_post(author, "https://news.example/story")
    link_post(carol, "https://news.example/only-carol")
    assert links(alice)[0][2] == 3
    block_user(owner=alice.pk, other=carol.pk)
    assert links(alice) == [("news.example", "https://news.example/story", 2)]
    set_private(uid=fourth.pk, is_private=True)
    follow(alice, fourth)
    assert links(alice) == []
    assert links(carol)[0][2] == 2


def test_cached_rankings_show_nothing_that_was_hidden_since(alice, bob, carol, fans):
    liked(bob, "bob", fans[:3])
    for author in (bob, carol):
        link_post(author, "https://news.example/story")
    assert active(alice) == ["bob"]
    assert len(links(alice)) == 1
    active(alice)
    block_user(owner=bob.pk, other=alice.pk)
    assert [post.text for post in trending_posts(viewer=alice.pk)] == []
    trending_links(viewer=None)
    assert trending_links(viewer=alice.pk) == ()


def test_a_ranking_examines_a_bounded_number_of_posts(alice, bob, fans, monkeypatch):
    liked(alice, "beyond", fans)
    monkeypatch.setattr(active_posts, "MAX_EXAMINED", 3)
    publish_many(bob, 3)
    assert active() == []


@pytest.mark.parametrize("viewer", ["alice", "nobody"])
@pytest.mark.parametrize("path", TABS)
def test_a_tab_costs_the_same_for_few_and_for_many_rows(
    client, alice, bob, carol, fans, record_commands, path, viewer
):
    def commands(*, is_cached):
        if not is_cached:
            cache.clear()
        user_cards.clear_cards()
        with record_commands() as recorded:
            assert client.get(path).status_code == 200
        return [(name, command.get(name)) for name, command in recorded]

    if viewer == "alice":
        follow(alice, bob)
        follow(bob, carol)
        follow_tag(uid=alice.pk, tag="tea")
        client.force_login(alice)
    for author in (bob, carol):
        liked(author, f"{author} likes #tea https://example.org/story", fans[:2])
    count_tags({"tea": 2})
    commands(is_cached=False)
    few = commands(is_cached=False), commands(is_cached=True)
    for number, author in enumerate(fans):
        text = f"{author} likes #tea #tag{number // 2} https://host{number // 2}.example.org/story"
        liked(author, text, fans[:3])
    count_tags({f"tag{number}": 2 for number in range(4)})
    many = commands(is_cached=False), commands(is_cached=True)
    assert many == few
    assert len(many[1]) <= (14 if viewer == "alice" else 8)


@pytest.mark.parametrize("path", TABS)
def test_an_empty_site_says_what_will_appear(client, path):
    response = client.get(path)
    assert response.status_code == 200
    assert "appear here" in words(response.content.decode())


def test_pages_show_the_active_rows(client, alice, bob, fans):
    for author in (alice, bob):
        liked(author, f"{author} drinks #tea https://example.org/story", fans[:2])
    count_tags({"tea": 2})
    assert "alice drinks" in words(client.get("/explore/").content.decode())
    assert "#tea 2 people today" in words(client.get("/explore/tags/").content.decode())
    page = client.get("/explore/links/").content.decode()
    assert "example.org 2 people this week" in words(page)
    assert 'href="/links/?to=example.org"' in page
    assert 'href="https://example.org/story" rel="nofollow noopener noreferrer"' in page
    people_page = words(client.get("/explore/people/").content.decode())
    assert "Alice Adams @alice Follow Alice Adams New and active here" in people_page


def test_tags_of_the_week_are_listed_below_the_trends(client, alice, bob):
    now = timezone.now()
    for author in (alice, bob):
        tags.count_tags(post=1, author=author.pk, hashtags=["old"], at=now - timedelta(days=3))
        tags.count_tags(post=1, author=author.pk, hashtags=["new"], at=now)
    tags.count_tags(post=1, author=alice.pk, hashtags=["alone"], at=now)
    response = client.get("/explore/tags/")
    assert [trend.tag for trend in response.context["trends"]] == ["new"]
    assert [tag.tag for tag in response.context["active_tags"]] == ["old"]
