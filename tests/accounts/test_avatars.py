"""Avatars over HTTP: accepted uploads, conversion and serving."""

import io
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PIL import Image

from accounts import profile_pictures
from accounts.brand.colors import MIN_CONTRAST, WHITE, contrast
from accounts.infra import pictures
from accounts.models import User
from accounts.profile_pictures import AVATAR, crop_picture
from accounts.user_cards import card_from_user
from tests.uploads import (
    assert_only_the_picture,
    emptied,
    many_scans,
    photograph,
    picture,
    png_header,
    swollen_gif,
    zipped,
)

PROFILE = "/settings/profile/"
FOLDER = Path(settings.DATA_DIR) / "media" / "avatars"


@pytest.fixture(autouse=True)
def empty_avatar_folder():
    with emptied(FOLDER):
        yield


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def upload(client, content, name="me.png", **more):
    file = SimpleUploadedFile(name, content, content_type="image/png")
    return client.post(PROFILE, {"display_name": "Alice", "bio": "", "avatar": file, **more})


def stored_files():
    return sorted(file.name for file in FOLDER.glob("*"))


def get_avatar(client):
    name = User.objects.get(username="alice").avatar
    response = client.get(f"/media/avatars/{name}.webp")
    assert response.status_code == 200
    return response, b"".join(response.streaming_content)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_an_uploaded_picture_is_converted_and_shown(as_alice, kind):
    assert upload(as_alice, picture(kind)).status_code == 302
    (name,) = stored_files()
    assert f"/media/avatars/{name}" in as_alice.get("/@alice/").content.decode()
    _, content = get_avatar(as_alice)
    result = Image.open(io.BytesIO(content))
    assert (result.format, result.size) == ("WEBP", (40, 40))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_pictures_of_every_color_mode_are_accepted(as_alice, mode):
    assert upload(as_alice, picture("PNG", mode=mode, color=1)).status_code == 302


def test_large_pictures_are_scaled_down_and_small_pictures_are_not_scaled_up(as_alice):
    upload(as_alice, picture("JPEG", (3000, 2000)))
    assert Image.open(io.BytesIO(get_avatar(as_alice)[1])).size == (400, 400)
    upload(as_alice, picture("PNG", (1, 700)))
    assert Image.open(io.BytesIO(get_avatar(as_alice)[1])).size == (1, 1)


def test_metadata_is_removed(as_alice):
    assert upload(as_alice, photograph()).status_code == 302
    assert_only_the_picture(get_avatar(as_alice)[1])


UNREADABLE_MESSAGE = "This file is not a supported picture"
DAMAGED = "This picture is damaged."
TOO_MANY_PIXELS = "This picture is too large. The limit is 33 million pixels."


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (lambda: picture("JPEG", (300, 300), "green")[:700], "cut.jpg", DAMAGED),
        (lambda: picture("PNG", (300, 300))[:200], "cut.png", DAMAGED),
        (zipped, "archive.jpg", UNREADABLE_MESSAGE),
        (
            lambda: b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
            "a.svg",
            UNREADABLE_MESSAGE,
        ),
        (lambda: b"hello", "a.png", UNREADABLE_MESSAGE),
        (lambda: picture("BMP"), "a.bmp", UNREADABLE_MESSAGE),
        (lambda: picture("TIFF"), "a.png", UNREADABLE_MESSAGE),
        (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "a.eps", UNREADABLE_MESSAGE),
        (lambda: b"", "empty.png", "The submitted file is empty."),
        (lambda: png_header(10_000, 10_000), "large.png", TOO_MANY_PIXELS),
        (lambda: png_header(60_000, 60_000), "huge.png", TOO_MANY_PIXELS),
        (lambda: png_header(7_000, 7_000), "rather_large.png", TOO_MANY_PIXELS),
        (swollen_gif, "swollen.gif", TOO_MANY_PIXELS),
        (many_scans, "scans.jpg", "too many layers"),
        (lambda: png_header(0, 0), "nothing.png", DAMAGED),
        (lambda: picture("PNG") + b"\0" * (11 << 20), "11mb.png", "The limit is 10 MB"),
    ],
)
def test_invalid_files_are_rejected_with_a_message_and_not_stored(
    as_alice, alice, content, name, words
):
    response = upload(as_alice, content(), name, display_name="Kept Name")
    assert response.status_code == 422
    html = response.content.decode()
    assert 'id="id_avatar_error"' in html
    assert words in html
    assert 'value="Kept Name"' in html
    assert stored_files() == []
    assert User.objects.get(pk=alice.pk).display_name == "Alice Adams"


def test_a_picture_of_a_hundred_megapixels_is_rejected(as_alice):
    content = picture("PNG", (10_000, 10_000), 0, "1")
    assert TOO_MANY_PIXELS in upload(as_alice, content).content.decode()


@hypothesis_settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_a_damaged_picture_is_converted_or_rejected(data):
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "WEBP", "GIF"]))
    content = bytearray(picture(kind, (30, 20)))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        result = crop_picture(kind=AVATAR, upload=io.BytesIO(bytes(content)))
    except pictures.BadPicture:
        return
    assert result[:4] == b"RIFF"


def test_a_new_picture_replaces_the_old_file(as_alice):
    upload(as_alice, picture(color="red"))
    (old,) = stored_files()
    upload(as_alice, picture(color="blue"))
    (new,) = stored_files()
    assert old != new
    assert as_alice.get(f"/media/avatars/{old}").status_code == 404
    upload(as_alice, picture(color="blue"))
    assert stored_files() == [new]


def test_a_picture_is_removed_with_its_file(as_alice, alice):
    upload(as_alice, picture())
    response = as_alice.post(PROFILE, {"display_name": "", "bio": "", "remove_avatar": "on"})
    assert response.status_code == 302
    assert stored_files() == []
    assert card_from_user(user=alice).avatar_url.endswith("-A.svg")
    assert card_from_user(user=alice).avatar_url in as_alice.get("/@alice/").content.decode()


def test_saving_the_profile_without_an_upload_keeps_the_picture(as_alice):
    upload(as_alice, picture())
    as_alice.post(PROFILE, {"display_name": "A", "bio": ""})
    assert len(stored_files()) == 1


def test_a_picture_is_served_as_webp_and_cached_permanently(as_alice, client):
    upload(as_alice, picture())
    response, _ = get_avatar(client)
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in response["Content-Security-Policy"]
    for part in ("public", "immutable", "max-age=31536000"):
        assert part in response["Cache-Control"]
    assert "Set-Cookie" not in response


def test_other_files_are_not_served_and_missing_files_are_not_cached(client):
    missing = "1-" + "0" * 32 + ".webp"
    for name in (missing, "../../manage.py", "..%2f..%2fmanage.py", "x.webp", "", "1-%00.webp"):
        response = client.get(f"/media/avatars/{name}")
        assert response.status_code == 404
        assert "immutable" not in response.get("Cache-Control", "")


@pytest.mark.parametrize(
    ("display_name", "username", "letter", "png_letter"),
    [
        ("Alice Adams", "alice", "A", "A"),
        ("", "bob", "B", "B"),
        ("élodie", "elo", "É", "E"),
        ("🌱 (green) 7", "carl", "G", "G"),
        ("東京", "tokyo", "東", "T"),
        ("ß", "sz", "ß", "S"),
        ("سارة", "sara", "س", "S"),
        ("🌱", "_x", "X", "_"),
        ("🌱", "_", "_", "_"),
        ("<b>&", "eve", "B", "B"),
    ],
)
def test_users_without_a_picture_have_their_initial(
    client, display_name, username, letter, png_letter
):
    card = card_from_user(user=User(pk=5, username=username, display_name=display_name))
    for url, file_name, kind in (
        (card.avatar_url, f"{letter}.svg", "image/svg+xml"),
        (card.bitmap_avatar_url, f"{png_letter}.png", "image/png"),
    ):
        assert re.fullmatch(rf"/avatars/[0-9]+-{re.escape(quote(file_name))}", url)
        response = client.get(url)
        assert response["Content-Type"] == kind
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "immutable" in response["Cache-Control"]
    assert f">{letter}</text>" in client.get(card.avatar_url).content.decode()
    png = Image.open(io.BytesIO(client.get(card.bitmap_avatar_url).content))
    assert png.size == (profile_pictures.SIDE_PIXELS, profile_pictures.SIDE_PIXELS)
    assert len(png.getcolors()) > 1


def test_initials_have_colors_with_sufficient_contrast():
    assert min(contrast(color, WHITE) for color in profile_pictures.COLORS) >= MIN_CONTRAST
    assert len(set(profile_pictures.COLORS)) == len(profile_pictures.COLORS)


def test_the_color_of_an_initial_depends_on_the_user():
    cards = [card_from_user(user=User(pk=uid, username="bob")) for uid in range(1, 60)]
    assert len({card.avatar_url for card in cards}) == len(profile_pictures.COLORS)


@pytest.mark.parametrize(
    "name",
    [
        "1-AB.svg",
        "1-.svg",
        "12-A.svg",
        "99-A.png",
        "1-<.svg",
        "1-a.png",
        "1-É.png",
        "%D9%A1-A.svg",
        "7.svg",
    ],
)
def test_other_initials_are_not_found(client, name):
    assert client.get(f"/avatars/{name}").status_code == 404


def test_the_storage_uses_the_avatar_folder():
    assert Path(default_storage.path("avatars")) == FOLDER
