"""Publishing pictures with the form: descriptions, refused uploads, and no lost input."""

import re

import pytest

from feed.models import Picture, Post
from feed.services.pictures import CannotAttach
from feed.store.collections import merged_posts
from tests.actions import publish_post
from tests.feed.picture_uploads import PUBLISH, media_of, publish, send, stored, uploaded
from tests.uploads import many_scans, picture, png_header, swollen_gif, zipped

DESCRIPTION_REQUIRED = "Add descriptions for people"
MISSING_PICTURE = "One of these pictures no longer exists."
pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def test_a_picture_is_published_after_it_is_described(as_alice, alice):
    response = send(as_alice, picture())
    html = response.content.decode()
    assert response.status_code == 422
    assert DESCRIPTION_REQUIRED in html
    assert "Look</textarea>" in html
    assert not Post.objects.exists()
    (pk,) = media_of(response)
    unpublished = Picture.objects.get()
    assert f'src="/media/pictures/{unpublished.name}-small.webp?until=' in html
    assert len(stored()) == 2
    response = as_alice.post(PUBLISH, {"text": "Look", "media": pk, f"alt_{pk}": "A red\r\nsquare"})
    assert response.status_code == 302
    post = Post.objects.get()
    assert post.media == [
        {
            "id": int(pk),
            "name": unpublished.name,
            "alt": "A red\nsquare",
            "width": 60,
            "height": 40,
        }
    ]
    for path in ("/", "/public/", "/@alice/", f"/@alice/{post.pk}/"):
        html = as_alice.get(path).content.decode()
        assert f'href="/media/pictures/{unpublished.name}-large.webp"' in html
        assert re.search(r'<img [^>]*width="60" height="40" alt="A red\nsquare"', html)


def test_publishing_without_descriptions_needs_confirmation(as_alice):
    ids = uploaded(as_alice, picture())
    response = as_alice.post(PUBLISH, {"text": "Look", "media": ids})
    assert response.status_code == 422
    assert 'name="confirm_undescribed"' in response.content.decode()
    assert not Post.objects.exists()
    response = as_alice.post(PUBLISH, {"text": "Look", "media": ids, "confirm_undescribed": "on"})
    assert response.status_code == 302
    assert 'alt="Picture without a description"' in as_alice.get("/").content.decode()


UNREADABLE = "This file is not a supported picture"
TOO_MANY_PIXELS = "This picture is too large. The limit is 33 million pixels."


UNREADABLE_UPLOADS = (
    (lambda: picture("JPEG", (300, 300), "green")[:700], "cut.jpg", "This picture is damaged."),
    (zipped, "archive.jpg", UNREADABLE),
    (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "a.svg", UNREADABLE),
    (lambda: b"", "empty.png", UNREADABLE),
    (lambda: picture("BMP"), "a.png", UNREADABLE),
    (lambda: png_header(10_000, 10_000), "large.png", TOO_MANY_PIXELS),
    (swollen_gif, "swollen.gif", TOO_MANY_PIXELS),
    (many_scans, "scans.jpg", "too many layers"),
    (lambda: picture() + b"\0" * (10 << 20), "10mb.png", "The limit is 10 MB"),
    (lambda: b"x", "\u202e<b>gpj.exe", "“&lt;b&gt;gpj.exe”"),
)


def test_an_unreadable_picture_is_refused_with_a_message(as_alice):
    for content, name, message in UNREADABLE_UPLOADS:
        response = send(as_alice, content(), name=name, text="Draft text")
        html = response.content.decode()
        assert response.status_code == 422, name
        assert message in html, name
        assert 'id="id_pictures_error"' in html
        assert "Draft text</textarea>" in html
        assert "Enter some text." not in html
    assert stored() == []
    assert not Picture.objects.exists()
    assert not Post.objects.exists()


def test_valid_files_are_saved_if_another_is_refused(as_alice):
    response = send(as_alice, picture(), b"nonsense", picture())
    assert UNREADABLE in response.content.decode()
    assert len(media_of(response)) == 2
    assert Picture.objects.count() == 2


def test_a_fifth_picture_is_refused_and_saved_ones_remain(as_alice):
    response = send(as_alice, *[picture()] * 5)
    assert (
        "A post can have up to 4 pictures. You added 5. Remove some of them."
        in response.content.decode()
    )
    assert stored() == []
    ids = uploaded(as_alice, *[picture()] * 3)
    response = send(as_alice, *[picture()] * 2, media=ids)
    assert response.status_code == 422
    assert "You added 5." in response.content.decode()
    assert media_of(response) == ids
    after_removing_one = send(as_alice, *[picture()] * 2, media=ids, **{f"drop_{ids[0]}": "on"})
    assert "You added" not in after_removing_one.content.decode()
    assert media_of(after_removing_one)[:2] == ids[1:]
    assert len(media_of(after_removing_one)) == 4


def test_a_request_with_too_many_files_or_bytes_is_refused(as_alice):
    assert send(as_alice, *[b"x"] * 11).status_code == 400
    huge = as_alice.post(PUBLISH, {"text": "Look"}, CONTENT_LENGTH=str(65 << 20))
    assert huge.status_code == 400
    assert not Post.objects.exists()


def test_a_missing_picture_is_refused(as_alice):
    for media in ("0", "x", "-1", "9" * 30, "", "12345678901234567"):
        response = as_alice.post(PUBLISH, {"text": "Look", "media": media})
        assert response.status_code == 422, media
        assert MISSING_PICTURE in response.content.decode(), media
    assert not Post.objects.exists()


def test_the_picture_of_another_user_is_refused_and_unchanged(as_alice, client, bob):
    ids = uploaded(as_alice, picture())
    client.force_login(bob)
    response = client.post(PUBLISH, {"text": "Mine", "media": ids, f"alt_{ids[0]}": "Changed"})
    assert response.status_code == 422
    assert MISSING_PICTURE in response.content.decode()
    assert media_of(response) == []
    with pytest.raises(CannotAttach):
        publish_post(author=bob.pk, text="Mine", picture_ids=[int(ids[0])])
    stored_picture = Picture.objects.get()
    assert (stored_picture.alt, stored_picture.post) == ("", None)
    assert not Post.objects.exists()


def test_a_published_picture_cannot_be_published_again(as_alice):
    post = publish(as_alice, picture())
    pk = post.media[0]["id"]
    response = as_alice.post(PUBLISH, {"text": "Again", "media": pk, f"alt_{pk}": "Changed"})
    assert response.status_code == 422
    assert MISSING_PICTURE in response.content.decode()
    assert media_of(response) == []
    assert Picture.objects.get().alt == "A red square 1"
    assert list(Post.objects.values_list("text", flat=True)) == ["Look"]


def test_a_refused_post_of_a_large_author_leaves_nothing(alice, settings):
    settings.FEED_PUSH_LIMIT = -1
    with pytest.raises(CannotAttach):
        publish_post(author=alice.pk, text="Look", picture_ids=[7])
    assert not Post.objects.exists()
    assert merged_posts().count_documents({}) == 0


@pytest.mark.parametrize("field", ["media", "pictures"])
def test_sending_a_form_twice_publishes_one_post(as_alice, field):
    data = {"idempotency_key": "k" * 20, "confirm_undescribed": "on"}
    if field == "media":
        data["media"] = uploaded(as_alice, picture())
    for _ in range(2):
        files = [picture()] if field == "pictures" else []
        assert send(as_alice, *files, **data).status_code == 302
    assert Post.objects.count() == 1
    assert len(Post.objects.get().media) == 1


def test_a_too_long_description_is_refused_and_shown_again(as_alice):
    ids = uploaded(as_alice, picture())
    field = f"alt_{ids[0]}"
    response = as_alice.post(PUBLISH, {"text": "Look", "media": ids, field: "z" * 1501})
    html = response.content.decode()
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in html
    assert "z" * 1501 + "</textarea>" in html
    assert DESCRIPTION_REQUIRED not in html
    assert not Post.objects.exists()
    assert as_alice.post(PUBLISH, {"media": ids, field: "z" * 1500}).status_code == 302


def test_other_errors_keep_pictures_and_descriptions(as_alice):
    ids = uploaded(as_alice, picture())
    described = {"media": ids, f"alt_{ids[0]}": "<b>Tomatoes</b>"}
    response = as_alice.post(PUBLISH, {"text": "x" * 501, **described})
    assert response.status_code == 422
    assert media_of(response) == ids
    assert "&lt;b&gt;Tomatoes&lt;/b&gt;</textarea>" in response.content.decode()
    response = as_alice.post(PUBLISH, {"text": "psst", "visibility": "direct", **described})
    assert "Mention at least one person" in response.content.decode()
    assert media_of(response) == ids
    assert Picture.objects.get().alt == "<b>Tomatoes</b>"
