"""Pictures of posts over HTTP: what is taken, what is asked, how they are served, and how they go again."""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone
from PIL import Image

from feed import services, tasks
from feed.models import Picture, Post
from tests.factories import follow
from tests.feed.workers import work
from tests.uploads import (
    assert_only_the_picture,
    many_scans,
    photograph,
    picture,
    png_header,
    swollen_gif,
    zipped,
)

PUBLISH = "/posts/"
FOLDER = Path(settings.DATA_DIR) / "media" / "pictures"
ASKED = "Say what the pictures show"
GONE = "One of these pictures is not there any more."


@pytest.fixture(autouse=True)
def no_pictures():
    yield
    for file in FOLDER.glob("*"):
        file.unlink()


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def send(client, *contents, name="me.png", **data):
    files = [SimpleUploadedFile(name, one, content_type="image/png") for one in contents]
    return client.post(PUBLISH, {"text": "Look", "pictures": files, **data})


def media_of(response):
    """The pictures that come back with the form."""
    return re.findall(r'name="media" value="(\d+)"', response.content.decode())


def uploaded(client, *contents):
    """The ids of pictures that are uploaded and not published."""
    asked = send(client, *contents)
    assert asked.status_code == 422
    return media_of(asked)


def publish(client, *contents, alt="A red square", **data):
    """Upload, describe and publish pictures; the post."""
    ids = uploaded(client, *contents)
    described = {f"alt_{one}": f"{alt} {n}" for n, one in enumerate(ids, 1)}
    answer = client.post(PUBLISH, {"text": "Look", "media": ids, **described, **data})
    assert answer.status_code == 302
    return Post.objects.latest("pk")


def stored():
    return sorted(file.name for file in FOLDER.glob("*"))


def served(client, post, size="large"):
    response = client.get(f"/media/pictures/{post.media[0]['name']}-{size}.webp")
    assert response.status_code == 200
    return response, b"".join(response.streaming_content)


def test_a_description_is_asked_for_and_then_the_picture_is_out(as_alice, alice):
    asked = send(as_alice, picture())
    html = asked.content.decode()
    assert asked.status_code == 422
    assert ASKED in html
    assert "Look</textarea>" in html
    assert not Post.objects.exists()
    (pk,) = media_of(asked)
    waiting = Picture.objects.get()
    assert f'src="/media/pictures/{waiting.name}-small.webp"' in html
    assert len(stored()) == 2
    answer = as_alice.post(PUBLISH, {"text": "Look", "media": pk, f"alt_{pk}": "A red\r\nsquare"})
    assert answer.status_code == 302
    post = Post.objects.get()
    assert post.media == [
        {
            "id": int(pk),
            "name": waiting.name,
            "alt": "A red\nsquare",
            "width": 60,
            "height": 40,
        }
    ]
    for path in ("/", "/public/", "/@alice/", f"/@alice/{post.pk}/"):
        html = as_alice.get(path).content.decode()
        assert f'href="/media/pictures/{waiting.name}-large.webp"' in html
        assert re.search(r'<img [^>]*width="60" height="40" alt="A red\nsquare"', html)


def test_without_a_description_it_is_out_only_by_the_second_button(as_alice):
    ids = uploaded(as_alice, picture())
    again = as_alice.post(PUBLISH, {"text": "Look", "media": ids})
    assert again.status_code == 422
    assert 'name="undescribed"' in again.content.decode()
    assert not Post.objects.exists()
    answer = as_alice.post(PUBLISH, {"text": "Look", "media": ids, "undescribed": "on"})
    assert answer.status_code == 302
    assert 'alt="Picture without a description"' in as_alice.get("/").content.decode()


def test_four_pictures_come_in_their_order(as_alice):
    post = publish(as_alice, *(picture(color=one) for one in ("red", "green", "blue", "white")))
    assert [one["alt"][-1] for one in post.media] == ["1", "2", "3", "4"]
    assert set(Picture.objects.values_list("post", flat=True)) == {post.pk}
    html = as_alice.get("/").content.decode()
    assert re.findall(r'alt="A red square (\d)"', html) == ["1", "2", "3", "4"]


def test_pictures_need_no_words_but_something_there_must_be(as_alice):
    post = publish(as_alice, picture(), text="")
    html = as_alice.get(f"/@alice/{post.pk}/").content.decode()
    assert "<title>Alice Adams: “A red square 1”" in html
    assert 'class="post-text"' not in html
    edited = as_alice.post(f"/posts/{post.pk}/edit/", {"text": ""})
    assert edited.status_code == 302
    nothing = as_alice.post(PUBLISH, {"text": ""})
    assert "Write something first." in nothing.content.decode()
    assert Post.objects.count() == 1


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_large_picture_is_kept_in_two_sizes(as_alice, kind):
    post = publish(as_alice, picture(kind, (3000, 1500)))
    assert (post.media[0]["width"], post.media[0]["height"]) == (2048, 1024)
    sizes = {"large": (2048, 1024), "small": (640, 320)}
    for size, wanted in sizes.items():
        made = Image.open(io.BytesIO(served(as_alice, post, size)[1]))
        assert (made.format, made.size) == ("WEBP", wanted)


def test_of_an_animation_the_first_picture_is_taken(as_alice):
    frames = [Image.new("RGB", (30, 20), one) for one in ("red", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    made = Image.open(io.BytesIO(served(as_alice, publish(as_alice, out.getvalue()))[1]))
    assert getattr(made, "n_frames", 1) == 1
    assert made.convert("RGB").getpixel((5, 5))[0] > 200


def test_nothing_but_the_picture_survives(as_alice):
    post = publish(as_alice, photograph())
    assert (post.media[0]["width"], post.media[0]["height"]) == (40, 80)
    for size in ("small", "large"):
        assert_only_the_picture(served(as_alice, post, size)[1])


def test_a_picture_is_served_as_what_it_is_and_cached_for_ever(as_alice):
    response, _ = served(as_alice, publish(as_alice, picture()))
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"].startswith("inline")
    for part in ("public", "immutable", "max-age=31536000"):
        assert part in response["Cache-Control"]
    assert "Set-Cookie" not in response


def test_the_address_of_a_picture_cannot_be_guessed_from_its_content(as_alice):
    first, second = (publish(as_alice, picture()).media[0]["name"] for _ in range(2))
    assert first != second
    assert re.fullmatch("[0-9a-f]{32}", first)
    for name in (f"{'0' * 32}-large.webp", f"{first}-huge.webp", f"{first}.webp", "../x.webp"):
        response = as_alice.get(f"/media/pictures/{name}")
        assert response.status_code == 404
        assert "immutable" not in response.get("Cache-Control", "")


UNREADABLE = "This file is no picture we can read"
TOO_MANY = "This picture has more than 33 million pixels."


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (lambda: picture("JPEG", (300, 300), "green")[:700], "cut.jpg", UNREADABLE),
        (zipped, "archive.jpg", UNREADABLE),
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "a.svg", UNREADABLE),
        (lambda: b"", "empty.png", UNREADABLE),
        (lambda: picture("BMP"), "a.png", UNREADABLE),
        (lambda: png_header(10_000, 10_000), "large.png", TOO_MANY),
        (swollen_gif, "swollen.gif", TOO_MANY),
        (many_scans, "scans.jpg", "too many layers"),
        (lambda: picture() + b"\0" * (10 << 20), "10mb.png", "larger than 10 MB"),
        (lambda: b"x", "\u202e<b>gpj.exe", "“&lt;b&gt;gpj.exe”"),
    ],
)
def test_what_is_no_picture_is_refused_with_a_word_and_nothing_is_stored(
    as_alice, content, name, words
):
    response = send(as_alice, content(), name=name, text="Kept words")
    html = response.content.decode()
    assert response.status_code == 422
    assert words in html
    assert 'id="id_pictures_error"' in html
    assert "Kept words</textarea>" in html
    assert "Write something first." not in html
    assert stored() == []
    assert not Picture.objects.exists()
    assert not Post.objects.exists()


def test_of_several_files_the_good_ones_are_kept(as_alice):
    response = send(as_alice, picture(), b"nonsense", picture())
    assert UNREADABLE in response.content.decode()
    assert len(media_of(response)) == 2
    assert Picture.objects.count() == 2


def test_more_than_four_pictures_are_refused_and_those_there_are_stay(as_alice):
    response = send(as_alice, *[picture()] * 5)
    assert "A post can have up to 4 pictures. These would be 5." in response.content.decode()
    assert stored() == []
    ids = uploaded(as_alice, *[picture()] * 3)
    response = send(as_alice, *[picture()] * 2, media=ids)
    assert response.status_code == 422
    assert "These would be 5." in response.content.decode()
    assert media_of(response) == ids
    one_left_out = send(as_alice, *[picture()] * 2, media=ids, **{f"drop_{ids[0]}": "on"})
    assert "These would be" not in one_left_out.content.decode()
    assert media_of(one_left_out)[:2] == ids[1:]
    assert len(media_of(one_left_out)) == 4


def test_a_request_with_very_many_files_or_bytes_is_ended(as_alice):
    assert send(as_alice, *[b"x"] * 11).status_code == 400
    huge = as_alice.post(PUBLISH, {"text": "Look"}, CONTENT_LENGTH=str(65 << 20))
    assert huge.status_code == 400
    assert not Post.objects.exists()


@pytest.mark.parametrize("media", ["0", "x", "-1", "9" * 30, "", "12345678901234567"])
def test_a_picture_that_is_not_there_is_refused(as_alice, media):
    response = as_alice.post(PUBLISH, {"text": "Look", "media": media})
    assert response.status_code == 422
    assert GONE in response.content.decode()
    assert not Post.objects.exists()


def test_somebody_elses_picture_is_refused_and_left_as_it_is(as_alice, client, bob):
    ids = uploaded(as_alice, picture())
    client.force_login(bob)
    response = client.post(PUBLISH, {"text": "Mine", "media": ids, f"alt_{ids[0]}": "Changed"})
    assert response.status_code == 422
    assert GONE in response.content.decode()
    assert media_of(response) == []
    with pytest.raises(services.CannotAttach):
        services.publish_post(author=bob.pk, text="Mine", media=[int(ids[0])])
    kept = Picture.objects.get()
    assert (kept.alt, kept.post) == ("", None)
    assert not Post.objects.exists()


def test_a_published_picture_is_not_published_again(as_alice):
    post = publish(as_alice, picture())
    pk = post.media[0]["id"]
    response = as_alice.post(PUBLISH, {"text": "Again", "media": pk, f"alt_{pk}": "Changed"})
    assert response.status_code == 422
    assert GONE in response.content.decode()
    assert media_of(response) == []
    assert Picture.objects.get().alt == "A red square 1"
    assert list(Post.objects.values_list("text", flat=True)) == ["Look"]


def test_two_posts_at_the_same_time_cannot_both_have_a_picture(as_alice, alice):
    (pk,) = uploaded(as_alice, picture())

    def try_it(n):
        try:
            return services.publish_post(author=alice.pk, text=f"{n}", media=[int(pk)])
        except services.CannotAttach:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        made = [one for one in threads.map(try_it, range(4)) if one]
    assert made == list(Post.objects.values_list("pk", flat=True))
    assert made == [Picture.objects.get().post]


@pytest.mark.parametrize("sent", ["media", "pictures"])
def test_the_same_form_twice_makes_one_post(as_alice, sent):
    data = {"key": "k" * 20, "undescribed": "on"}
    if sent == "media":
        data["media"] = uploaded(as_alice, picture())
    for _ in range(2):
        files = [picture()] if sent == "pictures" else []
        assert send(as_alice, *files, **data).status_code == 302
    assert Post.objects.count() == 1
    assert len(Post.objects.get().media) == 1


def test_a_description_that_is_too_long_is_refused_and_kept(as_alice):
    ids = uploaded(as_alice, picture())
    field = f"alt_{ids[0]}"
    response = as_alice.post(PUBLISH, {"text": "Look", "media": ids, field: "z" * 1501})
    html = response.content.decode()
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in html
    assert "z" * 1501 + "</textarea>" in html
    assert ASKED not in html
    assert not Post.objects.exists()
    assert as_alice.post(PUBLISH, {"media": ids, field: "z" * 1500}).status_code == 302


def test_what_else_is_wrong_loses_no_picture_and_no_description(as_alice):
    ids = uploaded(as_alice, picture())
    described = {"media": ids, f"alt_{ids[0]}": "<b>Tomatoes</b>"}
    response = as_alice.post(PUBLISH, {"text": "x" * 501, **described})
    assert response.status_code == 422
    assert media_of(response) == ids
    assert "&lt;b&gt;Tomatoes&lt;/b&gt;</textarea>" in response.content.decode()
    response = as_alice.post(PUBLISH, {"text": "psst", "visibility": "direct", **described})
    assert "Mention somebody" in response.content.decode()
    assert media_of(response) == ids
    assert Picture.objects.get().alt == "<b>Tomatoes</b>"


def test_a_share_shows_the_pictures_too(as_alice, alice, bob, client):
    post = publish(as_alice, picture())
    follow(alice, bob)
    services.share_post(post_id=post.pk, actor=bob)
    assert "A red square 1" in client.get("/@bob/").content.decode()


def test_pictures_cost_a_page_no_command(as_alice, alice, record_commands, strategy_remembered):
    def commands():
        as_alice.get("/")
        with record_commands() as asked:
            as_alice.get("/")
        return [name for name, _ in asked]

    services.publish_post(author=alice.pk, text="Words")
    before = commands()
    publish(as_alice, *[picture()] * 4)
    assert commands() == before


def test_what_nobody_published_for_a_day_is_removed_and_nothing_else(as_alice):
    post = publish(as_alice, picture())
    (old,) = uploaded(as_alice, picture())
    (young,) = uploaded(as_alice, picture())
    long_ago = timezone.now() - timedelta(days=1, minutes=1)
    Picture.objects.exclude(pk=young).update(created_at=long_ago)
    for _ in range(2):
        tasks.remove_pictures()
    left = set(Picture.objects.values_list("pk", flat=True))
    assert left == {post.media[0]["id"], int(young)}
    assert len(stored()) == 4
    response = as_alice.post(PUBLISH, {"text": "Look", "media": old, f"alt_{old}": "Late"})
    assert GONE in response.content.decode()


def test_of_a_deleted_post_no_picture_is_left(as_alice, asked):
    kept, gone = publish(as_alice, picture()), publish(as_alice, picture())
    as_alice.post(f"/posts/{gone.pk}/delete/")
    assert ("forget_post", {"post_id": gone.pk}) in asked
    work(asked)
    tasks.forget_post(post_id=gone.pk)
    assert [one.post for one in Picture.objects.all()] == [kept.pk]
    name = kept.media[0]["name"]
    assert stored() == [f"{name}-large.webp", f"{name}-small.webp"]


def test_a_task_that_died_while_it_removed_pictures_is_made_up_for(as_alice, asked, monkeypatch):
    post = publish(as_alice, picture())
    as_alice.post(f"/posts/{post.pk}/delete/")

    def die(name):
        raise OSError("The disk is away")

    with monkeypatch.context() as broken:
        broken.setattr(default_storage, "delete", die)
        with pytest.raises(OSError, match="The disk is away"):
            tasks.forget_post(post_id=post.pk)
    assert Picture.objects.exists()
    tasks.remove_pictures()
    assert stored() == []
    assert not Picture.objects.exists()


def test_who_deletes_to_write_again_keeps_the_pictures(as_alice, asked):
    post = publish(as_alice, picture(), picture(), warning="Red")
    ids, files = [one["id"] for one in post.media], stored()
    as_alice.post(f"/posts/{post.pk}/delete/", {"redraft": "1"})
    work(asked)
    tasks.remove_pictures()
    page = as_alice.get(PUBLISH)
    assert [int(one) for one in media_of(page)] == ids
    assert page.context["form"]["warning"].value() == "Red"
    as_alice.post(PUBLISH, {"text": "Again", "media": ids, "undescribed": "1"})
    again = Post.objects.get()
    assert [one["id"] for one in again.media] == ids
    assert stored() == files
    served(as_alice, again)
