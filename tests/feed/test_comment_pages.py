"""Comments over HTTP: forms, redirects, invalid input and the cost of pages."""

import re
from itertools import chain

import pytest
from django.urls import reverse

from accounts import user_cards
from accounts.infra.ids import new_id
from accounts.services.profiles import update_profile
from feed.models import Post
from feed.selectors import comments as selectors_comments
from feed.store import bulk
from feed.store.collections import comment_buckets
from feed.store.comment_rows import NewComment
from tests.actions import add_comment, like_post, publish_post
from tests.factories import add_conversation, follow, people, publish, publish_many

from .reading_html import forms, send, words


@pytest.fixture
def post(alice):
    return publish(alice, "what do you say?")


@pytest.fixture
def as_bob(client, bob):
    client.force_login(bob)
    return client


def say(post, actor, text="something", parent=0):
    return add_comment(post_id=post, actor=actor, text=text, parent_id=parent)


def comment_texts():
    return [
        comment["text"]
        for bucket in comment_buckets().find().sort("_id")
        for comment in bucket["comments"]
    ]


def test_adding_a_comment_redirects_to_it(as_bob, post):
    path = f"/@alice/{post}/"
    action = reverse("add_comment", args=[post])
    (fields,) = forms(as_bob.get(path).content.decode(), action)
    answer = as_bob.post(action, {**fields, "text": "I say hello"}, follow=True)
    url = answer.redirect_chain[-1][0]
    assert re.fullmatch(rf"/@alice/{post}/#comment-\d+", url)
    page = answer.content.decode()
    assert f'id="{url.partition("#")[2]}"' in page
    assert "I say hello" in words(page)
    assert "1 comment " in words(page)
    as_bob.post(action, {**fields, "text": "I say hello"})
    assert comment_texts() == ["I say hello"]
    # If the user goes back and submits the form with another text, a second comment is created.
    as_bob.post(action, {**fields, "text": "I say more"})
    assert comment_texts() == ["I say hello", "I say more"]


def test_the_reply_link_opens_a_form_for_a_reply(as_bob, alice, carol, post):
    first = say(post, carol, "first")
    page = as_bob.get(f"/@alice/{post}/").content.decode()
    link = re.search(r'href="([^"]+\?to=\d+)#answer"', page)[1]
    form_page = as_bob.get(link).content.decode()
    assert "Reply to Carol Clark" in words(form_page)
    action = reverse("add_comment", args=[post])
    (fields,) = forms(form_page, action)
    answer = as_bob.post(action, {**fields, "text": "second"}, follow=True)
    assert answer.redirect_chain[-1][0].startswith(f"/@alice/{post}/comments/{first}/#comment-")
    thread = answer.content.decode()
    assert "first" in words(thread)
    assert "second" in words(thread)
    again = re.search(rf'href="[^"]+(\?to=(?!{first})\d+)#answer"', thread)[1]
    form_page = as_bob.get(f"/@alice/{post}/comments/{first}/{again}").content.decode()
    (fields,) = forms(form_page, action)
    as_bob.post(action, {**fields, "text": "third"})
    assert "Replying to Bob Brown" in words(as_bob.get(f"/@alice/{post}/").content.decode())


def test_a_permalink_opens_the_page_of_the_comment(client, alice, bob, post, monkeypatch):
    monkeypatch.setattr(selectors_comments, "PAGE_SIZE", 4)
    many = add_conversation(post, comments=[(bob, f"number {n}") for n in range(30)])
    replies = [say(post, alice, f"reply {n}", parent=many[0]) for n in range(7)]
    for comment, text in (
        (many[27], "number 27"),
        (many[0], "number 0"),
        (replies[6], "reply 6"),
    ):
        answer = client.get(reverse("comment_permalink", args=[post, comment]), follow=True)
        assert answer.redirect_chain[-1][0].endswith(f"#comment-{comment}")
        assert f'id="comment-{comment}"' in answer.content.decode()
        assert text in words(answer.content.decode())


def test_pages_continue_from_the_start_and_from_the_end(client, bob, post):
    every = add_conversation(post, comments=[(bob, f"number {n}") for n in range(45)])

    def walk(path, rel):
        seen = []
        while path:
            html = client.get(path).content.decode()
            seen.append([int(comment_id) for comment_id in re.findall(r'id="comment-(\d+)"', html)])
            link = re.search(rf'href="([^"#]+)[^"]*" rel="{rel}"', html)
            path = link and f"/@alice/{post}/{link[1]}"
        return seen

    assert list(chain(*walk(f"/@alice/{post}/", "next"))) == every
    assert list(chain(*walk(f"/@alice/{post}/?end", "prev")[::-1])) == every


def test_users_edit_and_delete_their_comments(as_bob, bob, post):
    comment = say(post, bob, "teh words")
    edit = reverse("edit_comment", args=[post, comment])
    assert "teh words" in as_bob.get(edit).content.decode()
    as_bob.post(edit, {"text": "the words"})
    page = as_bob.get(f"/@alice/{post}/").content.decode()
    assert "the words" in page
    assert "edited" in words(page)
    delete = reverse("delete_comment", args=[post, comment])
    send(as_bob, as_bob.get(delete).content.decode(), delete)
    assert comment_texts() == [""]
    assert as_bob.get(edit).status_code == 404


def test_only_the_post_author_can_delete_comments_of_others(client, alice, bob, carol, post):
    comment = say(post, carol)
    client.force_login(bob)
    for name in ("edit_comment", "delete_comment"):
        url = reverse(name, args=[post, comment])
        assert url not in client.get(f"/@alice/{post}/").content.decode()
        assert client.get(url).status_code == 404
        assert client.post(url, {"text": "mine"}).status_code == 404
    client.force_login(alice)
    assert client.get(reverse("edit_comment", args=[post, comment])).status_code == 404
    assert client.post(reverse("delete_comment", args=[post, comment])).status_code == 302


def test_like_forms_redirect_to_the_comment(as_bob, alice, post):
    comment = say(post, alice)
    path = f"/@alice/{post}/"
    like, unlike = (
        reverse(name, args=[post, comment]) for name in ("like_comment", "unlike_comment")
    )
    answer = send(as_bob, as_bob.get(path).content.decode(), like)
    assert answer["Location"] == f"{path}#comment-{comment}"
    page = as_bob.get(path).content.decode()
    assert send(as_bob, page, unlike).status_code == 302
    assert like in as_bob.get(path).content.decode()


def test_visitors_read_comments_and_are_asked_to_log_in(client, bob, post):
    comment = say(post, bob, "said by bob")
    page = client.get(f"/@alice/{post}/").content.decode()
    assert "said by bob" in page
    assert "Log in to comment." in words(page)
    for name, args in (("add_comment", [post]), ("like_comment", [post, comment])):
        answer = client.post(reverse(name, args=args), {"text": "x"})
        assert answer["Location"].startswith(reverse("account_login"))
    for name in ("edit_comment", "delete_comment"):
        assert client.get(reverse(name, args=[post, comment])).status_code == 302
    assert comment_texts() == ["said by bob"]


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ("followers", "Only followers of Alice Adams"),
        ("mentioned", "Only people mentioned"),
        ("nobody", "turned off comments"),
    ],
)
def test_the_page_explains_why_the_viewer_cannot_comment(as_bob, alice, replies, why):
    post = publish_post(author=alice.pk, text="mine", reply_policy=replies)
    page = as_bob.get(f"/@alice/{post}/").content.decode()
    assert why in words(page)
    assert reverse("add_comment", args=[post]) not in page
    answer = as_bob.post(reverse("add_comment", args=[post]), {"text": "still"})
    assert answer.status_code == 422
    assert "has limited who can comment" in answer.content.decode()
    assert comment_texts() == []


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, "Enter some text."),
        ({"text": " \u200b\n"}, "Enter some text."),
        ({"text": "x" * 501}, "It has 501 characters"),
        ({"text": "x", "parent": "nonsense"}, "no longer exists"),
        ({"text": "x", "parent": "9" * 19}, "no longer exists"),
    ],
)
def test_an_invalid_comment_is_refused_and_shown_again(as_bob, post, fields, error):
    answer = as_bob.post(reverse("add_comment", args=[post]), fields)
    assert answer.status_code == 422
    assert error in words(answer.content.decode())
    assert fields.get("text", "").strip() in answer.content.decode()
    assert comment_texts() == []


def test_invalid_urls_return_404(as_bob, bob, post):
    comment = say(post, bob)
    for path in (
        f"/posts/{post}/comments/404/",
        f"/posts/404/comments/{comment}/",
        f"/posts/{post}/comments/{2**64}/",
        f"/@alice/{post}/comments/404/",
        f"/@alice/{post}/comments/{comment}/?to=404",
    ):
        assert as_bob.get(path).status_code == 404, path
    for query in ("after=-1", "after=x", f"after={2**63 - 1}", "before=0", f"before={2**63 - 1}"):
        assert as_bob.get(f"/@alice/{post}/?{query}").status_code == 200
    for name in ("edit_comment", "delete_comment", "like_comment"):
        assert as_bob.post(reverse(name, args=[post, 404]), {"text": "x"}).status_code == 404
    assert as_bob.post(reverse("unlike_comment", args=[post, 404])).status_code == 302
    assert as_bob.post(reverse("add_comment", args=[404]), {"text": "x"}).status_code == 404


def test_comments_and_names_are_escaped(as_bob, alice, carol, post):
    update_profile(uid=carol.pk, display_name="<b>Carol</b>", bio="")
    first = say(post, carol, "<script>alert(1)</script>")
    say(post, carol, "<i>", parent=say(post, carol, "<u>", parent=first))
    for path in ("/public/", f"/@alice/{post}/", f"/@alice/{post}/comments/{first}/"):
        page = as_bob.get(path).content.decode()
        assert "&lt;script&gt;alert(1)" in page
        for tag in ("<script>alert", "<b>Carol", "<i>", "<u>"):
            assert tag not in page


def test_a_page_costs_the_same_for_one_comment_and_for_twenty_with_replies(
    as_bob, alice, bob, record_commands
):
    single, many = publish(alice), publish(alice)
    say(single, bob, parent=say(single, alice))
    add_threads(many, people(20))
    costs = []
    for post in (single, many):
        as_bob.get(f"/@alice/{post}/")
        user_cards.clear_cards()
        with record_commands() as commands:
            page = as_bob.get(f"/@alice/{post}/").content.decode()
        costs.append([name for name, _ in commands])
    assert page.count('class="post comment"') == 20 * 4
    assert costs[0] == costs[1]
    assert len(costs[0]) <= 15


def add_threads(post, people):
    """Insert a comment by each user, with replies by the first four users."""
    new_comments = []
    for person in people:
        first = new_id()
        new_comments.append((first, NewComment(post=post, uid=person.pk, text="something")))
        new_comments += [
            (
                new_id(),
                NewComment(
                    post=post, uid=other.pk, text="something", thread_id=first, parent_id=first
                ),
            )
            for other in people[:4]
        ]
    discussion = bulk.Discussion(likers=[], comments=new_comments)
    bulk.replace_discussions(discussions={post: discussion})
    Post.objects.filter(pk=post).update(**discussion.post_counters())


def test_a_timeline_costs_the_same_for_one_discussion_and_for_many(
    client, alice, bob, record_commands
):
    posts = publish_many(alice, 10)
    client.force_login(bob)
    costs = []
    for batch in (posts[:1], posts[1:]):
        for post in batch:
            chat(post)
        for path in ("/public/", "/@alice/"):
            client.get(path)
            user_cards.clear_cards()
            with record_commands() as commands:
                page = client.get(path)
            costs.append([name for name, _ in commands])
    assert costs[:2] == costs[2:]
    views = page.context["page"].posts
    assert all(len(view.newest_comments) == 3 for view in views)
    assert all(len(view.newest_likers) == 3 for view in views)


def chat(post):
    fans = people(4, f"fan{post}")
    add_conversation(post, likers=fans, comments=[(fan, "something") for fan in fans])


FAMOUS = (10_000, 2_000)
"""The numbers of likes and comments of a famous post."""


def make_famous(post, talkers, likes, comments):
    """Insert likes and comments. ``talkers`` are the last likers and write all comments."""
    likers = [*range(1, likes - len(talkers) + 1), *(talker.pk for talker in talkers)]
    new_comments = [
        (post + n, NewComment(post=post, uid=talkers[n % len(talkers)].pk, text=f"number {n}"))
        for n in range(1, comments + 1)
    ]
    discussion = bulk.Discussion(likers=likers, comments=new_comments)
    bulk.replace_discussions(discussions={post: discussion})
    Post.objects.filter(pk=post).update(**discussion.post_counters())


@pytest.mark.parametrize("path", ["/", "/public/", "/@alice/"])
def test_a_famous_post_does_not_change_the_cost_of_a_timeline(
    client, alice, bob, settings, record_commands, path
):
    settings.FEED_PAGE_SIZE = 20
    written = Post.objects.bulk_create(
        Post(author=alice, text=f"post {n}", delivery_state=Post.DeliveryState.DONE)
        for n in range(20)
    )
    posts = [post.pk for post in written]
    talkers = people(3)
    like_post(post_id=posts[7], actor=bob)
    say(posts[7], talkers[0])
    follow(bob, alice)
    client.force_login(bob)
    costs = []
    for famous in (None, posts[12]):
        if famous:
            make_famous(famous, talkers, *FAMOUS)
        client.get(path)
        user_cards.clear_cards()
        with record_commands() as commands:
            page = client.get(path)
        costs.append([name for name, _ in commands])
    assert costs[0] == costs[1]
    views = {view.id: view for view in page.context["page"].posts}
    assert len(views) == 20
    famous, liked = views[posts[12]], views[posts[7]]
    assert (famous.row.likes, famous.row.comments) == FAMOUS
    assert [comment.text for comment in famous.newest_comments] == [
        f"number {n}" for n in range(FAMOUS[1] - 2, FAMOUS[1] + 1)
    ]
    assert len(famous.newest_likers) == 3
    assert (liked.is_liked, famous.is_liked) == (True, False)


def test_the_pages_of_a_famous_post_cost_the_same_as_others(as_bob, alice, record_commands):
    quiet, famous = publish(alice), publish(alice)
    talkers = people(5)
    add_conversation(quiet, likers=talkers, comments=[(talker, "something") for talker in talkers])
    make_famous(famous, talkers, *FAMOUS)

    def cost(post, query):
        path = f"/@alice/{post}/{query}"
        as_bob.get(path)
        user_cards.clear_cards()
        with record_commands() as commands:
            assert as_bob.get(path).status_code == 200
        return len(commands)

    first = cost(quiet, "")
    assert (
        first
        == cost(famous, "")
        == cost(famous, "?end")
        == cost(famous, f"?after={famous + FAMOUS[1] // 2}")
    )
    assert cost(quiet, "likes/") == cost(famous, "likes/")
    page = as_bob.get(f"/@alice/{famous}/?end").context["page"]
    assert page.comments[-1].text == f"number {FAMOUS[1]}"
