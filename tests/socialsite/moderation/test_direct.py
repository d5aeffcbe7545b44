"""Posts to single people are not for moderators, unless somebody has reported them."""

import pytest

from feed.models import Post
from tests.factories import publish
from tests.feed.talking import say

from .desk import CASES, report

POSTS = "/admin/feed/post/"
SECRET, ANSWER = "meet me at nine", "I shall be there"


@pytest.fixture
def direct(alice, bob):
    return publish(bob, f"@alice {SECRET}", visibility="direct")


@pytest.fixture
def answer(direct, alice):
    return say(direct, alice, ANSWER)


@pytest.mark.parametrize(
    "paths",
    [
        ["/admin/"],
        [POSTS, f"{POSTS}?q=@bob", f"{POSTS}?q=nine", f"{POSTS}?q={{direct}}"],
        ["/admin/feed/delivery/?state=all", "/admin/feed/delivery/"],
        [f"{CASES}comments/", f"{CASES}comments/?q=shall", f"{CASES}comments/?q=@alice"],
        [f"{CASES}comments/?q={{answer}}", f"{CASES}{{case}}/change/"],
        [f"{CASES}bulk/?person={{bob}}"],
    ],
    ids=["front", "posts", "deliveries", "comments", "a comment and a case", "many at once"],
)
def test_no_page_of_the_admin_tells_moderators_of_them(desk, direct, answer, alice, bob, paths):
    Post.objects.filter(pk=direct).update(delivery_state="failed")
    person = report(alice, "person", bob.pk)
    publish(bob, "to everybody")
    for pattern in paths:
        path = pattern.format(direct=direct, answer=answer, case=person.pk, bob=bob.pk)
        response = desk.client.get(path)
        assert response.status_code in (200, 403), path
        assert SECRET not in response.content.decode(), path
        assert ANSWER not in response.content.decode(), path


def test_moderators_neither_open_nor_remove_them(desk, direct, answer, alice, bob):
    Post.objects.filter(pk=direct).update(delivery_state="failed")
    report(alice, "person", bob.pk)
    publish(bob, "to everybody")
    for path in (
        f"{POSTS}{direct}/change/",
        f"{CASES}new/?kind=post&id={direct}",
        f"{CASES}new/?kind=comment&id={answer}&post={direct}",
    ):
        assert SECRET not in desk.client.get(path, follow=True).content.decode()
        assert ANSWER not in desk.client.get(path, follow=True).content.decode()
    data = {"kind": "post", "ids": [direct], "action": "remove"}
    desk.client.post(f"{CASES}bulk/", data)
    assert Post.objects.get(pk=direct).hidden == ""
    assert desk.client.post(f"{CASES}new/", {"kind": "post", "id": direct}).status_code == 404


def test_a_reported_one_is_read_by_its_case_alone(desk, direct, answer, alice):
    case = report(alice, "post", direct)
    assert SECRET in desk.text(case)
    assert ANSWER not in desk.text(case)
    assert SECRET not in desk.client.get("/admin/feed/post/").content.decode()


def test_a_reported_answer_is_read_without_the_post_it_is_said_to(desk, direct, answer, bob):
    case = report(bob, "comment", answer, post=direct)
    shown = desk.text(case)
    assert ANSWER in shown
    assert SECRET not in shown
    assert "nobody has reported it" in shown


def test_who_may_read_all_opens_a_case_that_others_cannot_read(
    desk, client, moderator, direct, admin_user, bob
):
    from feed.services.posts import delete_post
    from socialsite.moderation.models import Case

    client.force_login(admin_user)
    assert SECRET in client.get("/admin/feed/post/").content.decode()
    assert client.post(f"{CASES}new/", {"kind": "post", "id": direct}).status_code == 302
    case = Case.objects.get()
    assert SECRET in desk.text(case)
    client.force_login(moderator)
    assert SECRET not in desk.text(case)
    delete_post(post_id=direct, actor=bob)
    assert SECRET not in desk.text(case)
