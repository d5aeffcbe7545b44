"""Who gets which picture: signed addresses for those that not everybody may see."""

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
from tests.api.calling import Api
from tests.api.test_media import upload
from tests.factories import follow
from tests.feed.attaching import publish, stored
from tests.uploads import picture

pytestmark = pytest.mark.usefixtures("no_pictures")
ADDRESS = re.compile(r'/media/pictures/[0-9a-f]{32}-large\.webp[^" ]*')


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def bare(post, size="large"):
    return f"/media/pictures/{post.media[0]['name']}-{size}.webp"


def shown_to(user, post):
    """The address of the large picture on the post's page."""
    client = Client()
    client.force_login(user)
    html = client.get(f"/@alice/{post.pk}/").content.decode()
    return ADDRESS.search(html)[0].replace("&amp;", "&")


def get(address):
    """As apps load pictures: without a session or a token."""
    answer = Client().get(address)
    answer.close()
    return answer


@pytest.mark.parametrize("visibility", ["followers", "direct"])
def test_a_picture_that_not_everybody_may_see_needs_a_signed_address(
    as_alice, alice, bob, visibility
):
    follow(bob, alice)
    post = publish(as_alice, picture(), text="@bob look", visibility=visibility)
    for size in picture_files.SIZES:
        assert get(bare(post, size)).status_code == 404
    for viewer in (alice, bob):
        address = shown_to(viewer, post)
        answer = get(address)
        assert answer.status_code == 200
        assert "private" in answer["Cache-Control"]
        assert "public" not in answer["Cache-Control"]
        assert "immutable" not in answer["Cache-Control"]
        seconds = int(re.search(r"max-age=(\d+)", answer["Cache-Control"])[1])
        assert 0 < seconds <= 86_400


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_public_picture_needs_no_signature_and_is_kept_for_a_year(as_alice, alice, visibility):
    post = publish(as_alice, picture(), visibility=visibility)
    assert shown_to(alice, post) == bare(post)
    answer = get(bare(post))
    assert answer.status_code == 200
    assert {"public", "immutable", "max-age=31536000"} <= {
        part.strip() for part in answer["Cache-Control"].split(",")
    }


def test_a_signed_address_expires_within_a_day_and_is_good_for_half_a_day(
    as_alice, alice, monkeypatch
):
    post = publish(as_alice, picture(), visibility="followers")
    address = shown_to(alice, post)
    now = timezone.now().timestamp()
    for hours, status in ((0, 200), (11, 200), (24, 404), (48, 404)):
        monkeypatch.setattr(picture_files.time, "time", lambda hours=hours: now + hours * 3600)
        assert get(address).status_code == status, hours


@pytest.mark.parametrize("change", ["other", "until", "key", "missing", "odd"])
def test_a_signature_is_good_for_its_picture_and_time_alone(as_alice, alice, change):
    post = publish(as_alice, picture(), visibility="followers")
    other = publish(as_alice, picture(), visibility="followers")
    address = shown_to(alice, post)
    changed = {
        "other": address.replace(post.media[0]["name"], other.media[0]["name"]),
        "until": re.sub(r"until=(\d+)", lambda found: f"until={int(found[1]) + 1}", address),
        "key": address[:-2] + "xx",
        "missing": re.sub(r"&key=.*", "", address),
        "odd": re.sub(r"until=\d+", "until=٣", address) + "\x00é",
    }
    assert get(changed[change]).status_code == 404


def test_a_private_account_keeps_the_pictures_of_its_public_posts_to_followers(
    as_alice, alice, bob
):
    follow(bob, alice)
    post = publish(as_alice, picture())
    assert get(bare(post)).status_code == 200
    set_private(uid=alice.pk, is_private=True)
    assert get(bare(post)).status_code == 404
    assert get(shown_to(bob, post)).status_code == 200
    set_private(uid=alice.pk, is_private=False)
    assert get(bare(post)).status_code == 200


def test_apps_get_signed_addresses(alice, bob):
    follow(bob, alice)
    uploaded = upload(Api(alice)).json()
    assert get(uploaded["url"].removeprefix("http://testserver")).status_code == 200
    sent = {"media_ids": [uploaded["id"]], "visibility": "private", "status": "look"}
    status = Api(alice).post("statuses", **sent).json()
    seen = Api(bob).get(f"statuses/{status['id']}").json()["media_attachments"][0]
    for address in (seen["url"], seen["preview_url"]):
        assert "?until=" in address
        assert get(address.removeprefix("http://testserver")).status_code == 200
    name = Picture.objects.get().name
    assert get(f"/media/pictures/{name}-large.webp").status_code == 404


def test_pictures_of_suspended_and_closed_accounts_are_withheld(as_alice, alice):
    post = publish(as_alice, picture())
    secret = publish(as_alice, picture(), visibility="followers")
    addresses = [bare(post), shown_to(alice, secret)]
    suspend_user(uid=alice.pk)
    assert [get(address).status_code for address in addresses] == [404, 404]
    unsuspend_user(uid=alice.pk)
    assert [get(address).status_code for address in addresses] == [200, 200]


@pytest.mark.parametrize("keeps_pictures", [True, False])
def test_pictures_of_a_deleted_post_are_gone_at_once(as_alice, alice, keeps_pictures, asked):
    post = publish(as_alice, picture())
    delete_post(post_id=post.pk, actor=alice, should_keep_pictures=keeps_pictures)
    assert get(bare(post)).status_code == 404


@pytest.mark.parametrize("visibility", ["public", "followers"])
@pytest.mark.parametrize("keeps_pictures", [True, False])
def test_addresses_shown_with_a_deleted_post_lead_nowhere(
    as_alice, alice, keeps_pictures, visibility, asked
):
    """Also those with a signature, although the author may still publish the picture again."""
    post = publish(as_alice, picture(), visibility=visibility)
    address = shown_to(alice, post)
    assert get(address).status_code == 200
    delete_post(post_id=post.pk, actor=alice, should_keep_pictures=keeps_pictures)
    assert get(address).status_code == 404


@pytest.mark.parametrize("delete_media", [True, False])
def test_pictures_of_a_status_deleted_by_an_app_are_gone_at_once(alice, delete_media, asked):
    uploaded = upload(Api(alice)).json()
    status = Api(alice).post("statuses", media_ids=[uploaded["id"]], status="look").json()
    address = status["media_attachments"][0]["url"].removeprefix("http://testserver")
    assert get(address).status_code == 200
    Api(alice).delete(f"statuses/{status['id']}?delete_media={str(delete_media).lower()}")
    assert not Post.objects.exists()
    assert get(address).status_code == 404


def test_a_post_that_waits_for_moderators_shows_its_picture_to_its_author(
    as_alice, alice, settings
):
    settings.FEED_HOLD_FIRST = 1
    post = publish(as_alice, picture())
    assert post.hidden == Post.Hidden.HELD
    assert get(bare(post)).status_code == 404
    assert get(shown_to(alice, post)).status_code == 200


def test_an_upload_that_waits_is_for_its_owner(as_alice, alice):
    upload(Api(alice))
    waiting = Picture.objects.get()
    assert get(f"/media/pictures/{waiting.name}-large.webp").status_code == 404
    assert get(picture_view(picture=waiting).large_url).status_code == 200
    Picture.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(days=2))
    picture_files.expire_unpublished(before=timezone.now())
    assert stored()
    assert get(picture_view(picture=waiting).large_url).status_code == 404


def test_a_picture_costs_two_commands(as_alice, alice, record_commands):
    post = publish(as_alice, picture())
    get(bare(post))
    with record_commands() as commands:
        assert get(bare(post)).status_code == 200
    assert [name for name, _ in commands] == ["aggregate", "aggregate"]
