"""Comments for mentioned people or followers only, and content warnings of comments (decision 0026)."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.urls import reverse

from accounts.services.blocks_and_mutes import block_user
from feed.models import Post
from feed.selectors import comments as selectors_comments
from feed.selectors.comments import visible_comment
from feed.selectors.conversation import post_conversation
from feed.selectors.posts_and_comments import content_by_id
from feed.selectors.visible_posts import visible_post
from feed.services.comment_audience import CannotComment
from feed.services.moderation import hide_comment, restore_comment
from feed.store import recount
from feed.store.collections import comment_buckets
from notifications.store import boxes
from tests.actions import add_comment, delete_comment, edit_comment, like_comment
from tests.factories import follow, people, publish
from tests.feed.comment_helpers import ids, page


@pytest.fixture
def post(alice):
    return publish(alice, "what do you say?")


@pytest.fixture
def dave():
    (user,) = people(1)
    return user


def limited(post, actor, text, parent=0, visibility="direct", **more):
    return add_comment(
        post_id=post, actor=actor, text=text, parent_id=parent, visibility=visibility, **more
    )


def can_read(post, comment, viewer):
    """Return whether the viewer reads the comment, after checking that all ways to it agree."""
    uid = viewer and viewer.pk
    view = visible_post(post_id=post, viewer=uid)
    try:
        visible_comment(post=view, comment_id=comment, viewer=uid)
    except Http404:
        is_visible = False
    else:
        is_visible = True
    assert (comment in content_by_id(ids=[comment], viewer=uid)) is is_visible
    rows = post_conversation(post=view, comment=None, viewer=uid)[1]
    assert (comment in [row.comment.id for row in rows]) is is_visible
    return is_visible


def counters(post):
    row = Post.objects.get(pk=post)
    return row.comments, [comment["id"] for comment in row.newest_comments]


def test_only_mentioned_people_read_a_direct_comment(alice, bob, carol, dave, post):
    plain = add_comment(post_id=post, actor=carol, text="me first")
    secret = limited(post, bob, "@carol between us")
    readers = [user for user in (alice, bob, carol, dave) if can_read(post, secret, user)]
    assert readers == [bob, carol]  # not the author of the post, who is not mentioned
    assert not can_read(post, secret, None)
    assert counters(post) == (1, [plain])
    assert ids(page(post, carol)) == [plain, secret]
    assert ids(page(post, alice)) == [plain]
    assert recount.miscounted_posts(ids=[post]) == []


def test_followers_read_a_comment_for_followers(alice, bob, carol, dave, post):
    follow(carol, bob)
    quiet = limited(post, bob, "@alice just us", visibility="followers")
    readers = [user for user in (alice, bob, carol, dave) if can_read(post, quiet, user)]
    assert readers == [alice, bob, carol]
    assert ids(page(post, dave)) == []
    assert counters(post) == (0, [])


def test_pages_show_no_trace_of_limited_comments(client, monkeypatch, alice, bob, carol, post):
    monkeypatch.setattr(selectors_comments, "PAGE_SIZE", 3)
    for n in range(4):
        limited(post, bob, f"@carol secret {n}")
    for user in (None, alice):
        if user:
            client.force_login(user)
        html = client.get(f"/@alice/{post}/").content.decode()
        assert "secret" not in html
        assert "post comment" not in html
        assert "Later comments" not in html
        assert "Earlier comments" not in html
    client.force_login(carol)
    html = client.get(f"/@alice/{post}/").content.decode()
    assert html.count("secret") == 3
    assert "Later comments" in html


def test_a_reply_inherits_the_people_of_the_comment(alice, bob, carol, dave, post):
    secret = limited(post, bob, "@carol between us")
    answer = add_comment(post_id=post, actor=carol, text="sure", parent_id=secret)
    assert [can_read(post, answer, user) for user in (alice, bob, carol, dave)] == [
        False,
        True,
        True,
        False,
    ]
    (root,) = page(post, bob).comments
    assert [reply.id for reply in root.first_replies] == [answer]
    assert (root.reply_count, root.remaining_replies) == (1, 0)
    assert ids(page(post, bob, thread_id=secret)) == [answer]
    assert counters(post) == (0, [])
    assert recount.miscounted_comments(ids=[post]) == []


@pytest.mark.parametrize("visibility", ["", "followers"])
def test_a_reply_cannot_have_more_readers_than_its_comment(bob, carol, post, visibility):
    secret = limited(post, bob, "@carol between us")
    with pytest.raises(CannotComment):
        limited(post, carol, "for all to see", secret, visibility)
    assert comment_buckets().count_documents({}) == 1


@pytest.mark.parametrize("text", ["nobody", "@bob myself", "@nobody-here hello", "@bob @ghost hi"])
def test_a_direct_comment_must_mention_somebody_else(bob, post, text):
    with pytest.raises(CannotComment):
        limited(post, bob, text)


def test_limited_replies_appear_in_a_public_thread_for_their_readers(alice, bob, carol, dave, post):
    first = add_comment(post_id=post, actor=alice, text="hello all")
    secrets = [limited(post, bob, f"@carol psst {n}", first) for n in range(5)]
    last = add_comment(post_id=post, actor=dave, text="I agree", parent_id=first)
    (root,) = page(post, dave).comments
    assert [reply.id for reply in root.first_replies] == [last]
    assert (root.reply_count, root.remaining_replies) == (1, 0)
    (root,) = page(post, carol).comments
    assert [reply.id for reply in root.first_replies] == secrets[:3]
    assert root.remaining_replies > 0
    assert ids(page(post, carol, thread_id=first)) == [*secrets, last]
    assert ids(page(post, AnonymousUser(), thread_id=first)) == [last]
    assert counters(post) == (2, [first])


def test_deleting_and_restoring_limited_comments_keeps_the_counters(alice, bob, carol, post):
    secret = limited(post, bob, "@carol between us", content_warning="Hush")
    answer = add_comment(post_id=post, actor=carol, text="sure", parent_id=secret)
    assert hide_comment(post_id=post, comment_id=answer)
    assert not can_read(post, answer, bob)
    assert restore_comment(post_id=post, comment_id=answer)
    assert can_read(post, answer, bob)
    assert not can_read(post, answer, alice)
    delete_comment(post_id=post, comment_id=secret, actor=bob)
    (root,) = page(post, carol).comments
    assert (root.author, [reply.id for reply in root.first_replies]) == (None, [answer])
    assert ids(page(post, alice)) == []
    assert "Hush" not in str(list(comment_buckets().find()))
    assert counters(post) == (0, [])
    assert recount.miscounted_comments(ids=[post]) == []
    delete_comment(post_id=post, comment_id=answer, actor=carol)
    assert ids(page(post, carol)) == []


def test_a_thread_page_shows_no_limited_comment_to_others(client, alice, bob, carol, dave, post):
    secret = limited(post, bob, "@carol between us")
    path = reverse("comment_thread", args=["alice", post, secret])
    assert client.get(path).status_code == 404
    client.force_login(carol)
    assert "between us" in client.get(path).content.decode()
    limited(post, carol, f"@{dave.username} what do you think?", secret)
    client.force_login(dave)
    html = client.get(path).content.decode()
    assert "what do you think?" in html
    assert "You cannot read this comment." in html
    assert "between us" not in html
    client.force_login(alice)
    assert client.get(path).status_code == 404


def kinds(user):
    return [(row.kind, row.actor) for row in boxes.get(recipient=user.pk).recent]


def test_only_readers_are_notified(alice, bob, carol, dave, post):
    secret = limited(post, bob, "@carol between us")
    assert kinds(alice) == kinds(dave) == []
    assert kinds(carol) == [("mention", bob.pk)]
    add_comment(post_id=post, actor=carol, text="sure", parent_id=secret)
    assert kinds(bob) == [("reply", carol.pk)]
    assert kinds(alice) == []


def test_a_notification_disappears_with_the_right_to_read(client, alice, bob, carol, post):
    follow(alice, bob)
    limited(post, bob, "only friends", visibility="followers")
    assert kinds(alice) == [("comment", bob.pk)]
    client.force_login(alice)
    assert "only friends" in client.get("/notifications/").content.decode()
    client.post("/@bob/unfollow/")
    assert "only friends" not in client.get("/notifications/").content.decode()


def test_an_edit_adds_mentioned_people(alice, bob, carol, dave, post):
    secret = limited(post, bob, "@carol between us")
    edit_comment(
        post_id=post, comment_id=secret, actor=bob, text=f"@{dave.username} and @alice, join us"
    )
    assert all(can_read(post, secret, user) for user in (alice, bob, carol, dave))
    assert kinds(dave) == kinds(alice) == [("mention", bob.pk)]
    assert counters(post) == (0, [])


def test_blocks_hide_limited_comments_from_recipients(bob, carol, post):
    secret = limited(post, bob, "@carol between us")
    like_comment(post_id=post, comment_id=secret, actor=carol)
    block_user(owner=bob.pk, other=carol.pk)
    assert not can_read(post, secret, carol)


def test_comments_on_posts_for_followers_and_direct_posts(alice, bob, carol):
    for user in (bob, carol):
        follow(user, alice)
    followers_post = publish(alice, "friends", "followers")
    same = limited(followers_post, bob, "all of us", visibility="followers")
    assert can_read(followers_post, same, carol)
    secret = limited(followers_post, bob, "@alice just you")
    assert not can_read(followers_post, secret, carol)
    message = publish(alice, "@bob @carol psst", "direct")
    reply = limited(message, bob, "I hear you")
    assert can_read(message, reply, carol)


def test_a_content_warning_folds_a_comment_and_hides_its_text_in_excerpts(client, alice, bob, post):
    client.force_login(bob)
    data = {"text": "the butler did it", "content_warning": "The end"}
    assert client.post(f"/posts/{post}/comments/", data).status_code == 302
    comment = page(post, alice).comments[0]
    assert (comment.content_warning, comment.text) == ("The end", "the butler did it")
    assert Post.objects.get(pk=post).newest_comments[0]["text"] == "The end"
    html = client.get(f"/@alice/{post}/").content.decode()
    assert html.index("The end") < html.index("the butler did it")
    client.force_login(alice)
    html = client.get("/notifications/").content.decode()
    assert "The end" in html
    assert "the butler" not in html
    client.force_login(bob)
    edit_path = reverse("edit_comment", args=[post, comment.id])
    assert 'value="The end"' in client.get(edit_path).content.decode()
    client.post(edit_path, {"text": "the butler did it", "content_warning": ""})
    assert page(post, alice).comments[0].content_warning == ""
    assert Post.objects.get(pk=post).newest_comments[0]["text"] == "the butler did it"


def test_the_form_offers_and_checks_the_audience(client, bob, carol, post):
    client.force_login(bob)
    html = client.get(f"/@alice/{post}/").content.decode()
    assert "Only people I mention" in html
    data = {"text": "psst", "visibility": "direct"}
    response = client.post(f"/posts/{post}/comments/", data)
    assert response.status_code == 422
    assert "Mention at least one person, such as @alice." in response.content.decode()
    assert (
        client.post(f"/posts/{post}/comments/", {**data, "text": "@carol psst"}).status_code == 302
    )
    (secret,) = page(post, carol).comments
    assert secret.visibility == "direct"
    client.force_login(carol)
    form = client.get(f"/@alice/{post}/comments/{secret.id}/").content.decode()
    wide = {"text": "hm", "visibility": "followers", "parent": str(secret.id)}
    assert client.post(f"/posts/{post}/comments/", wide).status_code == 422
    assert "People in this exchange" in form
    data = {"text": "me too", "parent": str(secret.id), "visibility": ""}
    assert client.post(f"/posts/{post}/comments/", data).status_code == 302
    reply = page(post, bob, thread_id=secret.id).comments[0]
    assert (reply.visibility, reply.recipient_uids) == ("direct", (bob.pk,))


@pytest.mark.parametrize("visibility", ["direct", "followers"])
def test_limited_comments_change_no_page_and_no_cursor_of_others(
    monkeypatch, alice, bob, carol, dave, post, visibility
):
    monkeypatch.setattr(selectors_comments, "PAGE_SIZE", 2)
    public = []
    for n in range(3):
        limited(post, bob, f"@carol secret {n}", visibility=visibility)
        public.append(add_comment(post_id=post, actor=dave, text=f"{n}"))
    for n in range(4):
        limited(post, bob, f"@carol secret {n}", public[0], visibility)
    answer = add_comment(post_id=post, actor=dave, text="answer", parent_id=public[0])
    for viewer in (AnonymousUser(), alice):
        first = page(post, viewer)
        assert (ids(first), first.older_cursor, first.newer_cursor) == (
            public[:2],
            None,
            str(public[1]),
        )
        last = page(post, viewer, after=public[1])
        assert (ids(last), last.older_cursor, last.newer_cursor) == (
            public[2:],
            str(public[2]),
            None,
        )
        before = page(post, viewer, before=public[1])
        assert (ids(before), before.older_cursor) == (public[:1], None)
        (root, _) = first.comments
        assert [reply.id for reply in root.first_replies] == [answer]
        assert root.remaining_replies == 0
        assert ids(page(post, viewer, thread_id=public[0])) == [answer]


def test_a_thread_of_which_only_limited_replies_remain_leaves_no_trace(
    monkeypatch, alice, bob, carol, dave, post
):
    monkeypatch.setattr(selectors_comments, "PAGE_SIZE", 2)
    follow(dave, carol)
    for visibility in ("direct", "followers"):
        root = add_comment(post_id=post, actor=bob, text="soon deleted")
        limited(post, carol, "@bob psst", root, visibility)
        delete_comment(post_id=post, comment_id=root, actor=bob)
    public = [add_comment(post_id=post, actor=dave, text=f"{n}") for n in range(2)]
    result = page(post, alice)
    assert (ids(result), result.newer_cursor) == (public, None)
    result = page(post, dave)
    assert (ids(result), result.newer_cursor) == ([root, public[0]], str(public[0]))
    assert len(ids(page(post, bob))) == 2


def test_the_context_of_a_link_counts_only_visible_comments(client, alice, bob, carol, dave, post):
    public = [add_comment(post_id=post, actor=dave, text=f"{n}") for n in range(5)]
    for n in range(4):
        limited(post, bob, f"@carol secret {n}")
    last = add_comment(post_id=post, actor=dave, text="last")
    permalink = reverse("comment_permalink", args=[post, last])
    assert (
        client.get(permalink)["Location"].partition("?")[2] == f"after={public[1]}#comment-{last}"
    )
    first = reverse("comment_permalink", args=[post, public[2]])
    assert "?" not in client.get(first)["Location"]
