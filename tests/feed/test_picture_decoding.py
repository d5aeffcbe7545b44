"""Decoding uploads: costly uploads are refused early, and a busy decoder asks clients to retry."""

import os
import sys
import threading

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.infra import pictures
from accounts.infra.priority import NICENESS
from feed.models import Picture, Post
from tests.api.api_client import Api
from tests.feed.picture_uploads import media_of, send, stored
from tests.uploads import animation, many_scans, picture

PROFILE = "/settings/profile/"
pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def limit_uploads(settings):
    def limit(rate):
        settings.RATE_LIMITS = settings.RATE_LIMITS | {"upload": rate}

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


def forbid_decoding(monkeypatch):
    def fail(**_):
        raise AssertionError("decoded")

    monkeypatch.setattr(pictures, "decode_picture", fail)


@pytest.mark.skipif(sys.platform != "linux", reason="Elsewhere threads have no priority.")
@pytest.mark.parametrize("kind", ["post", "avatar"])
def test_pictures_are_decoded_at_low_priority(as_alice, alice, monkeypatch, kind):
    decode, priorities = pictures.decode_picture, []

    def record(**options):
        priorities.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return decode(**options)

    monkeypatch.setattr(pictures, "decode_picture", record)
    if kind == "post":
        send(as_alice, picture())
    else:
        assert change_avatar(alice, file()).status_code == 200
    assert priorities == [os.nice(0) + NICENESS]


def test_a_refusal_of_a_picture_has_the_language_of_the_page(as_alice):
    as_alice.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    html = send(as_alice, b"no picture").content.decode()
    assert "Diese Datei ist kein unterstütztes Bild." in html


def test_a_large_jpeg_with_many_scans_is_refused_before_decoding(as_alice):
    html = send(as_alice, many_scans(), name="scans.jpg").content.decode()
    assert "too many layers" in html
    assert stored() == []


@pytest.mark.slow
def test_the_largest_jpeg_may_have_twenty_scans(as_alice):
    above_limit = many_scans(scans=21, claimed=(6000, 5480))
    at_limit = many_scans(scans=20, claimed=(6000, 5480))
    assert "too many layers" in send(as_alice, above_limit).content.decode()
    assert "too many layers" not in send(as_alice, at_limit).content.decode()


def test_a_small_jpeg_may_have_many_scans(as_alice):
    response = send(as_alice, many_scans(claimed=(64, 64)), name="scans.jpg")
    assert len(media_of(response)) == 1


@pytest.mark.parametrize(
    "content",
    [
        lambda: animation("GIF", size=(2, 2), colors=("red", "blue") * 151),
        lambda: animation("WEBP", size=(2, 2), colors=("red", "blue") * 151),
        lambda: animation("PNG", size=(300, 300), colors=("red", "lime", "blue")),
        lambda: animation("GIF", duration=30_000),
    ],
    ids=["frames of a GIF", "frames of a WebP", "pixels", "seconds"],
)
def test_long_animations_are_refused(as_alice, monkeypatch, content):
    monkeypatch.setattr(pictures, "MAX_ANIMATED_PIXELS", 200_000)
    monkeypatch.setattr(pictures, "MAX_FRAME_MILLISECONDS", 30_000)
    html = send(as_alice, content(), name="long.gif").content.decode()
    assert "This animation is too long or too large." in html
    assert stored() == []


def test_a_damaged_animation_is_refused(as_alice):
    content = animation("WEBP", size=(300, 300))
    html = send(as_alice, content[: len(content) // 2]).content.decode()
    assert "This picture is damaged." in html
    assert stored() == []


def test_uploads_of_a_post_are_counted_before_decoding(as_alice, limit_uploads, monkeypatch):
    limit_uploads("3/h")
    forbid_decoding(monkeypatch)
    response = send(as_alice, *[picture()] * 4, text="Draft text")
    assert response.status_code == 429
    assert "Draft text</textarea>" in response.content.decode()
    assert not Post.objects.exists()


def test_uploads_that_are_not_pictures_count(as_alice, alice, limit_uploads):
    limit_uploads("2/h")
    assert send(as_alice, b"nonsense", b"nonsense").status_code == 422
    assert send(as_alice, picture()).status_code == 429
    assert Api(alice).form("media", {"file": file()}).status_code == 429
    assert not Picture.objects.exists()


def test_the_picture_of_an_invalid_profile_counts(as_alice, limit_uploads, monkeypatch):
    limit_uploads("1/h")
    invalid = {"display_name": "x" * 200, "bio": "", "avatar": file()}
    assert as_alice.post(PROFILE, invalid).status_code == 422
    forbid_decoding(monkeypatch)
    response = as_alice.post(PROFILE, invalid | {"avatar": file()})
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    assert "x" * 200 in response.content.decode()


def test_an_avatar_from_an_app_is_counted_before_decoding(alice, limit_uploads, monkeypatch):
    limit_uploads("1/h")
    assert change_avatar(alice, file(b"nonsense")).status_code == 422
    forbid_decoding(monkeypatch)
    assert change_avatar(alice, file()).status_code == 429


@pytest.mark.usefixtures("busy_decoder")
def test_a_busy_decoder_keeps_the_text_of_a_post_and_sends_retry_after(as_alice):
    response = send(as_alice, picture(), text="Draft text")
    html = response.content.decode()
    assert response.status_code == 503
    assert int(response["Retry-After"]) == pictures.RETRY_AFTER_SECONDS
    assert "Too many pictures are being uploaded right now" in html
    assert "Draft text</textarea>" in html
    assert not Post.objects.exists()


@pytest.mark.usefixtures("busy_decoder")
def test_a_busy_decoder_asks_profiles_and_apps_to_retry(as_alice, alice):
    page = as_alice.post(PROFILE, {"display_name": "Alice", "bio": "", "avatar": file()})
    assert page.status_code == 503
    assert "Too many pictures are being uploaded right now" in page.content.decode()
    for response in (
        Api(alice).form("media", {"file": file()}),
        change_avatar(alice, file()),
    ):
        assert response.status_code == 503
        assert response.json()["error"].startswith("Too many pictures")
        assert int(response["Retry-After"]) == pictures.RETRY_AFTER_SECONDS
