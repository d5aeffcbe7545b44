"""A confirmation before publishing a post that a mentioned user cannot read."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.services.follow_requests import accept_follow_request
from accounts.services.profiles import set_private
from feed.models import Post
from tests.factories import follow
from tests.feed.picture_uploads import media_of
from tests.feed.reading_html import words
from tests.uploads import picture

PUBLISH = "/posts/"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def send(client, text, visibility="followers", **more):
    return client.post(PUBLISH, {"text": text, "visibility": visibility, **more})


def test_a_followers_only_post_warns_about_mentioned_strangers(as_alice, alice, bob, carol):
    follow(bob, alice)
    response = send(as_alice, "@bob and @carol.Great work")
    html = response.content.decode()
    assert response.status_code == 422
    assert "@carol does not follow you and will not see this post." in words(html)
    assert "@carol.Great work</textarea>" in html
    assert not Post.objects.exists()
    assert 'name="confirm_unreached" value="on"' in html
    assert send(as_alice, "@bob and @carol.Great work", confirm_unreached="on").status_code == 302
    assert Post.objects.get().visibility == "followers"


def test_several_users_are_named_together(as_alice, bob, carol):
    html = send(as_alice, "@bob @carol").content.decode()
    assert "@bob, @carol do not follow you and will not see this post." in words(html)


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_all_posts_of_a_private_account_warn(as_alice, alice, bob, visibility):
    set_private(uid=alice.pk, is_private=True)
    assert send(as_alice, "@bob hello", visibility).status_code == 422
    follow(bob, alice)
    accept_follow_request(followee=alice.pk, follower=bob.pk)
    assert send(as_alice, "@bob hello", visibility).status_code == 302


@pytest.mark.parametrize(
    ("text", "visibility"),
    [
        ("@bob hello", "public"),
        ("@bob hello", "unlisted"),
        ("@bob hello", "direct"),
        ("@alice I mean me", "followers"),
        ("@nobody.here hello", "followers"),
        ("nobody at all", "followers"),
    ],
)
def test_mentioned_users_who_can_read_the_post_need_no_confirmation(
    as_alice, alice, bob, text, visibility
):
    assert send(as_alice, text, visibility).status_code == 302


def test_both_confirmations_are_asked_in_turn(as_alice, bob):
    file = SimpleUploadedFile("me.png", picture(), content_type="image/png")
    first = send(as_alice, "@bob look", pictures=[file])
    assert 'name="confirm_undescribed" value="on"' in first.content.decode()
    (media,) = media_of(first)
    second = send(as_alice, "@bob look", media=media, confirm_undescribed="on").content.decode()
    assert '<input type="hidden" name="confirm_undescribed" value="on">' in second
    assert '<button type="submit" class="button" name="confirm_unreached" value="on"' in second
    assert not Post.objects.exists()
    both = {"confirm_undescribed": "on", "confirm_unreached": "on"}
    assert send(as_alice, "@bob look", media=media, **both).status_code == 302


def test_submitting_a_form_twice_publishes_one_post(as_alice, bob):
    data = {"idempotency_key": "k" * 20, "confirm_unreached": "on"}
    for _ in range(2):
        assert send(as_alice, "@bob hello", **data).status_code == 302
    assert Post.objects.count() == 1
