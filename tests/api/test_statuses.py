"""Posts and comments through the API."""

import pytest
from django.db.models.signals import post_init

from accounts.services.profiles import set_private
from feed.models import Post
from feed.timeline import strategies
from tests.actions import add_comment, publish_post, share_post
from tests.api.api_client import Api, link
from tests.factories import add_conversation, follow, publish
from tests.feed.post_helpers import write_posts


def test_a_post_is_published_read_edited_and_deleted(alice, bob):
    api = Api(alice)
    published = api.post("statuses", status="Hello @bob, see #Cats", visibility="private").json()
    assert published["content"] == (
        '<p>Hello <a href="http://testserver/@bob/" class="u-url mention">@bob</a>, see '
        '<a href="http://testserver/tags/cats/" class="mention hashtag" rel="tag">#Cats</a></p>'
    )
    assert published["visibility"] == "private"
    assert [mention["acct"] for mention in published["mentions"]] == ["bob"]
    assert published["tags"] == [{"name": "cats", "url": "http://testserver/tags/cats/"}]
    assert published["account"]["id"] == str(alice.pk)
    assert api.get(f"statuses/{published['id']}").json() == published
    assert Api(bob).get(f"statuses/{published['id']}").status_code == 404
    changed = api.put(f"statuses/{published['id']}", status="Goodbye").json()
    assert changed["content"] == "<p>Goodbye</p>"
    assert changed["edited_at"]
    deleted = api.delete(f"statuses/{published['id']}").json()
    assert deleted["text"] == "Goodbye"
    assert not Post.objects.exists()
    assert api.get(f"statuses/{published['id']}").json() == {"error": "Record not found"}


def test_the_urls_of_posts_and_comments_end_with_their_id_and_open_a_page(client, alice, bob):
    post = publish(alice, "Hello")
    comment = add_comment(post_id=post, actor=bob, text="Hello, too")
    reply = add_comment(post_id=post, actor=alice, text="And you", parent_id=comment)
    hidden = add_comment(post_id=publish(alice, "Secret", "followers"), actor=alice, text="No")
    for status, name in ((post, "alice"), (comment, "bob"), (reply, "alice")):
        url = Api(alice).get(f"statuses/{status}").json()["url"]
        assert url == f"http://testserver/@{name}/{status}"
        page = client.get(url, follow=True)
        assert page.status_code == 200
        assert f"{status}" in page.redirect_chain[-1][0]
    assert client.get(f"/@alice/{hidden}/").status_code == 404
    assert client.get("/@alice/404/").status_code == 404


def test_the_same_idempotency_key_publishes_once(alice):
    api, key = Api(alice), {"Idempotency-Key": "one"}
    ids = {api.post("statuses", headers=key, status="Once").json()["id"] for _ in range(2)}
    assert len(ids) == 1
    assert api.post("statuses", headers=key, status="Other words").json()["id"] not in ids


def test_a_comment_is_a_status_with_in_reply_to_id(alice, bob):
    post = publish_post(author=alice.pk, text="What do you think?")
    api = Api(bob)
    comment = api.post("statuses", status="This", in_reply_to_id=str(post)).json()
    assert comment["in_reply_to_id"] == str(post)
    assert comment["in_reply_to_account_id"] == str(alice.pk)
    answer = Api(alice).post("statuses", status="And that", in_reply_to_id=comment["id"]).json()
    assert answer["in_reply_to_id"] == comment["id"]
    assert api.post(f"statuses/{answer['id']}/favourite").json()["favourites_count"] == 1
    assert api.post(f"statuses/{comment['id']}/reblog").status_code == 422
    assert api.get(f"statuses/{post}").json()["replies_count"] == 2
    assert api.put(f"statuses/{comment['id']}", status="These").json()["content"] == "<p>These</p>"
    api.delete(f"statuses/{comment['id']}")
    assert api.get(f"statuses/{comment['id']}").status_code == 404


def test_a_share_is_a_status_with_the_post_in_reblog(alice, bob):
    post = publish_post(author=alice.pk, text="Good news")
    share = Api(bob).post(f"statuses/{post}/reblog").json()
    assert share["account"]["username"] == "bob"
    assert share["reblog"]["id"] == str(post)
    assert share["reblog"]["reblogged"] is True
    assert share["id"] != share["reblog"]["id"]
    assert Api(bob).post(f"statuses/{post}/unreblog").json()["reblogged"] is False


def test_home_is_paged_both_ways(alice):
    posts = [publish_post(author=alice.pk, text=str(number)) for number in range(7)]
    api = Api(alice)
    first = api.get("timelines/home", limit=3)
    seen = [status["id"] for status in first.json()]
    answer = first
    while path := link(answer, "next"):
        answer = api.get(path)
        seen += [status["id"] for status in answer.json()]
    assert seen == [str(post) for post in reversed(posts)]
    assert api.get(link(first, "prev")).json() == []
    new = publish_post(author=alice.pk, text="new")
    assert [status["id"] for status in api.get(link(first, "prev")).json()] == [str(new)]


def test_forty_posts_cost_as_many_commands_as_five(alice, bob, record_commands):
    costs = []
    for number in (5, 35):
        for post in write_posts([(alice, "Hello @bob")] * number):
            strategies.deliver(activity=post, recipients=[alice.pk])
        token = Api(alice)
        token.get("timelines/home")
        with record_commands() as commands:
            statuses = token.get("timelines/home", limit=40).json()
        costs.append(len(commands))
    assert len(statuses) == 40
    assert costs[0] == costs[1]


@pytest.mark.parametrize("page_name", ["home", "context"])
def test_pages_do_not_instantiate_models_per_row(alice, bob, carol, page_name):
    # Creating model instances is slow, so their number must not grow with posts, shares and comments.
    follow(alice, bob)
    post, created_models = publish_post(author=bob.pk, text="The talk"), []

    def count(sender, **_):
        created_models.append(sender)

    costs = []
    for number in (1, 5):
        for shared in write_posts([(carol, "Hello @bob #cats")] * number):
            if page_name == "home":
                add_conversation(shared, comments=[(carol, "Hello @bob #cats")])
                share_post(post_id=shared, actor=bob)
            else:
                add_comment(post_id=post, actor=carol, text="Hello @bob #cats")
        api = Api(alice)
        path = "timelines/home" if page_name == "home" else f"statuses/{post}/context"
        api.get(path)
        post_init.connect(count)
        try:
            created_models.clear()
            page = api.get(path, limit=40).json()
        finally:
            post_init.disconnect(count)
        costs.append(sorted(str(model) for model in created_models))
    assert len(page if page_name == "home" else page["descendants"]) > 5
    assert costs[0] == costs[1]
    assert len(costs[0]) < 5


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({}, 422),
        ({"status": ""}, 422),
        ({"status": "x" * 501}, 422),
        ({"status": "x", "visibility": "everybody"}, 422),
        ({"status": "x", "in_reply_to_id": "abc"}, 422),
        ({"status": "x", "in_reply_to_id": "1"}, 404),
        ({"status": "x", "media_ids": ["1"]}, 422),
        ({"status": ["x"]}, 422),
        ({"status": "only for nobody", "visibility": "direct"}, 422),
    ],
)
def test_invalid_posts_are_refused(alice, data, status):
    answer = Api(alice).post("statuses", **data)
    assert answer.status_code == status
    assert answer.json()["error"]
    assert not Post.objects.exists()


def test_comments_do_not_reveal_how_much_a_private_author_posts(alice, bob):
    post = publish_post(author=alice.pk, text="Hello")
    publish_post(author=bob.pk, text="For my followers", visibility="followers")
    comment = Api(bob).post("statuses", status="Hello you", in_reply_to_id=str(post)).json()
    assert Api(alice).get(f"statuses/{comment['id']}").json()["account"]["statuses_count"] == 0
    publish_post(author=bob.pk, text="For all")
    set_private(uid=bob.pk, is_private=True)
    account = Api(alice).get(f"statuses/{comment['id']}").json()["account"]
    assert (account["locked"], account["statuses_count"], account["last_status_at"]) == (
        True,
        0,
        None,
    )


def test_html_in_posts_is_escaped(alice):
    text = '<script>alert("1")</script> & <b>bold</b>'
    published = Api(alice).post("statuses", status=text, spoiler_text="<i>x</i>").json()
    assert published["content"] == (
        "<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;</p>"
    )
    assert published["spoiler_text"] == "<i>x</i>"  # clients show this field as plain text
