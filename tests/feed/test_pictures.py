"""Pictures of posts: what is made of them, how pages and files show them, and how they go again."""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone
from PIL import Image

from feed import tasks
from feed.models import Picture, Post
from feed.services.pictures import CannotAttach
from feed.services.posts import publish_post
from feed.services.shares import share_post
from tests.factories import follow
from tests.feed.attaching import PUBLISH, media_of, publish, served, stored, uploaded
from tests.feed.workers import work
from tests.uploads import assert_only_the_picture, photograph, picture

GONE = "One of these pictures no longer exists."
pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


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


def test_two_posts_at_the_same_time_cannot_both_have_a_picture(as_alice, alice):
    (pk,) = uploaded(as_alice, picture())

    def try_it(n):
        try:
            return publish_post(author=alice.pk, text=f"{n}", picture_ids=[int(pk)])
        except CannotAttach:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        made = [one for one in threads.map(try_it, range(4)) if one]
    assert made == list(Post.objects.values_list("pk", flat=True))
    assert made == [Picture.objects.get().post]


def test_a_description_is_text_and_not_html(as_alice):
    post = publish(as_alice, picture(), alt='"><script>x</script>')
    for path in ("/", f"/@alice/{post.pk}/"):
        html = as_alice.get(path).content.decode()
        assert "<script>x" not in html
        assert 'alt="&quot;&gt;&lt;script&gt;x&lt;/script&gt; 1"' in html


def test_a_share_shows_the_pictures_too(as_alice, alice, bob, client):
    post = publish(as_alice, picture())
    follow(alice, bob)
    share_post(post_id=post.pk, actor=bob)
    assert "A red square 1" in client.get("/@bob/").content.decode()


def test_pictures_cost_a_page_no_command(as_alice, alice, record_commands):
    def commands():
        as_alice.get("/")
        with record_commands() as asked:
            as_alice.get("/")
        return [name for name, _ in asked]

    publish_post(author=alice.pk, text="Words")
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
    as_alice.post(PUBLISH, {"text": "Again", "media": ids, "confirm_undescribed": "1"})
    again = Post.objects.get()
    assert [one["id"] for one in again.media] == ids
    assert stored() == files
    served(as_alice, again)
