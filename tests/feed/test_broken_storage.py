"""A storage that fails for a while. ``test_object_storage.py`` has the same with a real store."""

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.infra.refusals import TryLater
from accounts.models import User
from feed.models import Picture, Post
from tests.clips import upload
from tests.uploads import picture

from .picture_uploads import media_of, publish, send

pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def broken(monkeypatch):
    """Return a function that breaks the storage."""

    def fail(*args):
        raise TryLater("Try again in a minute.", retry_after=60)

    def break_storage():
        for name in ("open", "save", "exists"):
            monkeypatch.setattr(default_storage, name, fail)

    return break_storage


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def test_the_composer_keeps_the_text(as_alice, broken):
    broken()
    response = send(as_alice, picture(), text="Still here")
    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert "Try again in a minute." in response.content.decode()
    assert "Still here" in response.content.decode()
    assert media_of(response) == []
    assert not Post.objects.exists()


def test_pictures_stored_before_the_failure_stay_in_the_form(as_alice, monkeypatch):
    save, saved = default_storage.save, []

    def fail_later(name, content):
        saved.append(name)
        if len(saved) > 2:
            raise TryLater("Try again in a minute.", retry_after=60)
        return save(name, content)

    monkeypatch.setattr(default_storage, "save", fail_later)
    response = send(as_alice, picture(), picture(color="blue"))
    assert response.status_code == 503
    assert len(media_of(response)) == 1


def test_an_edit_changes_nothing(as_alice, broken, asked):
    post = publish(as_alice, picture())
    broken()
    data = {"text": "Changed", "media": [post.media[0]["id"]]}
    data["pictures"] = SimpleUploadedFile("me.png", picture())
    response = as_alice.post(f"/posts/{post.pk}/edit/", data)
    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert Post.objects.get().text == "Look"


def test_a_profile_is_not_changed_by_half(as_alice, alice, broken):
    broken()
    for page in ("/settings/profile/", "/welcome/"):
        data = {"display_name": "New", "avatar": SimpleUploadedFile("me.png", picture())}
        response = as_alice.post(page, data)
        assert response.status_code == 503, page
        assert "Try again in a minute." in response.content.decode()
    user = User.objects.get(pk=alice.pk)
    assert (user.display_name, user.avatar) == (alice.display_name, "")


def test_apps_get_an_error(alice, broken):
    broken()
    response = upload(alice, picture(), "me.png")
    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert response.json() == {"error": "Try again in a minute."}


def test_a_clip_without_a_file_is_not_converted(alice, broken, asked):
    broken()
    mp4 = b"\0\0\0\x18ftypmp42" + bytes(100)
    assert upload(alice, mp4).status_code == 503
    assert [clip.post for clip in Picture.objects.all()] == [Picture.DELETED_POST]
    assert asked == []


def test_files_are_unavailable_for_a_while(as_alice, broken, asked):
    post = publish(as_alice, picture())
    broken()
    url = f"/media/pictures/{post.media[0]['name']}-large.webp"
    response = Client().get(url, headers={"Accept": "image/webp,*/*"})
    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert response["Cache-Control"] == "no-store"
    assert response.content == b"Try again in a minute."
    page = Client().get(url, headers={"Accept": "text/html"})
    assert page.status_code == 503
    assert "Not available right now" in page.content.decode()
