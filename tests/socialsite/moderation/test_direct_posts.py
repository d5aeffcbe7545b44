"""Moderators cannot read direct posts, their comments and direct comments unless they were reported."""

import pytest

from feed.models import Post
from tests.actions import add_comment
from tests.factories import publish
from tests.feed.comment_helpers import ids, page, say

from .moderator_client import CASES, latest_action, report

POSTS = "/admin/feed/post/"
SECRET, COMMENT = "meet me at nine", "I shall be there"


@pytest.fixture
def direct(alice, bob):
    return publish(bob, f"@alice {SECRET}", visibility="direct")


@pytest.fixture
def comment(direct, alice):
    return say(direct, alice, COMMENT)


@pytest.fixture
def public(bob):
    return publish(bob, "open to all")


@pytest.fixture
def limited(public, alice):
    """Return a comment on a public post that only carol may read."""
    text = f"@carol {COMMENT}"
    return add_comment(post_id=public, actor=alice, text=text, visibility="direct")


def test_moderators_do_not_read_direct_comments_on_public_posts(
    moderator_client, public, limited, alice, carol
):
    reply = say(public, carol, SECRET, parent=limited)
    new_path = f"{CASES}new/?kind=comment&id={limited}&post={public}"
    paths = [f"{CASES}comments/", f"{CASES}comments/?q={limited}", f"{CASES}comments/?q=shall"]
    for path in (*paths, new_path):
        html = moderator_client.client.get(path, follow=True).content.decode()
        assert COMMENT not in html
        assert SECRET not in html
    data = {"kind": "comment", "id": limited, "post": public}
    assert moderator_client.client.post(f"{CASES}new/", data).status_code == 404
    case = report(alice, "comment", reply, post=public)
    html = moderator_client.text(case)
    assert SECRET in html
    assert COMMENT not in html
    assert "open to all" in html


def test_a_reported_direct_comment_can_be_removed_and_restored(
    moderator_client, public, limited, carol
):
    case = report(carol, "comment", limited, post=public)
    assert COMMENT in moderator_client.text(case)
    moderator_client.act(case, "remove")
    assert ids(page(public, carol)) == []
    moderator_client.undo(latest_action())
    assert ids(page(public, carol)) == [limited]
    assert Post.objects.get(pk=public).comments == 0


@pytest.mark.parametrize(
    "paths",
    [
        ["/admin/"],
        [POSTS, f"{POSTS}?q=@bob", f"{POSTS}?q=nine", f"{POSTS}?q={{direct}}"],
        ["/admin/feed/delivery/?state=all", "/admin/feed/delivery/"],
        [f"{CASES}comments/", f"{CASES}comments/?q=shall", f"{CASES}comments/?q=@alice"],
        [f"{CASES}comments/?q={{comment}}", f"{CASES}{{case}}/change/"],
        [f"{CASES}bulk/?person={{bob}}"],
    ],
    ids=["dashboard", "posts", "deliveries", "comments", "comment and case", "bulk"],
)
def test_no_admin_page_shows_direct_posts(moderator_client, direct, comment, alice, bob, paths):
    Post.objects.filter(pk=direct).update(delivery_state="failed")
    case = report(alice, "person", bob.pk)
    publish(bob, "to everybody")
    for pattern in paths:
        path = pattern.format(direct=direct, comment=comment, case=case.pk, bob=bob.pk)
        response = moderator_client.client.get(path)
        assert response.status_code in (200, 403), path
        assert SECRET not in response.content.decode(), path
        assert COMMENT not in response.content.decode(), path


def test_moderators_can_neither_open_nor_remove_direct_posts(
    moderator_client, direct, comment, alice, bob
):
    Post.objects.filter(pk=direct).update(delivery_state="failed")
    report(alice, "person", bob.pk)
    publish(bob, "to everybody")
    for path in (
        f"{POSTS}{direct}/change/",
        f"{CASES}new/?kind=post&id={direct}",
        f"{CASES}new/?kind=comment&id={comment}&post={direct}",
    ):
        assert SECRET not in moderator_client.client.get(path, follow=True).content.decode()
        assert COMMENT not in moderator_client.client.get(path, follow=True).content.decode()
    data = {"kind": "post", "ids": [direct], "action": "remove"}
    page = moderator_client.client.post(f"{CASES}bulk/", data, follow=True)
    assert SECRET not in page.content.decode()
    assert Post.objects.get(pk=direct).hidden == ""
    assert (
        moderator_client.client.post(f"{CASES}new/", {"kind": "post", "id": direct}).status_code
        == 404
    )


def test_a_reported_direct_post_is_readable_in_its_case_only(
    moderator_client, direct, comment, alice
):
    case = report(alice, "post", direct)
    assert SECRET in moderator_client.text(case)
    assert COMMENT not in moderator_client.text(case)
    assert SECRET not in moderator_client.client.get("/admin/feed/post/").content.decode()


def test_a_reported_comment_is_readable_without_its_direct_post(
    moderator_client, direct, comment, bob
):
    case = report(bob, "comment", comment, post=direct)
    html = moderator_client.text(case)
    assert COMMENT in html
    assert SECRET not in html
    assert "because it was not reported" in html


def test_moderators_cannot_read_direct_posts_in_cases_of_superusers(
    moderator_client, client, moderator, direct, admin_user, bob
):
    from feed.services.posts import delete_post
    from socialsite.moderation.models import Case

    client.force_login(admin_user)
    assert SECRET in client.get("/admin/feed/post/").content.decode()
    assert client.post(f"{CASES}new/", {"kind": "post", "id": direct}).status_code == 302
    case = Case.objects.get()
    assert SECRET in moderator_client.text(case)
    client.force_login(moderator)
    assert SECRET not in moderator_client.text(case)
    delete_post(post_id=direct, actor=bob)
    assert SECRET not in moderator_client.text(case)
