"""Pictures of posts: conversion, serving, pages and cleanup."""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone
from PIL import Image

from feed import picture_files, tasks
from feed.models import Picture, Post
from feed.services.pictures import CannotAttach
from tests.actions import publish_post, share_post
from tests.factories import follow
from tests.feed.picture_uploads import PUBLISH, media_of, publish, served, stored, uploaded
from tests.feed.workers import work
from tests.uploads import animation, assert_only_the_picture, photograph, picture

MISSING_PICTURE = "One of these pictures no longer exists."
pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def test_four_pictures_keep_their_order(as_alice):
    post = publish(as_alice, *(picture(color=color) for color in ("red", "green", "blue", "white")))
    assert [media["alt"][-1] for media in post.media] == ["1", "2", "3", "4"]
    assert set(Picture.objects.values_list("post", flat=True)) == {post.pk}
    html = as_alice.get("/").content.decode()
    assert re.findall(r'alt="A red square (\d)"', html) == ["1", "2", "3", "4"]


def test_a_post_needs_text_or_pictures(as_alice):
    post = publish(as_alice, picture(), text="")
    html = as_alice.get(f"/@alice/{post.pk}/").content.decode()
    assert "<title>Alice Adams: “A red square 1”" in html
    assert 'class="post-text"' not in html
    edited = as_alice.post(f"/posts/{post.pk}/edit/", {"text": ""})
    assert edited.status_code == 302
    empty = as_alice.post(PUBLISH, {"text": ""})
    assert "Enter some text." in empty.content.decode()
    assert Post.objects.count() == 1


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_large_picture_is_stored_in_two_sizes(as_alice, kind, monkeypatch):
    monkeypatch.setattr(picture_files, "LARGE_PIXELS", 800 * 400)
    post = publish(as_alice, picture(kind, (3000, 1500)))
    assert (post.media[0]["width"], post.media[0]["height"]) == (800, 400)
    sizes = {"large": (800, 400), "small": (640, 320)}
    for size, expected in sizes.items():
        image = Image.open(io.BytesIO(served(as_alice, post, size)[1]))
        assert (image.format, image.size) == ("WEBP", expected)


def test_long_pictures_stay_readable(as_alice):
    post = publish(as_alice, picture(size=(1080, 12_000), mode="L", color=200))
    assert (post.media[0]["width"], post.media[0]["height"]) == (864, 9600)
    assert Image.open(io.BytesIO(served(as_alice, post, "large")[1])).size == (864, 9600)
    assert Image.open(io.BytesIO(served(as_alice, post, "small")[1])).size == (58, 640)


@pytest.mark.parametrize(
    ("size", "large_size"),
    [
        ((1080, 7680), (1080, 7680)),
        ((12_000, 1080), (9600, 864)),
        ((4000, 3000), (3325, 2494)),
        ((300, 20_000), (245, 16_383)),
        ((33_000_000, 1), (16_383, 1)),
    ],
)
def test_the_pixels_of_the_large_file_are_limited(size, large_size):
    assert picture_files._large_size(*size) == large_size


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_plays_and_has_a_still_first_frame(as_alice, kind):
    post = publish(as_alice, animation(kind, size=(960, 640)))
    assert (post.media[0]["width"], post.media[0]["height"]) == (480, 320)
    assert post.media[0]["is_animated"] is True
    large = Image.open(io.BytesIO(served(as_alice, post)[1]))
    assert (large.format, large.size, large.n_frames) == ("WEBP", (480, 320), 3)
    colors = []
    for number in range(3):
        large.seek(number)
        colors.append(large.convert("RGB").getpixel((5, 5)))
        assert large.info["duration"] == 200
    assert [max(range(3), key=color.__getitem__) for color in colors] == [0, 1, 2]
    still = Image.open(io.BytesIO(served(as_alice, post, "small")[1]))
    assert getattr(still, "n_frames", 1) == 1
    assert still.convert("RGB").getpixel((5, 5))[0] > 200
    html = as_alice.get("/").content.decode()
    name = post.media[0]["name"]
    assert (
        f'<source media="(prefers-reduced-motion: reduce)" srcset="/media/pictures/{name}-small'
        in html
    )
    assert f'<img src="/media/pictures/{name}-large.webp" width="480"' in html


def test_one_frame_is_a_still_picture(as_alice):
    post = publish(as_alice, animation("GIF", colors=("red",)))
    assert "is_animated" not in post.media[0]
    assert "prefers-reduced-motion" not in as_alice.get("/").content.decode()


def test_metadata_of_an_animation_is_removed(as_alice):
    content = animation("WEBP", exif=b"Exif\0\0SecretCamera", xmp=b"SecretPlace")
    assert b"Secret" in content
    assert b"Secret" not in served(as_alice, publish(as_alice, content))[1]


def test_metadata_is_removed(as_alice):
    post = publish(as_alice, photograph())
    assert (post.media[0]["width"], post.media[0]["height"]) == (40, 80)
    for size in ("small", "large"):
        assert_only_the_picture(served(as_alice, post, size)[1])


def test_a_public_picture_is_served_as_webp_and_cached_forever(as_alice):
    response, _ = served(as_alice, publish(as_alice, picture()))
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"].startswith("inline")
    for part in ("public", "immutable", "max-age=31536000"):
        assert part in response["Cache-Control"]
    assert "Set-Cookie" not in response


def test_serving_a_picture_does_not_look_up_the_user(as_alice, record_commands):
    post = publish(as_alice, picture())
    served(as_alice, post)
    with record_commands() as commands:
        response, _ = served(as_alice, post)
    assert response.status_code == 200
    collections = {next(iter(command.values())) for _, command in commands}
    assert collections == {"feed_picture", "feed_post"}


def test_picture_urls_cannot_be_guessed_from_the_content(as_alice):
    first, second = (publish(as_alice, picture()).media[0]["name"] for _ in range(2))
    assert first != second
    assert re.fullmatch("[0-9a-f]{32}", first)
    for name in (f"{'0' * 32}-large.webp", f"{first}-huge.webp", f"{first}.webp", "../x.webp"):
        response = as_alice.get(f"/media/pictures/{name}")
        assert response.status_code == 404
        assert "immutable" not in response.get("Cache-Control", "")


def test_concurrent_posts_cannot_share_a_picture(as_alice, alice):
    (pk,) = uploaded(as_alice, picture())

    def publish_with_picture(n):
        try:
            return publish_post(author=alice.pk, text=f"{n}", picture_ids=[int(pk)])
        except CannotAttach:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        post_ids = [post_id for post_id in threads.map(publish_with_picture, range(4)) if post_id]
    assert post_ids == list(Post.objects.values_list("pk", flat=True))
    assert post_ids == [Picture.objects.get().post]


def test_descriptions_are_escaped(as_alice):
    post = publish(as_alice, picture(), alt='"><script>x</script>')
    for path in ("/", f"/@alice/{post.pk}/"):
        html = as_alice.get(path).content.decode()
        assert "<script>x" not in html
        assert 'alt="&#34;&gt;&lt;script&gt;x&lt;/script&gt; 1"' in html


def test_a_share_shows_the_pictures(as_alice, alice, bob, client):
    post = publish(as_alice, picture())
    follow(alice, bob)
    share_post(post_id=post.pk, actor=bob)
    assert "A red square 1" in client.get("/@bob/").content.decode()


def test_pictures_cost_no_extra_command(as_alice, alice, record_commands):
    def commands():
        as_alice.get("/")
        with record_commands() as recorded:
            as_alice.get("/")
        return [name for name, _ in recorded]

    publish_post(author=alice.pk, text="Words")
    before = commands()
    publish(as_alice, *[picture()] * 4)
    assert commands() == before


def test_only_uploads_unpublished_for_a_day_are_removed(as_alice):
    post = publish(as_alice, picture())
    (old,) = uploaded(as_alice, picture())
    (recent,) = uploaded(as_alice, picture())
    long_ago = timezone.now() - timedelta(days=1, minutes=1)
    Picture.objects.exclude(pk=recent).update(created_at=long_ago)
    for _ in range(2):
        tasks.clean_up_pictures()
    remaining_ids = set(Picture.objects.values_list("pk", flat=True))
    assert remaining_ids == {post.media[0]["id"], int(recent)}
    assert len(stored()) == 4
    response = as_alice.post(PUBLISH, {"text": "Look", "media": old, f"alt_{old}": "Late"})
    assert MISSING_PICTURE in response.content.decode()


def test_deleting_a_post_deletes_its_pictures(as_alice, asked):
    post, deleted = publish(as_alice, picture()), publish(as_alice, picture())
    as_alice.post(f"/posts/{deleted.pk}/delete/")
    assert ("clean_up_post", {"post_id": deleted.pk}) in asked
    work(asked)
    tasks.clean_up_post(post_id=deleted.pk)
    assert [picture.post for picture in Picture.objects.all()] == [post.pk]
    name = post.media[0]["name"]
    assert stored() == [f"{name}-large.webp", f"{name}-small.webp"]


def test_cleanup_finishes_a_failed_deletion_of_pictures(as_alice, asked, monkeypatch):
    post = publish(as_alice, picture())
    as_alice.post(f"/posts/{post.pk}/delete/")

    def fail(name):
        raise OSError("The disk failed")

    with monkeypatch.context() as broken:
        broken.setattr(default_storage, "delete", fail)
        with pytest.raises(OSError, match="The disk failed"):
            tasks.clean_up_post(post_id=post.pk)
    assert Picture.objects.exists()
    tasks.clean_up_pictures()
    assert stored() == []
    assert not Picture.objects.exists()


def test_a_redraft_keeps_the_pictures(as_alice, asked):
    post = publish(as_alice, picture(), picture(), content_warning="Red")
    ids, files = [media["id"] for media in post.media], stored()
    as_alice.post(f"/posts/{post.pk}/delete/", {"redraft": "1"})
    work(asked)
    tasks.clean_up_pictures()
    page = as_alice.get(PUBLISH)
    assert [int(pk) for pk in media_of(page)] == ids
    assert page.context["form"]["content_warning"].value() == "Red"
    as_alice.post(PUBLISH, {"text": "Again", "media": ids, "confirm_undescribed": "1"})
    new_post = Post.objects.get()
    assert [media["id"] for media in new_post.media] == ids
    assert stored() == files
    served(as_alice, new_post)


def test_pictures_are_hidden_by_default_if_the_user_says_so(as_alice, alice):
    assert b"Hide behind a warning" not in as_alice.get("/").content
    form = {"post_visibility": "public", "has_sensitive_media": "on", "is_discoverable": "on"}
    as_alice.post("/settings/privacy/", form)
    assert as_alice.get("/settings/privacy/").context["form"]["has_sensitive_media"].value() is True
    for path in ("/", PUBLISH):
        page = as_alice.get(path).content.decode()
        assert re.search(r'name="is_media_sensitive"[^>]* checked', page), path
    checked = {"is_media_sensitive": "on"}
    assert publish(as_alice, picture(), **checked).content_warning == "Sensitive"
    assert publish(as_alice, picture(), **checked, content_warning="Red").content_warning == "Red"
    assert publish(as_alice, picture()).content_warning == ""
    as_alice.post(PUBLISH, {"text": "Without pictures", **checked})
    assert Post.objects.latest("pk").content_warning == ""
    as_alice.post("/settings/privacy/", {"post_visibility": "public"})
    assert b"Hide behind a warning" not in as_alice.get("/").content
