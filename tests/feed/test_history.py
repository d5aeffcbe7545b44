"""Post history: ordered versions with marked changes; and redrafts."""

import time

import pytest
from hypothesis import given

from accounts.services.follows import follow_user
from feed.models import Post
from feed.selectors import history
from feed.selectors.history import history_page
from feed.selectors.lists import visible_post
from feed.services.posts import delete_post, edit_post, publish_post
from feed.store.collections import revisions
from feed.text.diff import word_diff
from tests.factories import publish
from tests.feed.workers import work
from tests.texts import texts

from .reading_html import words


def edit(post, actor, *texts):
    for text in texts:
        edit_post(post_id=post, actor=actor, text=text)


def test_every_version_is_kept_once_and_the_newest_comes_first(alice, client):
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


def test_a_long_history_goes_on_over_pages(alice, monkeypatch):
    monkeypatch.setattr(history, "PAGE_SIZE", 3)
    post = publish(alice, "0")
    edit(post, alice, *map(str, range(1, 9)))
    view = visible_post(post_id=post, viewer=None)
    result, page = [], history_page(post=view, viewer=None)
    while True:
        result += page.versions
        if page.older_cursor is None:
            break
        page = history_page(post=view, viewer=None, max_id=int(page.older_cursor))
    assert [version.text for version in result] == [str(n) for n in range(8, -1, -1)]
    assert [bool(version.changes) for version in result] == [True] * 8 + [False]
    assert result == sorted(result, key=lambda version: version.written_at, reverse=True)


def test_only_who_may_read_the_post_reads_its_history(alice, bob, carol, client):
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


def test_who_is_mentioned_later_does_not_read_what_was_not_for_them(alice, bob, carol, client):
    post = publish(alice, "@bob about carol", "direct")
    edit(post, alice, "@bob still about her", "@bob @carol hello", "@bob @carol hello both")

    def seen_by(person):
        view = visible_post(post_id=post, viewer=person.pk)
        page = history_page(post=view, viewer=person.pk)
        assert page.older_cursor is None
        return [(version.text, bool(version.changes)) for version in page.versions]

    everything = [
        ("@bob @carol hello both", True),
        ("@bob @carol hello", True),
        ("@bob still about her", True),
        ("@bob about carol", False),
    ]
    assert seen_by(alice) == seen_by(bob) == everything
    assert seen_by(carol) == [("@bob @carol hello both", True), ("@bob @carol hello", False)]
    client.force_login(carol)
    html = client.get(f"/@alice/{post}/history/").content.decode()
    assert "about" not in html
    for revision in revisions().find():
        html = client.get(f"/@alice/{post}/history/?max_id={revision['_id'] + 1}").content.decode()
        assert "about" not in html


def test_words_that_were_changed_are_text_and_not_html(alice, client):
    post = publish(alice, "<b>old</b>")
    edit(post, alice, "<i>new</i>")
    html = client.get(f"/@alice/{post}/history/").content.decode()
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;" in html


def test_with_a_post_its_history_goes(alice, asked):
    post = publish(alice, "one")
    edit(post, alice, "two")
    delete_post(post_id=post, actor=alice)
    work(asked)
    assert revisions().count_documents({}) == 0


@given(texts, texts)
def test_a_difference_holds_both_versions(old, new):
    result = word_diff(old=old, new=new)
    assert "".join(post.text for post in result if post.kind != "added") == old
    assert "".join(post.text for post in result if post.kind != "removed") == new
    assert all(post.text for post in result)


def test_texts_that_repeat_themselves_are_told_apart_at_once():
    started = time.process_time()
    for old, new in (("!" * 500, "!?" * 250), ("一二" * 250, "二一一" * 166)):
        result = word_diff(old=old, new=new)
        assert sum(len(post.text) for post in result if post.kind == "same") >= 250
    assert time.process_time() - started < 1.0  # some hundredths; difflib takes over ten


def test_scripts_without_spaces_differ_sign_by_sign():
    result = word_diff(old="今日は雨です", new="今日は雪です")
    assert [(post.kind, post.text) for post in result] == [
        ("same", "今日は"),
        ("removed", "雨"),
        ("added", "雪"),
        ("same", "です"),
    ]


# --- Deleting in order to write again ----------------------------------------------------------
def test_who_deletes_to_write_again_finds_the_words_in_the_composer(alice, client):
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
    # Reloading keeps them; publishing ends it.
    assert "teh words" in client.get("/posts/").content.decode()
    client.post("/posts/", {"text": "the words", "visibility": "unlisted"})
    assert client.get("/posts/").context["form"]["text"].value() is None
    assert Post.objects.get().text == "the words"


def test_a_moderator_does_not_write_what_others_said(alice, admin_user, client):
    post = publish(alice, "teh words")
    client.force_login(admin_user)
    assert "Delete and redraft" not in client.get(f"/posts/{post}/delete/").content.decode()
    answer = client.post(f"/posts/{post}/delete/", {"redraft": "1"})
    assert answer["Location"] == "/"
    assert client.get("/posts/").context["form"]["text"].value() is None


# --- Who may comment, afterwards ---------------------------------------------------------------
@pytest.mark.parametrize("arguments", ["nobody", "", "nonsense"])
def test_who_may_comment_can_be_changed_afterwards(alice, client, arguments):
    post = publish_post(author=alice.pk, text="words", reply_policy="followers")
    client.force_login(alice)
    answer = client.post(f"/posts/{post}/edit/", {"text": "words", "reply_policy": arguments})
    assert answer.status_code == (422 if arguments == "nonsense" else 302)
    expected = "nobody" if arguments == "nobody" else "followers"
    assert Post.objects.get().reply_policy == expected
    assert Post.objects.get().edited_at is None
