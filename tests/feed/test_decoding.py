"""Decoding uploads: what is refused before it costs time, and what happens while the decoder is busy."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.infra import pictures
from feed.models import Picture, Post
from tests.api.calling import Api
from tests.feed.attaching import media_of, send, stored
from tests.uploads import many_scans, picture

PROFILE = "/settings/profile/"
pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def limit_uploads(settings):
    def limit(rate):
        settings.LIMITS = settings.LIMITS | {"upload": rate}

    return limit


@pytest.fixture
def busy_decoder(monkeypatch):
    monkeypatch.setattr(pictures, "DECODER_WAIT_SECONDS", 0.01)
    with pictures.exclusive_decoder():
        yield


def file(content=None, name="me.png"):
    return SimpleUploadedFile(name, content or picture(), content_type="image/png")


def change_avatar(user, avatar):
    return Api(user).form("accounts/update_credentials", {"avatar": avatar}, method="patch")


def never_decoded(monkeypatch):
    def fail(**_):
        raise AssertionError("decoded")

    monkeypatch.setattr(pictures, "decode_picture", fail)


def test_a_large_jpeg_of_many_nearly_empty_scans_is_refused_before_it_is_decoded(as_alice):
    html = send(as_alice, many_scans(), name="scans.jpg").content.decode()
    assert "too many layers" in html
    assert stored() == []


def test_twenty_scans_at_the_largest_size_are_the_limit(as_alice):
    over, within = (
        many_scans(scans=21, claimed=(6000, 5480)),
        many_scans(scans=20, claimed=(6000, 5480)),
    )
    assert "too many layers" in send(as_alice, over).content.decode()
    assert "too many layers" not in send(as_alice, within).content.decode()


def test_a_small_jpeg_may_have_many_scans(as_alice):
    response = send(as_alice, many_scans(claimed=(64, 64)), name="scans.jpg")
    assert len(media_of(response)) == 1


def test_uploads_of_a_post_are_counted_before_any_is_decoded(as_alice, limit_uploads, monkeypatch):
    limit_uploads("3/h")
    never_decoded(monkeypatch)
    response = send(as_alice, *[picture()] * 4, text="Kept words")
    assert response.status_code == 429
    assert "Kept words</textarea>" in response.content.decode()
    assert not Post.objects.exists()


def test_an_upload_that_is_no_picture_counts(as_alice, alice, limit_uploads):
    limit_uploads("2/h")
    assert send(as_alice, b"nonsense", b"nonsense").status_code == 422
    assert send(as_alice, picture()).status_code == 429
    assert Api(alice).form("media", {"file": file()}).status_code == 429
    assert not Picture.objects.exists()


def test_an_invalid_profile_counts_its_picture(as_alice, limit_uploads, monkeypatch):
    limit_uploads("1/h")
    invalid = {"display_name": "x" * 200, "bio": "", "avatar": file()}
    assert as_alice.post(PROFILE, invalid).status_code == 422
    never_decoded(monkeypatch)
    response = as_alice.post(PROFILE, invalid | {"avatar": file()})
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    assert "x" * 200 in response.content.decode()


def test_a_profile_picture_from_an_app_is_counted_before_it_is_decoded(
    alice, limit_uploads, monkeypatch
):
    limit_uploads("1/h")
    bad = change_avatar(alice, file(b"nonsense"))
    assert bad.status_code == 422
    never_decoded(monkeypatch)
    assert change_avatar(alice, file()).status_code == 429


@pytest.mark.usefixtures("busy_decoder")
def test_while_the_decoder_is_busy_a_post_keeps_its_words_and_says_when_to_try_again(as_alice):
    response = send(as_alice, picture(), text="Kept words")
    html = response.content.decode()
    assert response.status_code == 503
    assert int(response["Retry-After"]) == pictures.RETRY_AFTER_SECONDS
    assert "Many pictures are being uploaded right now" in html
    assert "Kept words</textarea>" in html
    assert not Post.objects.exists()


@pytest.mark.usefixtures("busy_decoder")
def test_while_the_decoder_is_busy_profiles_and_apps_are_asked_to_wait(as_alice, alice):
    page = as_alice.post(PROFILE, {"display_name": "Alice", "bio": "", "avatar": file()})
    assert page.status_code == 503
    assert "Many pictures are being uploaded right now" in page.content.decode()
    for answer in (
        Api(alice).form("media", {"file": file()}),
        change_avatar(alice, file()),
    ):
        assert answer.status_code == 503
        assert answer.json()["error"].startswith("Many pictures")
        assert int(answer["Retry-After"]) == pictures.RETRY_AFTER_SECONDS
