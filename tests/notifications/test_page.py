"""The page of notifications: its content, its forms and its cost."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import user_cards
from accounts.infra.ids import first_id_at
from accounts.services.profiles import set_private
from feed.models import Post
from notifications.kinds import kinds
from notifications.selectors import pages
from notifications.services.delivery import (
    NEW_ACCOUNT,
    NEW_ACCOUNT_AGE,
    NOT_FOLLOWED,
    NOT_FOLLOWER,
    notify,
    sender_classes,
)
from notifications.store.boxes import unread_counts
from notifications.store.preferences import Preferences
from notifications.store.preferences import get_preferences as preferences_of
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


def shown(client, path="/notifications/"):
    """Return the notifications on the page as (kind, usernames)."""
    page = client.get(path).context["page"]
    return [
        (notification.kind.name, [card.username for card in notification.people])
        for notification in page.notifications
    ]


def badge(page):
    """Return the visible and the spoken text of the badge in the header."""
    return words(page[page.index('<span id="badge"') :].split("</span></span>")[0])


def unread(user):
    return unread_counts(recipient=user.pk).notifications


def test_the_page_has_the_texts_for_new_notifications(as_alice):
    page = html(as_alice)
    assert '"one": "%s new notification"' in page
    assert '"other": "%s new notifications"' in page


def test_a_page_without_notifications_has_an_explanation(as_alice):
    page = words(html(as_alice))
    assert "No new notifications" in page
    assert badge(html(as_alice)) == ""


def test_likes_of_a_post_are_grouped(as_alice, bob, carol, post):
    others = people(3)
    for user in (bob, carol, *others):
        like_post(post_id=post, actor=user)
    assert shown(as_alice) == [("like", ["p2", "p1", "p0", "carol", "bob"])]
    page = html(as_alice)
    assert "p2 and 4 others liked your post" in words(page)
    assert "About cats" in words(page)
    group = page[page.index('<details class="group">') :]
    for user in (bob, carol, *others):
        assert f"@{user.username}" in group
    assert badge(page) == "5 5 unread notifications"


def test_a_group_of_two_names_both_users(as_alice, bob, carol, post):
    for user in (bob, carol):
        like_post(post_id=post, actor=user)
    assert "Carol Clark and Bob Brown liked your post" in words(html(as_alice))


def test_distant_notifications_are_not_grouped(as_alice, alice, bob, carol, post, monkeypatch):
    like_post(post_id=post, actor=bob)
    monkeypatch.setattr(
        "notifications.selectors.notification_views.GROUP_WINDOW", -pages.UNDO_WINDOW
    )
    like_post(post_id=post, actor=carol)
    assert shown(as_alice) == [("like", ["carol"]), ("like", ["bob"])]


def test_the_script_marks_only_the_shown_notifications_as_seen(as_alice, alice, bob, carol, post):
    like_post(post_id=post, actor=bob)
    page = html(as_alice)
    assert unread(alice) == 1
    like_post(post_id=post, actor=carol)  # after the page was opened
    ids = page.rsplit('name="ids" value="', 1)[1].split('"')[0]
    response = as_alice.post("/notifications/seen/", {"ids": ids}, headers={"HX-Request": "true"})
    assert badge(response.content.decode()) == "1 1 unread notification"
    assert unread(alice) == 1


def test_notifications_are_marked_as_read_and_unread(as_alice, alice, bob, post):
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


def test_dismissing_and_clearing_can_be_undone(as_alice, alice, bob, carol, post):
    for user in (bob, carol):
        like_post(post_id=post, actor=user)
    follow(bob, alice)
    assert [kind for kind, _ in shown(as_alice)] == ["follow", "like"]
    send(as_alice, html(as_alice), "/notifications/dismiss/")
    assert [kind for kind, _ in shown(as_alice)] == ["like"]
    send(as_alice, html(as_alice), "/notifications/restore/")
    assert [kind for kind, _ in shown(as_alice)] == ["follow", "like"]
    send(as_alice, html(as_alice), "/notifications/clear/")
    assert shown(as_alice) == []
    send(as_alice, html(as_alice), "/notifications/restore/")
    assert [kind for kind, _ in shown(as_alice)] == ["follow", "like"]
    assert as_alice.post("/notifications/restore/", follow=True).status_code == 200


def test_notifications_are_filtered_by_kind(as_alice, alice, bob, post):
    like_post(post_id=post, actor=bob)
    follow(bob, alice)
    assert shown(as_alice, "/notifications/?kind=follow") == [("follow", ["bob"])]
    assert as_alice.get("/notifications/?kind=nonsense").status_code == 404


def test_follow_requests_are_decided_on_the_page(as_alice, alice, bob, carol):
    set_private(uid=alice.pk, is_private=True)
    follow(bob, alice)
    follow(carol, alice)
    page = html(as_alice)
    response = send(as_alice, page, reverse("accept_follow_request", args=["bob"]))
    assert response["Location"] == "/notifications/"
    send(as_alice, page, reverse("reject_follow_request", args=["carol"]))
    assert shown(as_alice) == [("follow", ["bob"])]
    as_alice.force_login(bob)
    assert shown(as_alice) == [("accepted", ["alice"])]


def test_notifications_of_strangers_are_on_the_filtered_page(as_alice, alice, bob, carol, post):
    follow(alice, bob)
    settings_data = {
        "on": [kind.name for kind in kinds() if kind.can_be_disabled],
        "filters": ["strangers"],
    }
    assert (
        as_alice.post("/settings/notifications/", settings_data)["Location"]
        == "/settings/notifications/"
    )
    for user in (bob, carol):
        like_post(post_id=post, actor=user)
    assert shown(as_alice) == [("like", ["bob"])]
    assert unread(alice) == 1
    assert "1 notification from people you may not know" in words(html(as_alice))
    assert shown(as_alice, "/notifications/filtered/") == [("like", ["carol"])]
    send(as_alice, html(as_alice, "/notifications/filtered/"), "/notifications/filtered/accept/")
    assert shown(as_alice) == [("like", ["carol", "bob"])]
    assert unread(alice) == 2


def test_filters_know_followers_strangers_and_new_accounts(alice):
    month_ago = first_id_at(moment=timezone.now() - NEW_ACCOUNT_AGE)
    friend, idol, fan = (UserFactory(id=month_ago - number) for number in range(1, 4))
    newcomer = UserFactory()
    for user in (friend, fan, newcomer):
        follow(user, alice)
    for user in (friend, idol, newcomer):
        follow(alice, user)

    def classes_of(actor):
        return sender_classes(recipients=[alice.pk], actor=actor.pk)[alice.pk]

    assert classes_of(friend) == []
    assert classes_of(idol) == [NOT_FOLLOWER]
    assert classes_of(fan) == [NOT_FOLLOWED]
    assert classes_of(newcomer) == [NEW_ACCOUNT]


def test_a_disabled_kind_is_not_delivered(as_alice, alice, bob, post):
    page = html(as_alice, "/settings/notifications/")
    assert page.count(" checked") == sum(kind.can_be_disabled for kind in kinds())
    as_alice.post("/settings/notifications/", {"on": ["mention", "like"]})
    assert html(as_alice, "/settings/notifications/").count(" checked") == 2
    follow(bob, alice)
    like_post(post_id=post, actor=bob)
    assert shown(as_alice) == [("like", ["bob"])]


@pytest.mark.parametrize("settings_data", [{"on": ["request"]}, {"on": ["x"]}, {"filters": ["y"]}])
def test_invalid_preferences_are_refused(as_alice, alice, settings_data):
    assert as_alice.post("/settings/notifications/", settings_data).status_code == 422
    assert preferences_of(recipient=alice.pk) == Preferences()


def test_threads_are_followed_and_muted_on_their_page(client, alice, bob, carol, post):
    client.force_login(bob)
    path = f"/posts/{post}/notifications/"
    assert f'href="{path}"' in html(client, f"/posts/{post}/options/")
    assert client.post(path, {"choice": "follow"})["Location"] == f"/@alice/{post}/"
    assert 'value="follow" checked' in html(client, path)
    add_comment(post_id=post, actor=carol, text="First")
    assert shown(client) == [("thread", ["carol"])]
    client.post(path, {"choice": "mute"})
    assert 'value="mute" checked' in html(client, path)
    add_comment(post_id=post, actor=carol, text="@bob Second")
    assert shown(client) == [("thread", ["carol"])]
    client.post(path, {"choice": "usual"})
    add_comment(post_id=post, actor=carol, text="@bob Third")
    assert shown(client) == [("mention", ["carol"]), ("thread", ["carol"])]
    client.force_login(UserFactory())
    hidden = publish(alice, "hidden", "followers")
    assert client.post(f"/posts/{hidden}/notifications/", {"choice": "follow"}).status_code == 404


def test_hidden_notifications_do_not_count_as_unread(as_alice, alice, bob, carol):
    post = publish(carol, "@alice hello")
    like_post(post_id=publish(alice, "mine"), actor=bob)
    assert unread(alice) == 2
    set_private(uid=carol.pk, is_private=True)
    assert shown(as_alice) == [("like", ["bob"])]
    assert unread(alice) == 1
    set_private(uid=carol.pk, is_private=False)
    assert shown(as_alice) == [("like", ["bob"]), ("mention", ["carol"])]
    assert post


INVALID_IDS = ("", "x", "1,x", "1,,2", "9" * 30, ",".join(["1"] * 201), "-1")


def test_invalid_ids_change_nothing(as_alice, alice, bob, post):
    like_post(post_id=post, actor=bob)
    requests = [("read", ids) for ids in INVALID_IDS]
    requests += [
        (action, ids)
        for action in ("unread", "seen", "dismiss", "clear", "filtered/accept")
        for ids in ("", "x", "9" * 30)
    ]
    for action, ids in requests:
        response = as_alice.post(f"/notifications/{action}/", {"ids": ids})
        assert response.status_code == 302, (action, ids)
        assert unread(alice) == 1, (action, ids)
    assert shown(as_alice) == [("like", ["bob"])]


def test_users_cannot_change_notifications_of_others(client, alice, bob, carol, post):
    like_post(post_id=post, actor=bob)
    client.force_login(alice)
    page = html(client)
    client.force_login(carol)
    for action in ("read", "dismiss", "clear"):
        (ids,) = [page.split('name="ids" value="')[1].split('"')[0]]
        client.post(f"/notifications/{action}/", {"ids": ids})
    assert unread(alice) == 1
    client.logout()
    for path in ("", "filtered/", "older/"):
        assert client.get(f"/notifications/{path}")["Location"].startswith("/accounts/login/")
    assert client.post("/notifications/read/", {"ids": ids})["Location"].startswith("/accounts/")
    assert unread(alice) == 1


def test_all_older_notifications_are_reachable(as_alice, alice, monkeypatch):
    monkeypatch.setattr("notifications.store.expressions.BOX_SIZE", 5)
    monkeypatch.setattr("notifications.store.expressions.BUCKET_SIZE", 3)
    monkeypatch.setattr("notifications.store.history.BUCKET_SIZE", 3)
    authors = people(12)
    for author in authors:
        publish(author, "@alice")
    from notifications.store import history

    history.seal_overflow(recipients=[alice.pk])
    usernames = [names for _, names in shown(as_alice)]
    path = "/notifications/older/"
    while path:
        response = as_alice.get(path)
        page = response.context["page"]
        usernames += [
            [card.username for card in notification.people] for notification in page.notifications
        ]
        path = f"/notifications/older/?before={page.older_cursor}" if page.older_cursor else None
    assert usernames == [[author.username] for author in reversed(authors)]


def notify_about_everything(actors, *, recipient):
    """Insert a like, a comment, a post and a follow of each actor, and notify the recipient."""
    post = publish(recipient, "About dogs")
    replies = [(actor, f"@{recipient.username} yes") for actor in actors]
    comments = add_conversation(post, likers=actors, comments=replies)
    text = f"@{recipient.username} hi"
    posts = Post.objects.bulk_create(Post(author=actor, text=text) for actor in actors)
    follow_many(actors, recipient)
    for actor, comment, mentioning in zip(actors, comments, posts, strict=True):
        for kind, subject in (
            ("like", {"post": post}),
            ("mention", {"post": post, "comment": comment}),
            ("mention", {"post": mentioning.pk}),
            ("follow", {}),
        ):
            notify(kind=kind, actor=actor.pk, recipients=[recipient.pk], **subject)


def test_the_page_costs_the_same_for_few_and_many_notifications(
    as_alice, alice, bob, record_commands, post
):
    def commands():
        html(as_alice)
        user_cards.clear_cards()
        with record_commands() as recorded:
            html(as_alice)
        return [(name, command[name]) for name, command in recorded]

    def do_everything(actor):
        like_post(post_id=post, actor=actor)
        comment = add_comment(post_id=post, actor=actor, text="@alice yes")
        like_comment(post_id=post, comment_id=comment, actor=bob)
        publish(actor, "@alice hi")
        follow(actor, alice)

    do_everything(bob)
    few = commands()
    notify_about_everything(people(6), recipient=alice)
    assert commands() == few
    kinds_shown = [kind for kind, _ in shown(as_alice)]
    assert kinds_shown.count("mention") == 2 + 2 * 6
    assert {"like", "follow"} < set(kinds_shown)
    assert len(few) <= 10, "\n".join(map(str, few))


def test_the_badge_costs_one_command_for_users_who_are_logged_in(client, alice, record_commands):
    def box_commands():
        client.get("/explore/people/")
        with record_commands() as recorded:
            client.get("/explore/people/")
        return [name for name, command in recorded if command.get(name) == "notification_boxes"]

    assert box_commands() == []
    client.force_login(alice)
    assert box_commands() == ["find"]


def test_every_kind_has_its_text(as_alice, alice, bob, post):
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
