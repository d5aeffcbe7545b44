"""Trending hashtags: growth in the number of users counts, repeated use by one user does not."""

from datetime import timedelta

import pytest
from django.core.cache import cache, caches
from django.utils import timezone

from accounts.services.profiles import set_private
from feed.models import Post
from feed.selectors.tags import trending_tags
from feed.services.moderation import set_post_hidden
from feed.services.posts import delete_post
from feed.services.tags import update_tag_usage
from feed.store import stats, tags
from feed.store.collections import stat_hours, tag_authors
from socialsite.engine.cache import MongoCache
from tests.actions import edit_post
from tests.factories import follow, publish

from .reading_html import words

pytestmark = pytest.mark.usefixtures("every_cache")


def trending():
    cache.clear()
    return [(tag.tag, tag.user_count) for tag in trending_tags()]


def test_trends_count_users_and_not_posts(alice, bob, carol):
    for n in range(5):
        publish(alice, f"{n} #flood #shared")
    for author in (alice, bob, carol):
        publish(author, "#Three and #three")
    publish(bob, "#shared")
    assert trending() == [("three", 3), ("shared", 2)]


def test_an_hour_is_one_document_with_minutes(alice, bob):
    first = timezone.now().replace(minute=7)
    for author, at in ((alice, first), (bob, first.replace(minute=41))):
        post = Post(pk=author.pk, author=author)
        attributes = [{"kind": "hashtag", "value": "cats"}]
        update_tag_usage(
            post_id=post.pk, post=post, old_attributes=[], new_attributes=attributes, used_at=at
        )
    (hour,) = stat_hours().find({"subject": "#cats"})
    assert (hour["metric"], hour["total"]) == ("authors", 2)
    assert {minute: sum(seconds.values()) for minute, seconds in hour["minutes"].items()} == {
        "7": 1,
        "41": 1,
    }


@pytest.mark.parametrize("minute", [0, 30, 59])
def test_users_of_the_last_24_hours_are_counted(alice, minute):
    now = timezone.now().replace(minute=minute, second=30)
    for author, ago in enumerate([timedelta(0), timedelta(hours=23), timedelta(hours=24)]):
        tags.count_tags(post=author, author=author, hashtags=["cats"], at=now - ago)
    assert tags.trending_tags(now=now, min_authors=1, limit=5) == [("cats", 2)]
    assert tags.trending_tags(now=now + timedelta(hours=1), min_authors=1, limit=5) == [("cats", 1)]
    assert tags.trending_tags(now=now + timedelta(days=1), min_authors=1, limit=5) == []


def add_tag_usage(tag, now, hours):
    """Count uses of a tag. ``hours`` maps an age in hours to the number of users in that hour."""
    stats.add_counts(
        counts={
            (tags.subject(tag), tags.METRIC, now - timedelta(hours=ago)): number
            for ago, number in hours.items()
        }
    )


def test_a_tag_is_compared_with_its_own_past():
    now = timezone.now()
    add_tag_usage("always", now, dict.fromkeys(range(168), 20))
    add_tag_usage("new", now, {0: 3, 1: 2})
    add_tag_usage("rising", now, {0: 120} | dict.fromkeys(range(24, 168), 5))
    add_tag_usage("fading", now, {0: 2} | dict.fromkeys(range(24, 168), 9))
    assert tags.trending_tags(now=now, min_authors=2, limit=5) == [("rising", 120), ("new", 5)]


def test_a_use_counts_half_after_six_hours():
    now = timezone.now()
    add_tag_usage("older", now, {6: 10})
    add_tag_usage("newer", now, {0: 6})
    add_tag_usage("newest", now, {0: 4})
    assert [tag for tag, _ in tags.trending_tags(now=now, min_authors=2, limit=5)] == [
        "newer",
        "older",
        "newest",
    ]


def test_deleted_and_edited_out_tags_do_not_count(alice, bob, carol):
    for author in (alice, bob, carol):
        publish(author, "#cats #dogs")
    deleted = Post.objects.get(author=bob)
    delete_post(post_id=deleted.pk, actor=bob)
    edited = Post.objects.get(author=carol)
    edit_post(post_id=edited.pk, actor=carol, text="#dogs only")
    assert trending() == [("dogs", 2)]
    publish(bob, "#cats once more")
    assert trending() == [("cats", 2), ("dogs", 2)]


def test_another_post_of_the_day_counts_instead_of_a_deleted_one(alice, bob):
    posts = [publish(alice, f"#cats {n}") for n in range(3)]
    publish(bob, "#cats")
    delete_post(post_id=posts[0], actor=alice)
    assert trending() == [("cats", 2)]
    edit_post(post_id=posts[1], actor=alice, text="about dogs")
    assert trending() == [("cats", 2)]
    set_post_hidden(post_id=posts[2], state="removed")
    assert tag_authors().count_documents({"author": alice.pk}) == 0
    set_post_hidden(post_id=posts[2], state="")
    assert trending() == [("cats", 2)]
    delete_post(post_id=posts[2], actor=alice)
    assert trending() == []


def test_a_tag_of_a_post_counts_once(alice, bob):
    post = publish(alice, "#cats")
    publish(bob, "#cats")
    tags.count_tags(post=post, author=alice.pk, hashtags=["cats"], at=timezone.now())
    assert trending() == [("cats", 2)]
    for _ in range(2):
        tags.uncount_tags(post=post, author=alice.pk, hashtags=["cats"])
    assert tags.trending_tags(now=timezone.now(), min_authors=1, limit=5) == [("cats", 1)]


def test_posts_that_are_not_public_do_not_count(alice, bob, carol):
    set_private(uid=carol.pk, is_private=True)
    follow(alice, bob)
    for visibility in ("unlisted", "followers", "direct"):
        publish(bob, "@alice #cats", visibility)
        publish(alice, "@bob #cats", visibility)
    publish(carol, "#cats")
    assert tag_authors().count_documents({}) == 0
    assert trending() == []


def test_a_post_is_published_even_if_counting_tags_fails(alice, monkeypatch, caplog):
    def broken(**_):
        raise RuntimeError("no")

    monkeypatch.setattr(tags, "count_tags", broken)
    post = publish(alice, "#cats")
    assert Post.objects.filter(pk=post).exists()
    assert "were not counted" in caplog.text


def test_a_post_without_hashtags_costs_no_extra_command(alice, record_commands):
    publish(alice, "plain")
    with record_commands() as plain:
        publish(alice, "plain")
    with record_commands() as tagged:
        publish(alice, "#one #two #three")
    assert not any("tag" in str(command.get(name)) for name, command in plain)
    assert len(tagged) == len(plain) + 4  # one read of the author's privacy and three writes


def test_trends_show_the_number_of_users_and_are_cached(client, alice, bob, record_commands):
    for author in (alice, bob):
        publish(author, "#cats")
    for path in ("/explore/tags/", "/search/"):
        page = client.get(path).content.decode()
        assert "#cats 2 people today" in words(page)
        assert 'href="/tags/cats/"' in page
    with record_commands() as commands:
        client.get("/explore/tags/")
    is_in_database = isinstance(caches["default"], MongoCache)
    assert [command["find"] for _, command in commands] == ["cache"] * 2 * is_in_database


def test_the_side_column_is_only_for_htmx(client, alice, bob):
    for author in (alice, bob):
        publish(author, "#cats")
    assert client.get("/beside/")["Location"] == "/explore/people/"
    response = client.get("/beside/", headers={"HX-Request": "true"}).content.decode()
    assert "#cats" in words(response)
    assert "<html" not in response


def test_trends_of_a_large_site_need_two_bounded_commands(monkeypatch, record_commands):
    monkeypatch.setattr(tags, "MAX_HOURS_READ", 40)
    monkeypatch.setattr(tags, "MAX_CANDIDATES", 2)
    now = timezone.now()
    for n in range(30):
        result = [f"tag{n}", "busy"] if n < 12 else [f"tag{n}"]
        tags.count_tags(post=n, author=n, hashtags=result, at=now)
    with record_commands() as commands:
        result = tags.trending_tags(now=now, min_authors=1, limit=5)
    assert result == [("busy", 12), ("tag0", 1)]
    assert [name for name, _ in commands] == ["aggregate", "find"]
