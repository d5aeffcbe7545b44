"""Posts and comments that are hidden from every page and restored."""

import threading

import pytest

from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.selectors.relationships import relationships
from feed import picture_files, signals
from feed.models import Post
from feed.selectors.tags import trending_tags
from feed.selectors.user_counts import clear_cached_counts
from feed.selectors.visible_posts import visible_post
from feed.services.interactions import unlike_post
from feed.services.moderation import (
    VISIBLE,
    hide_comment,
    restore_comment,
    set_post_hidden,
    set_post_sensitive,
)
from feed.services.posts import delete_post
from feed.timeline.home import home_page
from tests.actions import (
    bookmark_post,
    delete_comment,
    like_comment,
    like_post,
    pin_post,
    share_post,
)
from tests.every_page import differences, every_page, with_words
from tests.factories import UserFactory, follow, publish
from tests.uploads import picture

from . import picture_uploads
from .comment_helpers import ids, page, say, stored_comments

REMOVED, PENDING = Post.Hidden.REMOVED, Post.Hidden.PENDING


@pytest.fixture
def discussed_post(alice, bob, carol):
    """Publish a post by bob that others share, like, bookmark, pin and comment on."""
    follow(alice, bob)
    follow(carol, alice)
    publish(bob, "an older one")
    post = publish(bob, "the words in question #tea @alice")
    publish(bob, "a newer one #tea")
    share_post(post_id=post, actor=alice)
    like_post(post_id=post, actor=carol)
    bookmark_post(post_id=post, actor=carol)
    pin_post(post_id=post, actor=bob)
    say(post, carol, "what carol answered")
    return post


# Tests that compare all pages leave this page out, because opening it marks hidden notifications as read.
NOTIFICATIONS = "/notifications/"


@pytest.mark.slow
def test_a_removed_post_and_a_removed_comment_are_on_no_page_until_restored(
    alice, bob, carol, discussed_post
):
    other = publish(bob, "what is discussed next #tea")
    comment = say(other, bob, "a word of bob")
    like_comment(post_id=other, comment_id=comment, actor=alice)
    say(other, carol, "a reply to bob", parent=comment)
    say(other, alice, "the last word")

    def all_pages(*left_out):
        return every_page(
            but=left_out,
            viewers=[bob, carol, None],
            people=[alice, bob, carol],
            posts=[(bob, discussed_post), (bob, other)],
            further=["/tags/tea/feed/", f"/@bob/{other}/comments/{comment}/"],
        )

    before, comments_before = all_pages(), stored_comments(other)
    assert len(with_words(before, "in question")) > 20
    assert with_words(before, "a word of bob")
    assert set_post_hidden(post_id=discussed_post, state=REMOVED) == ""
    assert set_post_hidden(post_id=discussed_post, state=REMOVED) == REMOVED
    assert hide_comment(post_id=other, comment_id=comment)
    assert not hide_comment(post_id=other, comment_id=comment)
    stored_comments(other)
    during = all_pages(NOTIFICATIONS)
    assert with_words(during, "in question") == set()
    assert with_words(during, "a word of bob") == set()
    assert with_words(during, "what is discussed next")
    assert during["carol", f"/@bob/{discussed_post}/"][0] == 404
    assert during["bob", f"/@bob/{discussed_post}/"][0] == 404
    assert set_post_hidden(post_id=discussed_post, state=VISIBLE) == REMOVED
    assert restore_comment(post_id=other, comment_id=comment)
    assert not restore_comment(post_id=other, comment_id=comment)
    assert stored_comments(other) == comments_before
    clear_cached_counts(uid=bob.pk)  # the number of posts may be a minute old
    assert differences(before, all_pages()) == {}


def test_notifications_of_a_removed_post_are_hidden_until_it_is_restored(
    client, alice, discussed_post
):
    client.force_login(alice)
    is_shown = [("in question" in client.get(NOTIFICATIONS).content.decode())]
    for hidden in (REMOVED, VISIBLE):
        set_post_hidden(post_id=discussed_post, state=hidden)
        is_shown.append("in question" in client.get(NOTIFICATIONS).content.decode())
    assert is_shown == [True, False, True]


def test_changes_while_a_post_is_removed_are_visible_after_restoring(
    alice, bob, carol, discussed_post
):
    set_post_hidden(post_id=discussed_post, state=REMOVED)
    unlike_post(post_id=discussed_post, actor=carol)
    follow(carol, bob)
    set_post_hidden(post_id=discussed_post, state=VISIBLE)
    assert visible_post(post_id=discussed_post, viewer=carol.pk).row.likes == 0
    home = home_page(viewer=carol.pk, bounds=PageBounds(limit=20))
    assert discussed_post in [post.id for post in home.posts]


def test_a_removed_post_accepts_no_actions(client, alice, bob, discussed_post):
    set_post_hidden(post_id=discussed_post, state=REMOVED)
    for actor, paths in ((alice, ("like", "share", "bookmark")), (bob, ("edit", "delete", "pin"))):
        client.force_login(actor)
        for path in paths:
            answer = client.post(f"/posts/{discussed_post}/{path}/", {"text": "changed"})
            assert answer.status_code == 404, path
    assert Post.objects.get(pk=discussed_post).text == "the words in question #tea @alice"


def test_a_removed_post_does_not_count_for_trends(alice, bob, carol):
    for author in (alice, bob):
        publish(author, "the #kettle boils")
    post = publish(carol, "my #kettle too")
    set_post_hidden(post_id=post, state=REMOVED)
    assert [tag.user_count for tag in trending_tags()] == [2]


def test_a_restored_post_counts_for_trends_again(alice, bob):
    publish(alice, "the #kettle boils")
    post = publish(bob, "my #kettle too")
    set_post_hidden(post_id=post, state=REMOVED)
    set_post_hidden(post_id=post, state=VISIBLE)
    assert [tag.user_count for tag in trending_tags()] == [2]


def test_pictures_of_a_removed_post_are_not_served_until_it_is_restored(client, alice):
    client.force_login(alice)
    post = picture_uploads.publish(client, picture("PNG"))
    addresses = [
        f"/media/pictures/{post.media[0]['name']}-{size}.webp" for size in ("small", "large")
    ]
    set_post_hidden(post_id=post.pk, state=REMOVED)
    assert [client.get(address).status_code for address in addresses] == [404, 404]
    set_post_hidden(post_id=post.pk, state=VISIBLE)
    set_post_hidden(post_id=post.pk, state=VISIBLE)
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200
        assert b"".join(answer.streaming_content)


def test_deleting_a_removed_post_deletes_its_picture_files(client, alice, admin_user):
    client.force_login(alice)
    post = picture_uploads.publish(client, picture("PNG"))
    set_post_hidden(post_id=post.pk, state=REMOVED)
    delete_post(post_id=post.pk, actor=admin_user)

    while picture_files.delete_discarded():
        pass
    folder = picture_uploads.FOLDER
    assert not [path for path in folder.parent.rglob("*") if post.media[0]["name"] in path.name]


def test_only_the_author_sees_a_post_pending_review(client, alice, bob, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    follow(bob, alice)
    published = []
    signals.post_published.connect(record := lambda post, **_: published.append(post), weak=False)
    try:
        post = publish(alice, "my very first @bob")
        assert published == []
        client.force_login(alice)
        assert "Only you see this until a moderator" in client.get("/").content.decode()
        client.force_login(bob)
        for path in ("/", "/public/", "/@alice/", "/notifications/"):
            assert "my very first" not in client.get(path).content.decode()
        set_post_hidden(post_id=post, state=VISIBLE)
        assert published == [post]
    finally:
        signals.post_published.disconnect(record)
    for path in ("/", "/public/", "/@alice/", "/notifications/"):
        assert "my very first" in client.get(path).content.decode(), path


def test_only_first_posts_need_review_and_direct_posts_never_do(alice, bob, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 2
    direct = publish(alice, "@bob hello", visibility="direct")
    first, second = publish(alice, "one"), publish(alice, "two")

    def states(*posts):
        return [Post.objects.get(pk=post).hidden for post in posts]

    assert states(direct, first, second) == ["", PENDING, PENDING]
    set_post_hidden(post_id=first, state=VISIBLE)
    assert states(publish(alice, "three")) == [PENDING]
    set_post_hidden(post_id=second, state=VISIBLE)
    assert states(publish(alice, "four")) == [""]


def test_removing_and_restoring_a_reply_updates_its_thread(alice, bob, discussed_post):
    first = say(discussed_post, bob, "a thread")
    reply = say(discussed_post, alice, "in it", parent=first)
    for change, expected_ids in ((hide_comment, []), (restore_comment, [reply])):
        assert change(post_id=discussed_post, comment_id=reply)
        assert stored_comments(discussed_post).get(first, []) == expected_ids


def test_a_deleted_comment_is_not_restored(alice, bob, discussed_post):
    comment = say(discussed_post, alice)
    delete_comment(post_id=discussed_post, comment_id=comment, actor=alice)
    assert not restore_comment(post_id=discussed_post, comment_id=comment)
    assert comment not in ids(page(discussed_post, bob))


def test_concurrent_removals_of_a_comment_count_once(alice, discussed_post):
    comment = say(discussed_post, alice)
    done = []

    def hide():
        done.append(hide_comment(post_id=discussed_post, comment_id=comment))

    threads = [threading.Thread(target=hide) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, False, True]
    stored_comments(discussed_post)


def test_a_sensitive_post_has_a_content_warning(client, alice, bob):
    post = publish(alice, "something to see")
    assert set_post_sensitive(post_id=post, is_sensitive=True)
    assert not set_post_sensitive(post_id=post, is_sensitive=True)
    assert visible_post(post_id=post, viewer=bob.pk).content_warning == "Sensitive"
    set_post_sensitive(post_id=post, is_sensitive=False)
    assert visible_post(post_id=post, viewer=bob.pk).content_warning == ""


@pytest.fixture
def limited(every_cache, bob):
    """Return a limited user. Only cards of users, not posts, differ between the caches."""
    User.objects.filter(pk=bob.pk).update(is_limited=True)
    return bob


@pytest.mark.slow
@pytest.mark.usefixtures("every_cache")
@pytest.mark.parametrize("every_cache", ["redis"], indirect=True)  # shares the names of users
def test_strangers_see_nothing_of_a_limited_user(alice, carol, bob, discussed_post):
    say(discussed_post, bob, "a comment by bob")
    post = publish(carol, "by carol")
    say(post, bob, "a comment by bob")
    further = ["/tags/tea/", f"/@carol/{post}/"]
    before = every_page(viewers=[alice, carol, None], people=[alice, bob, carol], further=further)
    User.objects.filter(pk=bob.pk).update(is_limited=True)
    during = every_page(
        viewers=[alice, carol, None],
        people=[alice, bob, carol],
        further=further,
        but=[NOTIFICATIONS],
    )
    for words in ("in question", "a newer one", "a comment by bob"):
        # Only alice follows bob, and a limited account stays visible to its followers.
        assert {viewer for viewer, _path in with_words(during, words)} == {"alice"}
    assert "Moderators have limited this account" in during["visitor", "/@bob/"][1]
    assert "Bob Brown" not in during["visitor", "/explore/people/"][1]
    for where in during:
        # Atom feeds show the view of anonymous visitors to all viewers, and Explore shows limited users to
        # nobody, so these pages may differ.
        if where[0] == "alice" and "/feed/" not in where[1] and where[1] != "/explore/":
            assert during[where] == before[where], where
    User.objects.filter(pk=bob.pk).update(is_limited=False)
    after = every_page(viewers=[alice, carol, None], people=[alice, bob, carol], further=further)
    assert differences(before, after) == {}


def test_a_limited_user_sees_their_own_posts(client, limited):
    post = publish(limited, "still here")
    client.force_login(limited)
    for path in ("/", "/public/", "/@bob/", f"/@bob/{post}/"):
        assert "still here" in client.get(path).content.decode(), path


def test_a_limited_user_does_not_notify_strangers(client, alice, limited):
    post = publish(alice)
    like_post(post_id=post, actor=limited)
    publish(limited, "hello @alice")
    client.force_login(alice)
    assert "Bob Brown" not in client.get("/notifications/").content.decode()


def test_followers_see_the_posts_of_a_limited_user(client, carol, limited):
    post = publish(limited, "for followers now")
    uid = limited.pk
    assert uid in relationships(viewer=carol.pk, uids=[uid]).unavailable
    follow(carol, limited)
    assert uid not in relationships(viewer=carol.pk, uids=[uid]).unavailable
    client.force_login(carol)
    assert client.get(f"/@bob/{post}/").status_code == 200


def test_a_limited_user_can_request_to_follow(client, limited):
    dora = UserFactory(username="dora", is_private=True)
    follow(limited, dora)
    client.force_login(dora)
    assert "Bob Brown" in client.get("/requests/").content.decode()
