"""Removed content disappears from every page, and undoing restores every page."""

import pytest

from accounts.profile_pictures import AVATAR, HEADER, save_picture
from feed.selectors.user_counts import clear_cached_counts
from feed.services.user_lists import choose_lists, create_list
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import comment_subject, post_subject, user_subject
from tests.actions import bookmark_post, like_post, pin_post, publish_post, share_post
from tests.every_page import differences, every_page, of_lists, of_post, with_words
from tests.factories import follow, publish
from tests.feed.comment_helpers import say

pytestmark = pytest.mark.slow

OLDER = "/notifications/older/"
POST_TEXT, COMMENT_TEXT, NAME = "buy my pills", "more pills over here", "Bob Brown"


class Scene:
    """A post by bob and his comment on a post by alice, on every kind of page."""

    def __init__(self, alice, bob, carol):
        self.alice, self.bob = alice, bob
        for kind in (AVATAR, HEADER):
            setattr(bob, kind.field, save_picture(kind=kind, uid=bob.pk, picture=b"a picture"))
        bob.save(update_fields=["avatar", "header"])
        follow(alice, bob)
        follow(bob, alice)
        follow(carol, alice)
        list_id = create_list(owner=alice, title="Pharmacies")
        choose_lists(owner=alice, username="bob", list_ids={list_id})
        self.post = publish_post(
            author=bob.pk,
            text=f"{POST_TEXT} #cheap @alice https://pills.com/now",
            kind="review",
            details={"title": "Pink pills", "item": "other", "stars": 5},
        )
        share_post(post_id=self.post, actor=alice)
        like_post(post_id=self.post, actor=carol)
        bookmark_post(post_id=self.post, actor=alice)
        pin_post(post_id=self.post, actor=bob)
        say(self.post, alice, "in it", parent=say(self.post, carol, "a thread"))
        self.alice_post = publish(alice, "something remarkable")
        self.comment = say(self.alice_post, bob, COMMENT_TEXT)
        say(self.alice_post, carol, "no more", parent=self.comment)

    def pages(self, but=()):
        # Bob is not a viewer. His pages differ, because he keeps the notification of an undone action.
        return every_page(
            viewers=[self.alice, None],
            people=[self.alice, self.bob],
            posts=[(self.bob, self.post), (self.alice, self.alice_post)],
            but=but,
        )

    def pages_with_new_counts(self):
        """Return all pages. Otherwise, counts may be those of a minute ago."""
        for user in (self.alice, self.bob):
            clear_cached_counts(uid=user.pk)
        return self.pages()

    def pages_without_notifications(self):
        """Return all pages but notifications. Opening notifications would mark hidden entries as read."""
        return self.pages(but=["/notifications/"])


@pytest.fixture
def scene(alice, bob, carol, monkeypatch):
    # Let the box hold one notification, so that the page of older notifications has content too.
    monkeypatch.setattr("notifications.store.expressions.BOX_SIZE", 1)
    return Scene(alice, bob, carol)


def paths(pages, text):
    return {path for _viewer, path in with_words(pages, text)}


def viewers(pages, text):
    return {viewer for viewer, _path in with_words(pages, text)}


def test_undoing_restores_a_post_and_a_comment(scene, moderator):
    before = scene.pages()
    about = set(of_post(scene.bob, scene.post)) - {f"/@bob/{scene.post}/likes/"}
    (listed, _edit) = of_lists(scene.alice)
    assert paths(before, POST_TEXT) >= about | {"/", "/@bob/", "/bookmarks/", listed, OLDER}
    assert {"/reviews/?of=other%3Apink%20pills", "/links/?to=pills.com"} < about
    at = f"/@alice/{scene.alice_post}/"
    thread = f"{at}comments/{scene.comment}/"
    assert paths(before, COMMENT_TEXT) >= {"/", "/public/", at, thread, OLDER}
    post = post_subject(post_id=scene.post)
    comment = comment_subject(post_id=scene.alice_post, comment_id=scene.comment)
    for kind, subjects in (("remove", [post, comment]), ("hold", [post]), ("sensitive", [post])):
        actions = [
            take_action(kind=kind, subject=subject, moderator=moderator) for subject in subjects
        ]
        during = scene.pages_without_notifications()
        is_visible = kind == "sensitive"
        for text in (POST_TEXT, "Pink pills", "a thread"):
            assert viewers(during, text) == ({"alice", "visitor"} if is_visible else set()), text
        assert ("Sensitive" in during["visitor", "/public/"][1]) == is_visible
        assert (with_words(during, COMMENT_TEXT) == set()) == (comment in subjects)
        assert "no more" in during["visitor", thread][1]
        for action in actions:
            assert undo_action(action=action, moderator=moderator)
            assert not undo_action(action=action, moderator=moderator)
    assert differences(before, scene.pages_with_new_counts()) == {}


def test_undoing_restores_a_user(scene, administrator):
    before = scene.pages()
    listed = set(of_lists(scene.alice))
    thread = f"/@alice/{scene.alice_post}/comments/{scene.comment}/"
    of_people = {f"/@alice/{name}/" for name in ("followers", "following")}
    assert paths(before, NAME) >= of_people | listed | {
        thread,
        OLDER,
        "/search/?q=bob",
        "/explore/people/",
    }
    pictures = [f"avatars/{scene.bob.avatar}", f"headers/{scene.bob.header}"]
    assert all("/@bob/" in paths(before, picture) for picture in pictures)
    subject = user_subject(uid=scene.bob.pk)
    for kinds in (["limit"], ["suspend"], ["rename", "avatar", "header"]):
        actions = [
            take_action(kind=kind, subject=subject, moderator=administrator) for kind in kinds
        ]
        scene.bob.refresh_from_db()
        during = scene.pages_without_notifications()
        if "limit" in kinds:
            assert viewers(during, POST_TEXT) == viewers(during, COMMENT_TEXT) == {"alice"}
        else:
            assert not any(with_words(during, words) for words in (NAME, *pictures))
        if "suspend" in kinds:
            assert with_words(during, POST_TEXT) | with_words(during, COMMENT_TEXT) == set()
            assert during["visitor", "/@bob/"][0] == 404
        if "rename" in kinds:
            assert scene.bob.name == scene.bob.username == f"person_{scene.bob.pk}"
        for action in actions:
            undo_action(action=action, moderator=administrator)
    scene.bob.refresh_from_db()
    assert differences(before, scene.pages_with_new_counts()) == {}
