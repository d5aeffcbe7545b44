"""The page of notifications: what it says, what one does there, and what it costs."""

import pytest
from django.urls import reverse

from accounts import user_cards
from accounts.services.profiles import set_private
from feed.models import Post
from notifications.kinds import kinds
from notifications.selectors import pages
from notifications.services.delivery import notify
from notifications.store.boxes import unread_count
from notifications.store.preferences import Preferences
from notifications.store.preferences import get_preferences as choices_of
from tests.actions import add_comment, like_comment, like_post
from tests.factories import UserFactory, add_conversation, follow, follow_many, people, publish
from tests.feed.reading_html import send, words


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def post(alice):
    return publish(alice, "About cats")


def html(client, path="/notifications/"):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def told(client, path="/notifications/"):
    """The sentences on the page."""
    page = client.get(path).context["page"]
    return [
        (notification.kind.name, [card.username for card in notification.people])
        for notification in page.notifications
    ]


def badge(page):
    """What the header says, to the eye and to the ear."""
    return words(page[page.index('<span id="badge"') :].split("</span></span>")[0])


def unread(reader):
    return unread_count(recipient=reader.pk)


def test_a_new_page_says_what_will_be_there(as_alice):
    page = words(html(as_alice))
    assert "No new notifications" in page
    assert badge(html(as_alice)) == ""


def test_likes_of_one_post_are_told_in_one_sentence_that_opens(as_alice, bob, carol, post):
    others = people(3)
    for user in (bob, carol, *others):
        like_post(post_id=post, actor=user)
    assert told(as_alice) == [("like", ["p2", "p1", "p0", "carol", "bob"])]
    page = html(as_alice)
    assert "p2 and 4 others liked your post" in words(page)
    assert "About cats" in words(page)
    group = page[page.index('<details class="group">') :]
    for user in (bob, carol, *others):
        assert f"@{user.username}" in group
    assert badge(page) == "5 5 unread notifications"


def test_two_people_are_both_named(as_alice, bob, carol, post):
    for user in (bob, carol):
        like_post(post_id=post, actor=user)
    assert "Carol Clark and Bob Brown liked your post" in words(html(as_alice))


def test_what_happened_long_before_is_told_apart(as_alice, alice, bob, carol, post, monkeypatch):
    like_post(post_id=post, actor=bob)
    monkeypatch.setattr(
        "notifications.selectors.notification_views.GROUP_WINDOW", -pages.UNDO_WINDOW
    )
    like_post(post_id=post, actor=carol)
    assert told(as_alice) == [("like", ["carol"]), ("like", ["bob"])]


def test_opening_the_page_marks_nothing_and_the_script_only_what_was_on_it(
    as_alice, alice, bob, carol, post
):
    like_post(post_id=post, actor=bob)
    page = html(as_alice)
    assert unread(alice) == 1
    like_post(post_id=post, actor=carol)  # after it was opened
    ids = page.rsplit('name="ids" value="', 1)[1].split('"')[0]
    answer = as_alice.post("/notifications/seen/", {"ids": ids}, headers={"HX-Request": "true"})
    assert badge(answer.content.decode()) == "1 1 unread notification"
    assert unread(alice) == 1


def test_one_marks_as_read_and_as_unread_again(as_alice, alice, bob, post):
    like_post(post_id=post, actor=bob)
    page = html(as_alice)
    assert "unread" in page.split('id="notification-')[0].rsplit("<article", 1)[1]
    send(as_alice, page, "/notifications/read/")
    assert unread(alice) == 0
    page = html(as_alice)
    send(as_alice, page, "/notifications/unread/")
    assert unread(alice) == 1
    as_alice.post("/notifications/seen/", {"ids": page.rsplit('value="', 1)[1].split('"')[0]})
    assert unread(alice) == 1


def test_one_dismisses_and_takes_it_back(as_alice, alice, bob, carol, post):
    for user in (bob, carol):
        like_post(post_id=post, actor=user)
    follow(bob, alice)
    assert [kind for kind, _ in told(as_alice)] == ["follow", "like"]
    send(as_alice, html(as_alice), "/notifications/dismiss/")
    assert [kind for kind, _ in told(as_alice)] == ["like"]
    send(as_alice, html(as_alice), "/notifications/restore/")
    assert [kind for kind, _ in told(as_alice)] == ["follow", "like"]
    send(as_alice, html(as_alice), "/notifications/clear/")
    assert told(as_alice) == []
    send(as_alice, html(as_alice), "/notifications/restore/")
    assert [kind for kind, _ in told(as_alice)] == ["follow", "like"]
    assert as_alice.post("/notifications/restore/", follow=True).status_code == 200


def test_one_kind_is_shown_alone(as_alice, alice, bob, post):
    like_post(post_id=post, actor=bob)
    follow(bob, alice)
    assert told(as_alice, "/notifications/?kind=follow") == [("follow", ["bob"])]
    assert as_alice.get("/notifications/?kind=nonsense").status_code == 404


def test_a_request_is_answered_in_place(as_alice, alice, bob, carol):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    follow(carol, alice)
    page = html(as_alice)
    answer = send(as_alice, page, reverse("accept_follow_request", args=["bob"]))
    assert answer["Location"] == "/notifications/"
    send(as_alice, page, reverse("reject_follow_request", args=["carol"]))
    assert told(as_alice) == [("follow", ["bob"])]
    as_alice.force_login(bob)
    assert told(as_alice) == [("accepted", ["alice"])]


def test_people_one_does_not_know_wait_on_a_page_of_their_own(as_alice, alice, bob, carol, post):
    follow(alice, bob)
    sent = {"on": [kind.name for kind in kinds() if kind.can_be_disabled], "filters": ["strangers"]}
    assert as_alice.post("/settings/notifications/", sent)["Location"] == "/settings/notifications/"
    for user in (bob, carol):
        like_post(post_id=post, actor=user)
    assert told(as_alice) == [("like", ["bob"])]
    assert unread(alice) == 1
    assert "1 notification from people you may not know" in words(html(as_alice))
    assert told(as_alice, "/notifications/held/") == [("like", ["carol"])]
    send(as_alice, html(as_alice, "/notifications/held/"), "/notifications/let-through/")
    assert told(as_alice) == [("like", ["carol", "bob"])]
    assert unread(alice) == 2


def test_a_kind_that_is_off_is_not_told(as_alice, alice, bob, post):
    page = html(as_alice, "/settings/notifications/")
    assert page.count(" checked") == sum(kind.can_be_disabled for kind in kinds())
    as_alice.post("/settings/notifications/", {"on": ["mention", "like"]})
    assert html(as_alice, "/settings/notifications/").count(" checked") == 2
    follow(bob, alice)
    like_post(post_id=post, actor=bob)
    assert told(as_alice) == [("like", ["bob"])]


@pytest.mark.parametrize("sent", [{"on": ["request"]}, {"on": ["x"]}, {"filters": ["y"]}])
def test_choices_there_are_none_of_are_refused(as_alice, alice, sent):
    assert as_alice.post("/settings/notifications/", sent).status_code == 422
    assert choices_of(recipient=alice.pk) == Preferences()


def test_one_hears_of_a_post_what_one_chooses(client, alice, bob, carol, post):
    client.force_login(bob)
    path = f"/posts/{post}/notifications/"
    assert f'href="{path}"' in html(client, "/public/")
    assert client.post(path, {"choice": "follow"})["Location"] == f"/@alice/{post}/"
    assert 'value="follow" checked' in html(client, path)
    add_comment(post_id=post, actor=carol, text="First")
    assert told(client) == [("thread", ["carol"])]
    client.post(path, {"choice": "mute"})
    assert 'value="mute" checked' in html(client, path)
    add_comment(post_id=post, actor=carol, text="@bob Second")
    assert told(client) == [("thread", ["carol"])]
    client.post(path, {"choice": "usual"})
    add_comment(post_id=post, actor=carol, text="@bob Third")
    assert told(client) == [("mention", ["carol"]), ("thread", ["carol"])]
    client.force_login(UserFactory())
    hidden = publish(alice, "hidden", "followers")
    assert client.post(f"/posts/{hidden}/notifications/", {"choice": "follow"}).status_code == 404


def test_what_cannot_be_shown_any_more_counts_no_more(as_alice, alice, bob, carol):
    post = publish(carol, "@alice hello")
    like_post(post_id=publish(alice, "mine"), actor=bob)
    assert unread(alice) == 2
    set_private(uid=carol.pk, is_private=True)
    assert told(as_alice) == [("like", ["bob"])]
    assert unread(alice) == 1
    set_private(uid=carol.pk, is_private=False)
    assert told(as_alice) == [("like", ["bob"]), ("mention", ["carol"])]
    assert post


@pytest.mark.parametrize("ids", ["", "x", "1,x", "1,,2", "9" * 30, ",".join(["1"] * 201), "-1"])
@pytest.mark.parametrize("action", ["read", "unread", "seen", "dismiss", "clear", "let-through"])
def test_nonsense_changes_nothing(as_alice, alice, bob, post, action, ids):
    like_post(post_id=post, actor=bob)
    assert as_alice.post(f"/notifications/{action}/", {"ids": ids}).status_code == 302
    assert told(as_alice) == [("like", ["bob"])]
    assert unread(alice) == 1


def test_nobody_touches_the_notifications_of_others(client, alice, bob, carol, post):
    like_post(post_id=post, actor=bob)
    client.force_login(alice)
    page = html(client)
    client.force_login(carol)
    for action in ("read", "dismiss", "clear"):
        (result,) = [page.split('name="ids" value="')[1].split('"')[0]]
        client.post(f"/notifications/{action}/", {"ids": result})
    assert unread(alice) == 1
    client.logout()
    for path in ("", "held/", "older/"):
        assert client.get(f"/notifications/{path}")["Location"].startswith("/accounts/login/")
    assert client.post("/notifications/read/", {"ids": result})["Location"].startswith("/accounts/")
    assert unread(alice) == 1


def test_older_ones_are_read_to_the_end(as_alice, alice, monkeypatch):
    monkeypatch.setattr("notifications.store.expressions.BOX_SIZE", 5)
    monkeypatch.setattr("notifications.store.expressions.BUCKET_SIZE", 3)
    monkeypatch.setattr("notifications.store.history.BUCKET_SIZE", 3)
    authors = people(12)
    for author in authors:
        publish(author, "@alice")
    from notifications.store import history

    history.seal_overflow(recipients=[alice.pk])
    seen = [names for _, names in told(as_alice)]
    path = "/notifications/older/"
    while path:
        response = as_alice.get(path)
        page = response.context["page"]
        seen += [
            [card.username for card in notification.people] for notification in page.notifications
        ]
        path = f"/notifications/older/?before={page.older_cursor}" if page.older_cursor else None
    assert seen == [[author.username] for author in reversed(authors)]


def tell_everything_of(actors, *, reader):
    """Insert a like, a comment, a post and a follow of each actor in bulk, and tell the reader of each."""
    post = publish(reader, "About dogs")
    answers = [(actor, f"@{reader.username} yes") for actor in actors]
    comments = add_conversation(post, likers=actors, comments=answers)
    text = f"@{reader.username} hi"
    posts = Post.objects.bulk_create(Post(author=actor, text=text) for actor in actors)
    follow_many(actors, reader)
    for actor, comment, mentioning in zip(actors, comments, posts, strict=True):
        for kind, where in (
            ("like", {"post": post}),
            ("mention", {"post": post, "comment": comment}),
            ("mention", {"post": mentioning.pk}),
            ("follow", {}),
        ):
            notify(kind=kind, actor=actor.pk, recipients=[reader.pk], **where)


def test_the_page_costs_the_same_for_few_as_for_many(as_alice, alice, bob, record_commands, post):
    def commands():
        html(as_alice)
        user_cards.clear_cards()
        with record_commands() as result:
            html(as_alice)
        return [(name, asked[name]) for name, asked in result]

    def everything(actor):
        like_post(post_id=post, actor=actor)
        comment = add_comment(post_id=post, actor=actor, text="@alice yes")
        like_comment(post_id=post, comment_id=comment, actor=bob)
        publish(actor, "@alice hi")
        follow(actor, alice)

    everything(bob)
    few = commands()
    tell_everything_of(people(6), reader=alice)
    assert commands() == few
    kinds_shown = [kind for kind, _ in told(as_alice)]
    assert kinds_shown.count("mention") == 2 + 2 * 6
    assert {"like", "follow"} < set(kinds_shown)
    assert len(few) <= 10


def test_the_badge_costs_one_command_and_only_who_is_signed_in(client, alice, record_commands):
    def boxes():
        client.get("/people/")
        with record_commands() as result:
            client.get("/people/")
        return [name for name, asked in result if asked.get(name) == "notification_boxes"]

    assert boxes() == []
    client.force_login(alice)
    assert boxes() == ["find"]


def test_every_kind_has_its_words(as_alice, alice, bob, post):
    comment = add_comment(post_id=post, actor=bob, text="Said")
    for kind in kinds():
        notify(
            kind=kind.name,
            actor=0 if kind.name == "notice" else bob.pk,
            recipients=[alice.pk],
            post=0 if kind.name in ("follow", "request", "accepted", "notice") else post,
            comment=comment if kind.name in ("reply", "comment", "thread") else 0,
            text="Please be kind." if kind.name == "notice" else "",
        )
    page = words(html(as_alice))
    for text in (
        "Bob Brown mentioned you",
        "Bob Brown replied to you",
        "Bob Brown commented on your post",
        "Bob Brown commented on a post you follow",
        "Bob Brown liked your post",
        "Bob Brown shared your post",
        "Bob Brown follows you",
        "Bob Brown requested to follow you",
        "Bob Brown accepted your follow request",
        "Bob Brown also reviewed something you reviewed",
        "You have a message from the moderators",
        "Please be kind.",
    ):
        assert text in page
