"""Avatars over HTTP: accepted uploads, conversion and serving."""

import io
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PIL import Image

from accounts import avatars
from accounts.infra import pictures
from accounts.models import User
from tests.uploads import (
    assert_only_the_picture,
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
def no_pictures():
    def clear():
        for file in FOLDER.glob("*"):
            file.unlink()

    clear()
    yield
    clear()


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def upload(client, content, name="me.png", **more):
    file = SimpleUploadedFile(name, content, content_type="image/png")
    return client.post(PROFILE, {"display_name": "Alice", "bio": "", "avatar": file, **more})


def stored():
    return sorted(file.name for file in FOLDER.glob("*"))


def served(client):
    name = User.objects.get(username="alice").avatar
    response = client.get(f"/media/avatars/{name}.webp")
    assert response.status_code == 200
    return response, b"".join(response.streaming_content)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_picture_is_taken_and_shown_everywhere(as_alice, kind):
    assert upload(as_alice, picture(kind)).status_code == 302
    (name,) = stored()
    assert f"/media/avatars/{name}" in as_alice.get("/@alice/").content.decode()
    _, content = served(as_alice)
    result = Image.open(io.BytesIO(content))
    assert (result.format, result.size) == ("WEBP", (40, 40))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_pictures_of_every_colour_mode_are_taken(as_alice, mode):
    assert upload(as_alice, picture("PNG", mode=mode, color=1)).status_code == 302


def test_large_pictures_are_made_small_and_small_ones_left_small(as_alice):
    upload(as_alice, picture("JPEG", (3000, 2000)))
    assert Image.open(io.BytesIO(served(as_alice)[1])).size == (400, 400)
    upload(as_alice, picture("PNG", (1, 700)))
    assert Image.open(io.BytesIO(served(as_alice)[1])).size == (1, 1)


def test_nothing_but_the_picture_survives(as_alice):
    assert upload(as_alice, photograph()).status_code == 302
    assert_only_the_picture(served(as_alice)[1])


UNREADABLE = "This file is no picture we can read"
TOO_MANY = "This picture has more than 33 million pixels."


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (lambda: picture("JPEG", (300, 300), "green")[:700], "cut.jpg", UNREADABLE),
        (lambda: picture("PNG", (300, 300))[:200], "cut.png", UNREADABLE),
        (zipped, "archive.jpg", UNREADABLE),
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "a.svg", UNREADABLE),
        (lambda: b"hello", "a.png", UNREADABLE),
        (lambda: picture("BMP"), "a.bmp", UNREADABLE),
        (lambda: picture("TIFF"), "a.png", UNREADABLE),
        (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "a.eps", UNREADABLE),
        (lambda: b"", "empty.png", "The submitted file is empty."),
        (lambda: png_header(10_000, 10_000), "large.png", TOO_MANY),
        (lambda: png_header(60_000, 60_000), "huge.png", TOO_MANY),
        (lambda: png_header(7_000, 7_000), "rather_large.png", TOO_MANY),
        (swollen_gif, "swollen.gif", TOO_MANY),
        (many_scans, "scans.jpg", "too many layers"),
        (lambda: png_header(0, 0), "nothing.png", UNREADABLE),
        (lambda: picture("PNG") + b"\0" * (11 << 20), "11mb.png", "larger than 10 MB"),
    ],
)
def test_what_is_no_picture_is_refused_with_a_word_and_nothing_is_stored(
    as_alice, alice, content, name, words
):
    response = upload(as_alice, content(), name, display_name="Kept Name")
    assert response.status_code == 422
    html = response.content.decode()
    assert 'id="id_avatar_error"' in html
    assert words in html
    assert 'value="Kept Name"' in html
    assert stored() == []
    assert User.objects.get(pk=alice.pk).display_name == "Alice Adams"


def test_a_real_picture_of_a_hundred_megapixels_is_refused_without_decoding_it(as_alice):
    content = picture("PNG", (10_000, 10_000), 0, "1")
    assert TOO_MANY in upload(as_alice, content).content.decode()


@hypothesis_settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_damaged_picture_is_taken_or_refused_but_breaks_nothing(data):
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "WEBP", "GIF"]))
    content = bytearray(picture(kind, (30, 20)))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        result = avatars.crop_avatar(upload=io.BytesIO(bytes(content)))
    except pictures.BadPicture:
        return
    assert result[:4] == b"RIFF"


def test_a_new_picture_takes_the_place_of_the_old_file(as_alice):
    upload(as_alice, picture(color="red"))
    (old,) = stored()
    upload(as_alice, picture(color="blue"))
    (new,) = stored()
    assert old != new
    assert as_alice.get(f"/media/avatars/{old}").status_code == 404
    upload(as_alice, picture(color="blue"))
    assert stored() == [new]


def test_a_picture_is_removed_with_its_file(as_alice, alice):
    upload(as_alice, picture())
    response = as_alice.post(PROFILE, {"display_name": "", "bio": "", "remove_avatar": "on"})
    assert response.status_code == 302
    assert stored() == []
    assert f"/avatars/{alice.pk}.svg" in as_alice.get("/@alice/").content.decode()


def test_saving_the_profile_alone_leaves_the_picture(as_alice):
    upload(as_alice, picture())
    as_alice.post(PROFILE, {"display_name": "A", "bio": ""})
    assert len(stored()) == 1


def test_a_picture_is_served_as_what_it_is_and_cached_for_ever(as_alice, client):
    upload(as_alice, picture())
    response, _ = served(client)
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in response["Content-Security-Policy"]
    for part in ("public", "immutable", "max-age=31536000"):
        assert part in response["Cache-Control"]
    assert "Set-Cookie" not in response


def test_no_other_file_can_be_had_and_what_is_missing_is_not_cached(client):
    missing = "1-" + "0" * 32 + ".webp"
    for name in (missing, "../../manage.py", "..%2f..%2fmanage.py", "x.webp", "", "1-%00.webp"):
        response = client.get(f"/media/avatars/{name}")
        assert response.status_code == 404
        assert "immutable" not in response.get("Cache-Control", "")


def test_the_drawn_picture_is_always_the_same_and_differs_between_people(client, alice):
    first, again = (client.get(f"/avatars/{alice.pk}.svg") for _ in range(2))
    assert first.content == again.content
    assert first["Content-Type"] == "image/svg+xml"
    assert "immutable" in first["Cache-Control"]
    assert first["X-Content-Type-Options"] == "nosniff"
    drawn = {client.get(f"/avatars/{uid}.svg").content for uid in range(1, 60)}
    assert len(drawn) == 59
    assert not any(re.search(rb"script|href", svg) for svg in drawn)


def test_the_drawn_picture_of_a_nonsense_number_is_not_found(client):
    for uid in ("-1", "abc", "99999999999999999999", "٣", "9223372036854775808"):
        assert client.get(f"/avatars/{uid}.svg").status_code == 404


def test_files_are_where_the_storage_says():
    assert Path(default_storage.path("avatars")) == FOLDER
