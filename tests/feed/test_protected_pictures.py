"""Access to picture files: pictures that are not public need a signed URL."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.services.account_status import suspend_user, unsuspend_user
from accounts.services.profiles import set_private
from feed import picture_files
from feed.models import Picture, Post
from feed.selectors.pictures import picture_view
from feed.services.posts import delete_post
from tests.api.api_client import Api
from tests.api.test_media import upload
from tests.factories import follow
from tests.feed.picture_uploads import publish_pictures, stored
from tests.uploads import picture

pytestmark = pytest.mark.usefixtures("no_pictures", "every_cache")
URL = re.compile(r'/media/pictures/[0-9a-f]{32}-large\.webp[^" ]*')


def unsigned_url(post, size="large"):
    return f"/media/pictures/{post.media[0]['name']}-{size}.webp"


def url_shown_to(user, post):
    """Return the URL of the large picture on the page of the post."""
    client = Client()
    client.force_login(user)
    html = client.get(f"/@alice/{post.pk}/").content.decode()
    return URL.search(html)[0].replace("&amp;", "&")


def get(url):
    """Load a picture without a session or a token, as apps do."""
    response = Client().get(url)
    response.close()
    return response


@pytest.mark.parametrize("visibility", ["followers", "direct"])
def test_a_picture_that_is_not_public_needs_a_signed_url(alice, bob, visibility):
    follow(bob, alice)
    post = publish_pictures(alice, picture(), text="@bob look", visibility=visibility)
    for size in picture_files.SIZES:
        assert get(unsigned_url(post, size)).status_code == 404
    for viewer in (alice, bob):
        response = get(url_shown_to(viewer, post))
        assert response.status_code == 200
        assert "private" in response["Cache-Control"]
        assert "public" not in response["Cache-Control"]
        assert "immutable" not in response["Cache-Control"]
        seconds = int(re.search(r"max-age=(\d+)", response["Cache-Control"])[1])
        assert 0 < seconds <= 86_400


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_public_picture_needs_no_signature_and_is_cached_for_a_year(alice, visibility):
    post = publish_pictures(alice, picture(), visibility=visibility)
    assert url_shown_to(alice, post) == unsigned_url(post)
    response = get(unsigned_url(post))
    assert response.status_code == 200
    assert {"public", "immutable", "max-age=31536000"} <= {
        part.strip() for part in response["Cache-Control"].split(",")
    }


def test_a_signed_url_is_valid_for_half_a_day_to_a_day(alice, monkeypatch):
    post = publish_pictures(alice, picture(), visibility="followers")
    url = url_shown_to(alice, post)
    now = timezone.now().timestamp()
    for hours, status in ((0, 200), (11, 200), (24, 404), (48, 404)):
        monkeypatch.setattr(picture_files.time, "time", lambda hours=hours: now + hours * 3600)
        assert get(url).status_code == status, hours


def test_a_signature_is_valid_only_for_its_picture_and_time(alice):
    post, other = (publish_pictures(alice, picture(), visibility="followers") for _ in range(2))
    url = url_shown_to(alice, post)
    changed_urls = (
        url.replace(post.media[0]["name"], other.media[0]["name"]),
        re.sub(r"until=(\d+)", lambda match: f"until={int(match[1]) + 1}", url),
        url[:-2] + "xx",
        re.sub(r"&key=.*", "", url),
        re.sub(r"until=\d+", "until=٣", url) + "\x00é",
    )
    for changed_url in changed_urls:
        assert get(changed_url).status_code == 404, changed_url
    assert get(url).status_code == 200


def test_only_followers_see_the_pictures_of_a_private_account(alice, bob):
    follow(bob, alice)
    post = publish_pictures(alice, picture())
    assert get(unsigned_url(post)).status_code == 200
    set_private(uid=alice.pk, is_private=True)
    assert get(unsigned_url(post)).status_code == 404
    assert get(url_shown_to(bob, post)).status_code == 200
    set_private(uid=alice.pk, is_private=False)
    assert get(unsigned_url(post)).status_code == 200


def test_apps_get_signed_urls(alice, bob):
    follow(bob, alice)
    uploaded = upload(Api(alice)).json()
    assert get(uploaded["url"].removeprefix("http://testserver")).status_code == 200
    fields = {"media_ids": [uploaded["id"]], "visibility": "private", "status": "look"}
    status = Api(alice).post("statuses", **fields).json()
    media = Api(bob).get(f"statuses/{status['id']}").json()["media_attachments"][0]
    for url in (media["url"], media["preview_url"]):
        assert "?until=" in url
        assert get(url.removeprefix("http://testserver")).status_code == 200
    name = Picture.objects.get().name
    assert get(f"/media/pictures/{name}-large.webp").status_code == 404


def test_pictures_of_suspended_users_are_not_served(alice):
    post = publish_pictures(alice, picture())
    secret = publish_pictures(alice, picture(), visibility="followers")
    urls = [unsigned_url(post), url_shown_to(alice, secret)]
    suspend_user(uid=alice.pk)
    assert [get(url).status_code for url in urls] == [404, 404]
    unsuspend_user(uid=alice.pk)
    assert [get(url).status_code for url in urls] == [200, 200]


@pytest.mark.parametrize("keeps_pictures", [True, False])
def test_pictures_of_a_deleted_post_are_not_served(alice, keeps_pictures, asked):
    post = publish_pictures(alice, picture())
    delete_post(post_id=post.pk, actor=alice, should_keep_pictures=keeps_pictures)
    assert get(unsigned_url(post)).status_code == 404


@pytest.mark.parametrize("visibility", ["public", "followers"])
@pytest.mark.parametrize("keeps_pictures", [True, False])
def test_urls_shown_with_a_deleted_post_stop_working(alice, keeps_pictures, visibility, asked):
    """Signed URLs stop working even if the picture is kept for a redraft of the post."""
    post = publish_pictures(alice, picture(), visibility=visibility)
    url = url_shown_to(alice, post)
    assert get(url).status_code == 200
    delete_post(post_id=post.pk, actor=alice, should_keep_pictures=keeps_pictures)
    assert get(url).status_code == 404


@pytest.mark.parametrize("delete_media", [True, False])
def test_pictures_of_a_status_deleted_by_an_app_are_not_served(alice, delete_media, asked):
    uploaded = upload(Api(alice)).json()
    status = Api(alice).post("statuses", media_ids=[uploaded["id"]], status="look").json()
    url = status["media_attachments"][0]["url"].removeprefix("http://testserver")
    assert get(url).status_code == 200
    Api(alice).delete(f"statuses/{status['id']}?delete_media={str(delete_media).lower()}")
    assert not Post.objects.exists()
    assert get(url).status_code == 404


def test_the_author_sees_the_picture_of_a_post_pending_review(alice, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    post = publish_pictures(alice, picture())
    assert post.hidden == Post.Hidden.PENDING
    assert get(unsigned_url(post)).status_code == 404
    assert get(url_shown_to(alice, post)).status_code == 200


def test_an_unpublished_upload_has_a_signed_url_until_it_expires(alice):
    upload(Api(alice))
    waiting = Picture.objects.get()
    assert get(f"/media/pictures/{waiting.name}-large.webp").status_code == 404
    assert get(picture_view(picture=waiting).large_url).status_code == 200
    Picture.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(days=2))
    picture_files.expire_unpublished(before=timezone.now())
    assert stored()
    assert get(picture_view(picture=waiting).large_url).status_code == 404


def test_a_picture_costs_two_commands(alice, record_commands):
    post = publish_pictures(alice, picture())
    get(unsigned_url(post))
    with record_commands() as commands:
        assert get(unsigned_url(post)).status_code == 200
    assert [name for name, _ in commands] == ["aggregate", "aggregate"]
