"""Post history: ordered versions with marked changes, and redrafts."""

import time

import pytest
from hypothesis import given

from accounts.services.follows import follow_user
from feed.models import Post
from feed.selectors import history
from feed.selectors.history import history_page
from feed.selectors.visible_posts import visible_post
from feed.services.posts import delete_post
from feed.store.collections import revisions
from feed.text.diff import word_diff
from tests.actions import edit_post, publish_post
from tests.factories import publish
from tests.feed.workers import work
from tests.texts import texts

from .reading_html import words


def edit(post, actor, *texts):
    for text in texts:
        edit_post(post_id=post, actor=actor, text=text)


def test_history_has_each_version_once_newest_first(alice, client):
    post = publish(alice, "teh cat")
    edit(post, alice, "the cat", "the cat", "the black cat")
    page = history_page(post=visible_post(post_id=post, viewer=None), viewer=None)
    assert [version.text for version in page.versions] == ["the black cat", "the cat", "teh cat"]
    assert [version.written_at for version in page.versions] == sorted(
        (version.written_at for version in page.versions), reverse=True
    )
    assert page.versions[-1].written_at == visible_post(post_id=post, viewer=None).created_at
    html = client.get(f"/@alice/{post}/history/").content.decode()
    assert "<ins>black </ins>" in html
    assert "<del>teh</del>" in html
    assert "/history/" in client.get("/public/").content.decode()


def test_a_post_that_was_never_edited_has_one_version(alice, client):
    post = publish(alice, "as it was")
    html = client.get(f"/@alice/{post}/history/").content.decode()
    assert "as it was" in html
    assert "First version" in words(html)


def test_a_long_history_has_pages(alice, monkeypatch):
    monkeypatch.setattr(history, "PAGE_SIZE", 3)
    post = publish(alice, "0")
    edit(post, alice, *map(str, range(1, 9)))
    view = visible_post(post_id=post, viewer=None)
    versions, page = [], history_page(post=view, viewer=None)
    while True:
        versions += page.versions
        if page.older_cursor is None:
            break
        page = history_page(post=view, viewer=None, max_id=int(page.older_cursor))
    assert [version.text for version in versions] == [str(n) for n in range(8, -1, -1)]
    assert [bool(version.changes) for version in versions] == [True] * 8 + [False]
    assert versions == sorted(versions, key=lambda version: version.written_at, reverse=True)


def test_only_users_who_can_view_the_post_see_its_history(alice, bob, carol, client):
    post = publish(alice, "for followers: teh cat", "followers")
    edit(post, alice, "for followers: the cat")
    follow_user(follower=bob.pk, followee=alice.pk)
    path = f"/@alice/{post}/history/"
    assert client.get(path).status_code == 404
    client.force_login(carol)
    assert client.get(path).status_code == 404
    client.force_login(bob)
    assert client.get(path).status_code == 200
    assert client.get(f"/@bob/{post}/history/")["Location"] == path


def test_newly_mentioned_users_do_not_see_earlier_versions(alice, bob, carol, client):
    post = publish(alice, "@bob concerning carol", "direct")
    edit(post, alice, "@bob still concerning her", "@bob @carol hello", "@bob @carol hello both")

    def seen_by(user):
        view = visible_post(post_id=post, viewer=user.pk)
        page = history_page(post=view, viewer=user.pk)
        assert page.older_cursor is None
        return [(version.text, bool(version.changes)) for version in page.versions]

    everything = [
        ("@bob @carol hello both", True),
        ("@bob @carol hello", True),
        ("@bob still concerning her", True),
        ("@bob concerning carol", False),
    ]
    assert seen_by(alice) == seen_by(bob) == everything
    assert seen_by(carol) == [("@bob @carol hello both", True), ("@bob @carol hello", False)]
    client.force_login(carol)
    html = client.get(f"/@alice/{post}/history/").content.decode()
    assert "concerning" not in html
    for revision in revisions().find():
        html = client.get(f"/@alice/{post}/history/?max_id={revision['_id'] + 1}").content.decode()
        assert "concerning" not in html


def test_versions_are_escaped(alice, client):
    post = publish(alice, "<b>old</b>")
    edit(post, alice, "<i>new</i>")
    html = client.get(f"/@alice/{post}/history/").content.decode()
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;" in html


def test_deleting_a_post_deletes_its_history(alice, asked):
    post = publish(alice, "one")
    edit(post, alice, "two")
    delete_post(post_id=post, actor=alice)
    work(asked)
    assert revisions().count_documents({}) == 0


@given(texts, texts)
def test_a_diff_contains_both_versions(old, new):
    parts = word_diff(old=old, new=new)
    assert "".join(part.text for part in parts if part.kind != "added") == old
    assert "".join(part.text for part in parts if part.kind != "removed") == new
    assert all(part.text for part in parts)


def test_repetitive_texts_are_compared_quickly():
    started = time.process_time()
    for old, new in (("!" * 500, "!?" * 250), ("一二" * 250, "二一一" * 166)):
        parts = word_diff(old=old, new=new)
        assert sum(len(part.text) for part in parts if part.kind == "same") >= 250
    # The comparison usually takes a few hundredths of a second. ``difflib`` would take over ten seconds.
    assert time.process_time() - started < 1.0


def test_scripts_without_spaces_are_compared_by_character():
    parts = word_diff(old="今日は雨です", new="今日は雪です")
    assert [(part.kind, part.text) for part in parts] == [
        ("same", "今日は"),
        ("removed", "雨"),
        ("added", "雪"),
        ("same", "です"),
    ]


# --- Delete and redraft ------------------------------------------------------------------------
def test_redraft_fills_the_composer_with_the_deleted_post(alice, client):
    post = publish_post(
        author=alice.pk, text="teh words", visibility="unlisted", reply_policy="followers"
    )
    client.force_login(alice)
    assert "Delete and redraft" in client.get(f"/posts/{post}/delete/").content.decode()
    answer = client.post(f"/posts/{post}/delete/", {"redraft": "1"}, follow=True)
    assert answer.redirect_chain[-1][0] == "/posts/?kind=note"
    form = answer.context["form"]
    assert form["text"].value() == "teh words"
    assert (form["visibility"].value(), form["reply_policy"].value()) == ("unlisted", "followers")
    assert not Post.objects.exists()
    # The draft survives a reload and disappears after publishing.
    assert "teh words" in client.get("/posts/").content.decode()
    client.post("/posts/", {"text": "the words", "visibility": "unlisted"})
    assert client.get("/posts/").context["form"]["text"].value() is None
    assert Post.objects.get().text == "the words"


def test_a_moderator_cannot_redraft_posts_of_others(alice, admin_user, client):
    post = publish(alice, "teh words")
    client.force_login(admin_user)
    assert "Delete and redraft" not in client.get(f"/posts/{post}/delete/").content.decode()
    answer = client.post(f"/posts/{post}/delete/", {"redraft": "1"})
    assert answer["Location"] == "/"
    assert client.get("/posts/").context["form"]["text"].value() is None


# --- Changing the reply policy -----------------------------------------------------------------
@pytest.mark.parametrize("reply_policy", ["nobody", "", "nonsense"])
def test_the_reply_policy_can_be_edited(alice, client, reply_policy):
    post = publish_post(author=alice.pk, text="words", reply_policy="followers")
    client.force_login(alice)
    answer = client.post(f"/posts/{post}/edit/", {"text": "words", "reply_policy": reply_policy})
    assert answer.status_code == (422 if reply_policy == "nonsense" else 302)
    expected = "nobody" if reply_policy == "nobody" else "followers"
    assert Post.objects.get().reply_policy == expected
    assert Post.objects.get().edited_at is None
