"""The form that publishes pictures: what it asks, what it refuses, and that it loses nothing."""

import re

import pytest

from feed.models import Picture, Post
from feed.services.pictures import CannotAttach
from feed.services.posts import publish_post
from feed.store.collections import merged_posts
from tests.feed.attaching import PUBLISH, media_of, publish, send, stored, uploaded
from tests.uploads import many_scans, picture, png_header, swollen_gif, zipped

ASKED = "Say what the pictures show"
GONE = "One of these pictures no longer exists."
pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def test_a_description_is_asked_for_and_then_the_picture_is_out(as_alice, alice):
    asked = send(as_alice, picture())
    html = asked.content.decode()
    assert asked.status_code == 422
    assert ASKED in html
    assert "Look</textarea>" in html
    assert not Post.objects.exists()
    (pk,) = media_of(asked)
    waiting = Picture.objects.get()
    assert f'src="/media/pictures/{waiting.name}-small.webp?until=' in html
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
    assert 'name="confirm_undescribed"' in again.content.decode()
    assert not Post.objects.exists()
    answer = as_alice.post(PUBLISH, {"text": "Look", "media": ids, "confirm_undescribed": "on"})
    assert answer.status_code == 302
    assert 'alt="Picture without a description"' in as_alice.get("/").content.decode()


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
    assert "A post can have up to 4 pictures. You added 5." in response.content.decode()
    assert stored() == []
    ids = uploaded(as_alice, *[picture()] * 3)
    response = send(as_alice, *[picture()] * 2, media=ids)
    assert response.status_code == 422
    assert "You added 5." in response.content.decode()
    assert media_of(response) == ids
    one_left_out = send(as_alice, *[picture()] * 2, media=ids, **{f"drop_{ids[0]}": "on"})
    assert "You added" not in one_left_out.content.decode()
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
    with pytest.raises(CannotAttach):
        publish_post(author=bob.pk, text="Mine", picture_ids=[int(ids[0])])
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


def test_of_a_refused_post_by_a_large_author_nothing_is_left(alice, settings):
    settings.FEED_PUSH_LIMIT = -1
    with pytest.raises(CannotAttach):
        publish_post(author=alice.pk, text="Look", picture_ids=[7])
    assert not Post.objects.exists()
    assert merged_posts().count_documents({}) == 0


@pytest.mark.parametrize("sent", ["media", "pictures"])
def test_the_same_form_twice_makes_one_post(as_alice, sent):
    data = {"idempotency_key": "k" * 20, "confirm_undescribed": "on"}
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
