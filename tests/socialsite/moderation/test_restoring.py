"""What moderators took away is gone from every page, and after undoing every page is as it was."""

import pytest

from feed.services.keeping import bookmark_post, pin_post
from feed.services.likes import like_post
from feed.services.posts import publish_post
from feed.services.shares import share_post
from feed.services.user_lists import choose_lists, create_list
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.subjects import comment_subject, post_subject, user_subject
from tests.every_page import differences, every_page, of_lists, of_post, with_words
from tests.factories import follow, publish
from tests.feed.talking import say

pytestmark = pytest.mark.slow

OLDER = "/notifications/older/"
WORDS, COMMENT, NAME = "buy my pills", "more pills over here", "Bob Brown"


class Scene:
    """bob's post, and what he said to alice's, on each kind of page. All three are ids."""

    def __init__(self, alice, bob, carol):
        self.alice, self.bob = alice, bob
        follow(alice, bob)
        follow(bob, alice)
        follow(carol, alice)
        made = create_list(owner=alice, title="Pharmacies")
        choose_lists(owner=alice, username="bob", list_ids={made})
        self.post = publish_post(
            author=bob.pk,
            text=f"{WORDS} #cheap @alice https://pills.com/now",
            kind="review",
            details={"title": "Pink pills", "item": "other", "stars": 5},
        )
        share_post(post_id=self.post, actor=alice)
        like_post(post_id=self.post, actor=carol)
        bookmark_post(post_id=self.post, actor=alice)
        pin_post(post_id=self.post, actor=bob)
        say(self.post, alice, "in it", parent=say(self.post, carol, "a thread"))
        self.alices = publish(alice, "something remarkable")
        self.comment = say(self.alices, bob, COMMENT)
        say(self.alices, carol, "no more", parent=self.comment)  # of this alice hears last

    def pages(self, but=()):
        # Whom moderators act on is told, and that is not taken back: so bob is not among them.
        return every_page(
            viewers=[self.alice, None],
            people=[self.alice, self.bob],
            posts=[(self.bob, self.post), (self.alice, self.alices)],
            but=but,
        )

    def during(self):
        """To open the notifications marks what cannot be shown there as read."""
        return self.pages(but=["/notifications/"])


@pytest.fixture
def scene(alice, bob, carol, monkeypatch):
    # All but the newest of what somebody is told is older.
    monkeypatch.setattr("notifications.store.expressions.BOX_SIZE", 1)
    return Scene(alice, bob, carol)


def paths(found, words):
    return {path for _who, path in with_words(found, words)}


def viewers(found, words):
    return {who for who, _path in with_words(found, words)}


def test_a_post_is_as_it_was_after_undoing(scene, moderator):
    before = scene.pages()
    about = set(of_post(scene.bob, scene.post)) - {f"/@bob/{scene.post}/likes/"}
    (listed, _edit) = of_lists(scene.alice)
    assert paths(before, WORDS) >= about | {"/", "/@bob/", "/bookmarks/", listed, OLDER}
    assert {"/reviews/?of=other%3Apink%20pills", "/links/?to=pills.com"} < about
    for kind in ("remove", "hold", "sensitive"):
        subject = post_subject(post_id=scene.post)
        action = take_action(kind=kind, subject=subject, moderator=moderator)
        during = scene.during()
        is_shown = kind == "sensitive"
        for words in (WORDS, "Pink pills", "a thread"):
            assert viewers(during, words) == ({"alice", "visitor"} if is_shown else set()), words
        assert ("Sensitive" in during["visitor", "/public/"][1]) == is_shown
        assert undo_action(action=action, moderator=moderator)
        assert not undo_action(action=action, moderator=moderator)
        assert differences(before, scene.pages()) == {}, kind


def test_a_person_is_as_they_were_after_undoing(scene, administrator):
    before = scene.pages()
    listed = set(of_lists(scene.alice))
    thread = f"/@alice/{scene.alices}/comments/{scene.comment}/"
    of_people = {f"/@alice/{name}/" for name in ("followers", "following")}
    assert paths(before, NAME) >= of_people | listed | {thread, OLDER, "/search/?q=bob", "/people/"}
    for kind in ("limit", "suspend", "rename", "avatar"):
        subject = user_subject(uid=scene.bob.pk)
        action = take_action(kind=kind, subject=subject, moderator=administrator)
        scene.bob.refresh_from_db()
        during = scene.during()
        if kind == "rename":
            assert scene.bob.name == scene.bob.username == f"person_{scene.bob.pk}"
        if kind in ("rename", "suspend"):
            assert with_words(during, NAME) == set()
        if kind == "suspend":
            assert with_words(during, WORDS) | with_words(during, COMMENT) == set()
            assert during["visitor", "/@bob/"][0] == 404
        if kind == "limit":
            assert viewers(during, WORDS) == viewers(during, COMMENT) == {"alice"}
        undo_action(action=action, moderator=administrator)
        scene.bob.refresh_from_db()
        assert differences(before, scene.pages()) == {}, kind


def test_a_comment_is_as_it_was_after_undoing(scene, moderator):
    before = scene.pages()
    at = f"/@alice/{scene.alices}/"
    thread = f"{at}comments/{scene.comment}/"
    assert paths(before, COMMENT) >= {"/", "/public/", at, thread, OLDER}
    subject = comment_subject(post_id=scene.alices, comment_id=scene.comment)
    action = take_action(kind="remove", subject=subject, moderator=moderator)
    during = scene.during()
    assert with_words(during, COMMENT) == set()
    assert "no more" in during["visitor", thread][1]
    undo_action(action=action, moderator=moderator)
    assert differences(before, scene.pages()) == {}
