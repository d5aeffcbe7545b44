"""Hide posts and comments from every page and restore them."""

import threading

import pytest

from accounts.models import User
from accounts.selectors.relationships import relationships
from feed import picture_files, signals
from feed.models import Post
from feed.selectors.lists import visible_post
from feed.selectors.tags import trending_tags
from feed.services.likes import unlike_post
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
from .comment_helpers import held, ids, page, say

REMOVED, HELD = Post.Hidden.REMOVED, Post.Hidden.HELD


@pytest.fixture
def talk(alice, bob, carol):
    """bob's post, in the middle of what people do with posts."""
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


# To open it marks what cannot be shown there as read: that would change what is compared.
NOTIFICATIONS = "/notifications/"


def everything(alice, bob, carol, post, *further, but=()):
    return every_page(
        but=but,
        viewers=[alice, bob, carol, None],
        people=[alice, bob, carol],
        posts=[(bob, post)],
        further=["/tags/tea/feed/", *further],
    )


@pytest.mark.slow
def test_a_removed_post_is_on_no_page_and_comes_back_to_all_of_them(alice, bob, carol, talk):
    before = everything(alice, bob, carol, talk)
    assert len(with_words(before, "in question")) > 20
    assert set_post_hidden(post_id=talk, state=REMOVED) == ""
    assert set_post_hidden(post_id=talk, state=REMOVED) == REMOVED
    during = everything(alice, bob, carol, talk, but=[NOTIFICATIONS])
    assert with_words(during, "in question") == set()
    assert during["alice", f"/@bob/{talk}/"][0] == 404
    assert during["bob", f"/@bob/{talk}/"][0] == 404
    assert set_post_hidden(post_id=talk, state=VISIBLE) == REMOVED
    assert differences(before, everything(alice, bob, carol, talk)) == {}


def test_notifications_of_a_removed_post_are_not_shown_until_it_is_back(client, alice, talk):
    client.force_login(alice)
    existing = [("in question" in client.get(NOTIFICATIONS).content.decode())]
    for hidden in (REMOVED, VISIBLE):
        set_post_hidden(post_id=talk, state=hidden)
        existing.append("in question" in client.get(NOTIFICATIONS).content.decode())
    assert existing == [True, False, True]


def test_what_happens_while_a_post_is_removed_is_there_when_it_is_back(alice, bob, carol, talk):
    set_post_hidden(post_id=talk, state=REMOVED)
    unlike_post(post_id=talk, actor=carol)
    follow(carol, bob)
    set_post_hidden(post_id=talk, state=VISIBLE)
    assert visible_post(post_id=talk, viewer=carol.pk).likes == 0
    home = home_page(viewer=carol.pk, limit=20)
    assert talk in [post.id for post in home.posts]


def test_nobody_acts_on_a_removed_post(client, alice, bob, talk):
    set_post_hidden(post_id=talk, state=REMOVED)
    for actor, paths in ((alice, ("like", "share", "bookmark")), (bob, ("edit", "delete", "pin"))):
        client.force_login(actor)
        for path in paths:
            answer = client.post(f"/posts/{talk}/{path}/", {"text": "changed"})
            assert answer.status_code == 404, path
    assert Post.objects.get(pk=talk).text == "the words in question #tea @alice"


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


def test_pictures_of_a_removed_post_are_served_no_more_until_it_is_back(client, alice):
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


def test_files_of_pictures_are_deleted_also_while_they_are_withheld(client, alice, admin_user):
    client.force_login(alice)
    post = picture_uploads.publish(client, picture("PNG"))
    set_post_hidden(post_id=post.pk, state=REMOVED)
    delete_post(post_id=post.pk, actor=admin_user)

    while picture_files.delete_discarded():
        pass
    folder = picture_uploads.FOLDER
    assert not [path for path in folder.parent.rglob("*") if post.media[0]["name"] in path.name]


def test_a_held_post_is_seen_by_its_author_alone_and_says_so(client, alice, bob, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    follow(bob, alice)
    heard = []
    signals.post_published.connect(note := lambda post, **_: heard.append(post), weak=False)
    try:
        post = publish(alice, "my very first @bob")
        assert heard == []
        client.force_login(alice)
        assert "Only you see this until a moderator" in client.get("/").content.decode()
        client.force_login(bob)
        for path in ("/", "/public/", "/@alice/", "/notifications/"):
            assert "my very first" not in client.get(path).content.decode()
        set_post_hidden(post_id=post, state=VISIBLE)
        assert heard == [post]
    finally:
        signals.post_published.disconnect(note)
    for path in ("/", "/public/", "/@alice/", "/notifications/"):
        assert "my very first" in client.get(path).content.decode(), path


def test_only_the_first_posts_are_held_and_never_those_to_single_people(alice, bob, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 2
    direct = publish(alice, "@bob hello", visibility="direct")
    first, second = publish(alice, "one"), publish(alice, "two")

    def states(*posts):
        return [Post.objects.get(pk=post).hidden for post in posts]

    assert states(direct, first, second) == ["", HELD, HELD]
    set_post_hidden(post_id=first, state=VISIBLE)
    assert states(publish(alice, "three")) == [HELD]
    set_post_hidden(post_id=second, state=VISIBLE)
    assert states(publish(alice, "four")) == [""]


@pytest.mark.slow
def test_a_removed_comment_is_on_no_page_and_comes_back_to_its_place(alice, bob, carol, talk):
    first = say(talk, bob, "a word of bob")
    like_comment(post_id=talk, comment_id=first, actor=alice)
    say(talk, carol, "a reply to bob", parent=first)
    say(talk, alice, "the last word")
    thread = f"/@bob/{talk}/comments/{first}/"
    before = everything(alice, bob, carol, talk, thread)
    whole = held(talk)
    assert with_words(before, "a word of bob")
    assert hide_comment(post_id=talk, comment_id=first)
    assert not hide_comment(post_id=talk, comment_id=first)
    held(talk)
    during = everything(alice, bob, carol, talk, thread, but=[NOTIFICATIONS])
    assert with_words(during, "a word of bob") == set()
    assert restore_comment(post_id=talk, comment_id=first)
    assert not restore_comment(post_id=talk, comment_id=first)
    assert held(talk) == whole
    assert differences(before, everything(alice, bob, carol, talk, thread)) == {}


def test_a_removed_reply_leaves_the_count_of_its_thread_right(alice, bob, talk):
    first = say(talk, bob, "a thread")
    reply = say(talk, alice, "in it", parent=first)
    for change, existing in ((hide_comment, []), (restore_comment, [reply])):
        assert change(post_id=talk, comment_id=reply)
        assert held(talk).get(first, []) == existing


def test_a_deleted_comment_is_not_restored(alice, bob, talk):
    comment = say(talk, alice)
    delete_comment(post_id=talk, comment_id=comment, actor=alice)
    assert not restore_comment(post_id=talk, comment_id=comment)
    assert comment not in ids(page(talk, bob))


def test_two_who_hide_a_comment_at_once_count_it_once(alice, talk):
    comment = say(talk, alice)
    done = []

    def hide():
        done.append(hide_comment(post_id=talk, comment_id=comment))

    threads = [threading.Thread(target=hide) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, False, True]
    held(talk)


def test_a_post_marked_as_sensitive_hides_behind_a_warning(client, alice, bob):
    post = publish(alice, "something to see")
    assert set_post_sensitive(post_id=post, is_sensitive=True)
    assert not set_post_sensitive(post_id=post, is_sensitive=True)
    assert visible_post(post_id=post, viewer=bob.pk).content_warning == "Sensitive"
    set_post_sensitive(post_id=post, is_sensitive=False)
    assert visible_post(post_id=post, viewer=bob.pk).content_warning == ""


@pytest.fixture
def limited(bob):
    User.objects.filter(pk=bob.pk).update(is_limited=True)
    return bob


@pytest.mark.slow
def test_strangers_see_nothing_of_a_limited_person(alice, carol, bob, talk):
    say(talk, bob, "a comment by bob")
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
        assert {who for who, _path in with_words(during, words)} == {"alice"}  # who follows bob
    assert "Moderators have limited this account" in during["visitor", "/@bob/"][1]
    assert "Bob Brown" not in during["visitor", "/people/"][1]
    for where in during:
        if where[0] == "alice" and "/feed/" not in where[1]:  # feeds are for visitors
            assert during[where] == before[where], where
    User.objects.filter(pk=bob.pk).update(is_limited=False)
    after = every_page(viewers=[alice, carol, None], people=[alice, bob, carol], further=further)
    assert differences(before, after) == {}


def test_a_limited_person_sees_their_own_as_ever(client, limited):
    post = publish(limited, "still here")
    client.force_login(limited)
    for path in ("/", "/public/", "/@bob/", f"/@bob/{post}/"):
        assert "still here" in client.get(path).content.decode(), path


def test_who_does_not_follow_a_limited_person_is_not_told_of_what_they_do(client, alice, limited):
    post = publish(alice)
    like_post(post_id=post, actor=limited)
    publish(limited, "hello @alice")
    client.force_login(alice)
    assert "Bob Brown" not in client.get("/notifications/").content.decode()


def test_to_follow_a_limited_person_shows_what_they_write(client, carol, limited):
    post = publish(limited, "for followers now")
    uid = limited.pk
    assert uid in relationships(viewer=carol.pk, uids=[uid]).unavailable
    follow(carol, limited)
    assert uid not in relationships(viewer=carol.pk, uids=[uid]).unavailable
    client.force_login(carol)
    assert client.get(f"/@bob/{post}/").status_code == 200


def test_a_limited_stranger_still_asks_to_follow(client, limited):
    dora = UserFactory(username="dora", is_private=True)
    follow(limited, dora)
    client.force_login(dora)
    assert "Bob Brown" in client.get("/requests/").content.decode()
