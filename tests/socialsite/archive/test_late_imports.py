"""Imported posts that are dated after their author joined, or a week before, are on the profile only."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import first_id_at, new_id
from feed.models import Post
from feed.selectors.new_posts import new_posts_in_public, new_posts_on_list
from feed.selectors.post_pages import attribute_page, profile_page, public_page
from feed.selectors.user_lists import list_timeline_page, owned_list
from feed.services.tags import follow_tag
from feed.services.user_lists import add_to_list, create_list
from feed.store.collections import tag_authors, tags
from feed.timeline.home import count_new_posts, home_page, new_posts_at_home
from notifications.store import boxes
from socialsite.moderation.models import Case
from tests.actions import edit_post
from tests.factories import UserFactory, follow

from .zips import import_zip, note, zipped

BOUNDS = PageBounds(limit=20)


def dated(number, content="<p>About #cats</p>", **ago):
    moment = timezone.now() - timedelta(**(ago or {"seconds": 2 + number}))
    return note(number, content, published=moment.isoformat())


def ids(page):
    return [post.id for post in page.posts]


@pytest.fixture
def imported(alice, bob, carol):
    """Let alice import posts with a hashtag. Return the ids of those that are late, and of the others."""
    follow(bob, alice)
    follow_tag(uid=carol.pk, tag="cats")
    home_page(viewer=bob.pk, bounds=BOUNDS)
    import_zip(zipped(*(dated(n) for n in range(3)), dated(3, days=6), dated(4, days=8)), alice)
    by_date = list(Post.objects.filter(author=alice).order_by("-pk").values_list("pk", flat=True))
    return by_date[:4], by_date[4:]


def test_late_imports_enter_no_timeline(imported, alice, bob, carol):
    late, old = imported
    assert (len(late), len(old)) == (4, 1)
    assert ids(public_page(viewer=None, bounds=BOUNDS)) == old
    assert ids(attribute_page(kind="hashtag", value="cats", viewer=None, bounds=BOUNDS)) == old
    for viewer in (alice, bob, carol):
        assert ids(home_page(viewer=viewer.pk, bounds=BOUNDS)) == old
        above = PageBounds(limit=20, min_id=0)
        assert ids(home_page(viewer=viewer.pk, bounds=above)) == old
        assert count_new_posts(viewer=viewer.pk, since_id=old[0], limit=9) == 0
    follow(carol, alice)  # the backfill
    assert ids(home_page(viewer=carol.pk, bounds=BOUNDS)) == old
    assert ids(profile_page(author=alice.pk, viewer=None, bounds=BOUNDS)) == [*late, *old]


def test_late_imports_enter_no_list_and_no_stream(imported, alice, bob):
    late, old = imported
    user_list = owned_list(owner=bob.pk, list_id=create_list(owner=bob, title="Cats"))
    add_to_list(owner=bob, user_list=user_list, uids=[alice.pk])
    user_list = owned_list(owner=bob.pk, list_id=user_list.id)
    assert ids(list_timeline_page(user_list=user_list, owner=bob.pk, bounds=BOUNDS)) == old
    for shown in (
        new_posts_at_home(viewer=bob.pk, post_ids=late),
        new_posts_in_public(viewer=bob.pk, post_ids=late),
        new_posts_on_list(owner=bob.pk, user_list=user_list, post_ids=late),
    ):
        assert shown == ()


def test_late_imports_stay_out_after_an_edit_and_do_not_trend(imported, alice, bob):
    late, old = imported
    assert tags().find_one({"_id": "cats"})["newest"] == old[0]
    edit_post(post_id=late[0], actor=alice, text="About #dogs")
    assert ids(home_page(viewer=bob.pk, bounds=BOUNDS)) == old
    assert tags().count_documents({"_id": "dogs"}) == 0
    assert tag_authors().count_documents({}) == 0


def test_an_old_account_imports_posts_of_the_time_before_it_joined(bob, clean_site):
    uid = first_id_at(moment=timezone.now() - timedelta(days=30))
    author = UserFactory(id=uid, username="old_timer")
    import_zip(zipped(dated(1, days=38), dated(2, days=36), dated(3, days=1)), author)
    assert len(ids(public_page(viewer=None, bounds=BOUNDS))) == 1
    assert not Case.objects.exists()


def test_imported_posts_notify_nobody(alice, bob):
    follow(bob, alice)
    import_zip(zipped(dated(1, "<p>Hello @bob</p>"), dated(2, "<p>@bob</p>", days=9)), alice)
    assert [row.kind for row in boxes.get(recipient=bob.pk).recent] == []


def test_imported_posts_of_new_accounts_are_checked_for_spam(alice):
    advert = "<p>a.com b.com c.com</p>"
    import_zip(zipped(dated(1, advert), dated(2)), alice)
    (case,) = Case.objects.all()
    post = Post.objects.get(text__contains="a.com")
    assert (case.subject_kind, case.subject, case.reasons) == ("post", post.pk, ["links"])


def test_moderators_see_a_large_import_of_a_new_account_as_one_case(alice, monkeypatch):
    monkeypatch.setattr("socialsite.archive.importer.LARGE_IMPORT_SIZE", 3)
    items = [dated(n, f"<p>{n} a.com b.com c.com</p>") for n in range(3)]
    mark = new_id()
    import_zip(zipped(*items), alice, mark)
    (case,) = Case.objects.all()
    assert (case.subject_kind, case.subject) == ("person", alice.pk)
    assert case.reasons == ["large_import", "links"]
    import_zip(zipped(*items), alice, mark)
    assert Case.objects.count() == 1
