"""Mentioning somebody who cannot read the post: the author is told before it is published."""

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


def test_who_does_not_follow_is_named_before_a_post_for_followers_is_published(
    as_alice, alice, bob, carol
):
    follow(bob, alice)
    asked = send(as_alice, "@bob and @carol.Great work")
    html = asked.content.decode()
    assert asked.status_code == 422
    assert "@carol does not follow you and will not see this post." in words(html)
    assert "@carol.Great work</textarea>" in html
    assert not Post.objects.exists()
    assert 'name="confirm_unreached" value="on"' in html
    assert send(as_alice, "@bob and @carol.Great work", confirm_unreached="on").status_code == 302
    assert Post.objects.get().visibility == "followers"


def test_several_are_named_together(as_alice, bob, carol):
    html = send(as_alice, "@bob @carol").content.decode()
    assert "@bob, @carol do not follow you and will not see this post." in words(html)


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_private_account_is_told_of_all_its_posts(as_alice, alice, bob, visibility):
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
def test_whoever_can_read_a_post_needs_no_question(as_alice, alice, bob, text, visibility):
    assert send(as_alice, text, visibility).status_code == 302


def test_both_questions_are_answered_one_after_the_other(as_alice, bob):
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


def test_the_same_form_twice_makes_one_post(as_alice, bob):
    data = {"idempotency_key": "k" * 20, "confirm_unreached": "on"}
    for _ in range(2):
        assert send(as_alice, "@bob hello", **data).status_code == 302
    assert Post.objects.count() == 1
