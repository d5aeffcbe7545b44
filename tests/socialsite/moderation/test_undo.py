"""Removed content disappears from every page, and undoing restores every page."""

import pytest

from feed.services.posts import publish_post
from feed.services.user_lists import choose_lists, create_list
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import comment_subject, post_subject, user_subject
from tests.actions import bookmark_post, like_post, pin_post, share_post
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


def test_undoing_restores_a_post(scene, moderator):
    before = scene.pages()
    about = set(of_post(scene.bob, scene.post)) - {f"/@bob/{scene.post}/likes/"}
    (listed, _edit) = of_lists(scene.alice)
    assert paths(before, POST_TEXT) >= about | {"/", "/@bob/", "/bookmarks/", listed, OLDER}
    assert {"/reviews/?of=other%3Apink%20pills", "/links/?to=pills.com"} < about
    for kind in ("remove", "hold", "sensitive"):
        subject = post_subject(post_id=scene.post)
        action = take_action(kind=kind, subject=subject, moderator=moderator)
        during = scene.pages_without_notifications()
        is_visible = kind == "sensitive"
        for text in (POST_TEXT, "Pink pills", "a thread"):
            assert viewers(during, text) == ({"alice", "visitor"} if is_visible else set()), text
        assert ("Sensitive" in during["visitor", "/public/"][1]) == is_visible
        assert undo_action(action=action, moderator=moderator)
        assert not undo_action(action=action, moderator=moderator)
        assert differences(before, scene.pages()) == {}, kind


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
    for kind in ("limit", "suspend", "rename", "avatar", "header"):
        subject = user_subject(uid=scene.bob.pk)
        action = take_action(kind=kind, subject=subject, moderator=administrator)
        scene.bob.refresh_from_db()
        during = scene.pages_without_notifications()
        if kind == "rename":
            assert scene.bob.name == scene.bob.username == f"person_{scene.bob.pk}"
        if kind in ("rename", "suspend"):
            assert with_words(during, NAME) == set()
        if kind == "suspend":
            assert with_words(during, POST_TEXT) | with_words(during, COMMENT_TEXT) == set()
            assert during["visitor", "/@bob/"][0] == 404
        if kind == "limit":
            assert viewers(during, POST_TEXT) == viewers(during, COMMENT_TEXT) == {"alice"}
        undo_action(action=action, moderator=administrator)
        scene.bob.refresh_from_db()
        assert differences(before, scene.pages()) == {}, kind


def test_undoing_restores_a_comment(scene, moderator):
    before = scene.pages()
    at = f"/@alice/{scene.alice_post}/"
    thread = f"{at}comments/{scene.comment}/"
    assert paths(before, COMMENT_TEXT) >= {"/", "/public/", at, thread, OLDER}
    subject = comment_subject(post_id=scene.alice_post, comment_id=scene.comment)
    action = take_action(kind="remove", subject=subject, moderator=moderator)
    during = scene.pages_without_notifications()
    assert with_words(during, COMMENT_TEXT) == set()
    assert "no more" in during["visitor", thread][1]
    undo_action(action=action, moderator=moderator)
    assert differences(before, scene.pages()) == {}
