"""Hidden posts do not push visible posts off a viewer's page."""

import pytest
from django.core.cache import cache

from accounts.infra.cursors import PageBounds
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private
from feed.models import Post
from feed.selectors.post_pages import READ_FACTORS, attribute_page
from feed.selectors.tags import tags_with_prefix
from feed.selectors.trends import trending_posts
from feed.services.user_lists import choose_lists, create_list
from feed.store import posts as stored_posts
from feed.store.collections import posts
from tests.actions import bookmark_post, like_post, share_post
from tests.api.api_client import Api, link
from tests.factories import follow, people, publish, publish_many

pytestmark = pytest.mark.usefixtures("every_cache")

LIMIT, HIDDEN = 2, 6
"""The page size and the number of hidden posts. The first query of a page reads ``2 * LIMIT + 1`` posts, so
it finds only hidden posts."""


@pytest.fixture(autouse=True)
def short_pages(settings):
    settings.FEED_PAGE_SIZE = LIMIT


@pytest.fixture
def crowded(alice, bob):
    """Publish a post by alice about #cats, then posts by bob, and hide bob's posts by making bob private.

    Return the id of alice's post.
    """
    wanted = publish(alice, "My #cats")
    publish_many(bob, HIDDEN, "#cats")
    set_private(uid=bob.pk, is_private=True)
    return wanted


def entries(page):
    return [post.entry_id for post in page.posts]


@pytest.mark.parametrize(
    "path", ["/tags/cats/", "/tags/cats/feed/", "/search/?q=cats&type=posts", "/public/"]
)
def test_a_private_account_does_not_empty_pages(client, crowded, path):
    assert "My" in client.get(path, follow=True).content.decode()


def test_a_private_account_does_not_empty_the_lists_of_apps(carol, crowded):
    for path in ("timelines/tag/cats", "timelines/public"):
        assert [status["id"] for status in Api(carol).get(path, limit=LIMIT).json()] == [
            str(crowded)
        ]


def test_a_tag_whose_newest_posts_are_private_is_found(carol, crowded):
    assert tags_with_prefix(prefix="cat", viewer=carol.pk) == ["cats"]


def test_a_tag_that_only_private_posts_have_is_not_found(bob, carol):
    publish(bob, "#secret")
    set_private(uid=bob.pk, is_private=True)
    assert tags_with_prefix(prefix="secret", viewer=carol.pk) == []


def test_pages_in_both_directions_have_every_visible_post_once(alice, bob):
    wanted = []
    for _ in range(5):
        wanted.append(publish(alice, "#cats"))
        publish_many(bob, HIDDEN, "#cats")
    set_private(uid=bob.pk, is_private=True)
    limit, about = 2, {"kind": "hashtag", "value": "cats", "viewer": None}
    down, page = [], attribute_page(**about, bounds=PageBounds(limit=limit))
    while True:
        down += entries(page)
        if page.older_cursor is None:
            break
        page = attribute_page(**about, bounds=PageBounds(limit, max_id=int(page.older_cursor)))
    assert down == wanted[::-1]
    up, page = [], attribute_page(**about, bounds=PageBounds(limit, min_id=1))
    while True:
        up += entries(page)[::-1]
        if page.newer_cursor is None:
            break
        page = attribute_page(**about, bounds=PageBounds(limit, min_id=int(page.newer_cursor)))
    assert up == wanted


def test_a_page_reads_a_bounded_number_of_posts_and_has_a_cursor(alice, bob, record_commands):
    wanted = publish(alice, "#cats")
    publish_many(bob, 70, "#cats")
    set_private(uid=bob.pk, is_private=True)
    limit, about = 1, {"kind": "hashtag", "value": "cats", "viewer": None}
    with record_commands() as commands:
        page = attribute_page(**about, bounds=PageBounds(limit=limit))
    assert entries(page) == []
    assert len(commands) <= 3 * len(READ_FACTORS)
    assert entries(
        attribute_page(**about, bounds=PageBounds(limit, max_id=int(page.older_cursor)))
    ) == [wanted]


def test_a_page_without_hidden_posts_reads_once(alice, record_commands):
    publish_many(alice, 60, "#cats")
    limit, about = 20, {"kind": "hashtag", "value": "cats", "viewer": None}
    with record_commands() as commands:
        page = attribute_page(**about, bounds=PageBounds(limit=limit))
    assert len(page.posts) == 20
    finds = [
        command for name, command in commands if name == "find" and command["find"] == "feed_post"
    ]
    assert len(finds) == 1


def test_direct_posts_of_a_blocked_author_do_not_empty_conversations(alice, bob, carol):
    wanted = publish(alice, "@bob hello", "direct")
    for number in range(HIDDEN):
        publish(carol, f"@bob {number}", "direct")
    block_user(owner=bob.pk, other=carol.pk)
    answer = Api(bob).get("conversations", limit=LIMIT)
    assert [conversation["id"] for conversation in answer.json()] == [str(wanted)]
    assert link(answer, "next") is None


def test_hidden_posts_do_not_empty_a_list(alice, bob, carol):
    wanted = publish(bob, "visible")
    shared = publish_many(carol, HIDDEN)
    for post in shared:
        share_post(post_id=post, actor=bob)
    set_private(uid=carol.pk, is_private=True)
    follow(alice, bob)
    list_id = create_list(owner=alice, title="Friends")
    choose_lists(owner=alice, username="bob", list_ids={list_id})
    answer = Api(alice).get(f"timelines/list/{list_id}", limit=LIMIT)
    assert [status["id"] for status in answer.json()] == [str(wanted)]
    profile = Api(alice).get(f"accounts/{bob.pk}/statuses", limit=LIMIT)
    assert [status["id"] for status in profile.json()] == [str(wanted)]


@pytest.mark.parametrize("hide", ["private", "suspended", "limited"])
def test_hidden_posts_do_not_empty_the_trends(alice, bob, fans, hide):
    wanted = publish(alice, "wanted")
    for fan in fans[:2]:
        like_post(post_id=wanted, actor=fan)
    posts().update_many({"_id": {"$in": publish_many(bob, 40)}}, {"$set": {"likes": 3}})
    if hide == "private":
        set_private(uid=bob.pk, is_private=True)
    elif hide == "limited":
        set_limited(uid=bob.pk, is_limited=True)
    else:
        suspend_user(uid=bob.pk)
    cache.clear()
    assert entries_of(trending_posts(viewer=None)) == [wanted]


def entries_of(posts):
    return [post.entry_id for post in posts]


@pytest.fixture
def fans():
    return people(2)


def test_invisible_bookmarks_do_not_empty_the_page(alice, bob, carol):
    wanted = publish(bob, "wanted")
    bookmark_post(post_id=wanted, actor=alice)
    for post in publish_many(carol, HIDDEN):
        bookmark_post(post_id=post, actor=alice)
    set_private(uid=carol.pk, is_private=True)
    answer = Api(alice).get("bookmarks", limit=LIMIT)
    assert [status["id"] for status in answer.json()] == [str(wanted)]
    assert link(answer, "next") is None


def test_a_direct_post_to_a_blocking_user_is_refused(client, alice, bob, carol):
    block_user(owner=bob.pk, other=alice.pk)
    client.force_login(alice)
    response = client.post("/posts/", {"text": "@carol @bob hello", "visibility": "direct"})
    assert response.status_code == 422
    assert "You cannot send direct posts to @bob. Remove this mention." in response.content.decode()
    sent = Api(alice).post("statuses", status="@bob hello", visibility="direct")
    assert sent.status_code == 422
    assert sent.json() == {"error": "You cannot send direct posts to @bob. Remove this mention."}
    assert not Post.objects.exists()


def test_an_edit_cannot_add_a_blocking_user_to_a_direct_post(client, alice, bob, carol):
    post = publish(alice, "@carol hello", "direct")
    block_user(owner=bob.pk, other=alice.pk)
    client.force_login(alice)
    edited = client.post(f"/posts/{post}/edit/", {"text": "@carol @bob hello"})
    assert edited.status_code == 422
    assert Post.objects.get().recipients == [carol.pk]


def test_an_author_can_edit_after_a_recipient_blocks_them(client, alice, bob):
    post = publish(alice, "@bob hello", "direct")
    block_user(owner=bob.pk, other=alice.pk)
    client.force_login(alice)
    assert client.post(f"/posts/{post}/edit/", {"text": "@bob hello!"}).status_code == 302


def test_hidden_posts_are_neither_cursors_nor_further_pages(alice, bob):
    """A full page ends with a visible post, and nothing says that only hidden posts follow."""
    set_private(uid=bob.pk, is_private=True)
    publish_many(bob, HIDDEN, "#cats")
    oldest, *others = publish_many(alice, LIMIT + 1, "#cats")
    api = Api()
    for path in ("timelines/tag/cats", "timelines/public"):
        first = api.get(path, limit=LIMIT)
        assert f"max_id={others[0]}" in link(first, "next")
        assert "max_id" not in str(link(api.get(path, limit=LIMIT, max_id=others[1]), "next"))
        last = api.get(path, limit=LIMIT, max_id=others[0])
        assert [status["id"] for status in last.json()] == [str(oldest)]
        assert link(last, "next") is None


def test_a_profile_counts_neither_removed_nor_pending_posts(alice, bob):
    posts_of_alice = publish_many(alice, 3)
    share_post(post_id=publish(bob), actor=alice)
    publish(alice, "For followers", "followers")
    Post.objects.filter(pk=posts_of_alice[0]).update(hidden="removed")
    Post.objects.filter(pk=posts_of_alice[1]).update(hidden="pending")
    assert Api(bob).get(f"accounts/{alice.pk}").json()["statuses_count"] == 2


def test_the_last_post_of_a_profile_is_a_visible_one(alice, bob):
    first, last = publish_many(alice, 2)
    Post.objects.filter(pk=last).update(hidden="removed")
    assert stored_posts.post_counts(authors=[alice.pk, bob.pk]) == {alice.pk: (1, first)}
