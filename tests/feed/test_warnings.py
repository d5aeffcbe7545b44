"""Content warnings over HTTP: on every page, the warning hides the text and pictures of its post."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from feed.models import Post
from tests.actions import edit_post, publish_post
from tests.uploads import picture

PUBLISH = "/posts/"
SECRET = "The butler did it"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def publish_with_warning(alice, warning="The end of a film", text=SECRET):
    return publish_post(author=alice.pk, text=text, content_warning=warning)


def outside_details(html):
    return re.sub(
        r'<details class="content-warning">.*?</summary>(.*?)</details>', "", html, flags=re.DOTALL
    )


@pytest.mark.usefixtures("no_pictures")
def test_text_and_pictures_are_behind_the_warning_on_every_page(as_alice):
    upload = SimpleUploadedFile("me.png", picture(), content_type="image/png")
    data = {"text": SECRET, "content_warning": "The end of a film", "confirm_undescribed": "on"}
    assert as_alice.post(PUBLISH, {**data, "pictures": upload}).status_code == 302
    post = Post.objects.get()
    for path in ("/", "/public/", "/@alice/", f"/@alice/{post.pk}/", f"/posts/{post.pk}/delete/"):
        html = as_alice.get(path).content.decode()
        summary = re.search(r"<summary[^>]*>(?:(?!</summary>).)*The end of a film", html, re.DOTALL)
        assert summary, path
        assert SECRET in html
        assert SECRET not in outside_details(html), path
        assert "/media/pictures/" not in outside_details(html), path


def test_titles_and_quotes_show_only_the_warning(as_alice, alice):
    post = publish_with_warning(alice)
    html = as_alice.get(f"/@alice/{post}/").content.decode()
    assert "<title>Alice Adams: “The end of a film”" in html
    assert '<meta name="description" content="The end of a film">' in html
    reply_page = as_alice.get(f"/posts/{post}/comments/").content.decode()
    assert SECRET not in reply_page


def test_without_a_warning_nothing_is_hidden(as_alice):
    as_alice.post(PUBLISH, {"text": "Open words", "content_warning": " \u200b "})
    assert Post.objects.get().content_warning == ""
    assert 'class="content-warning"' not in as_alice.get("/").content.decode()


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("one\r\ntwo  three", "one two three"),
        ("\u202eturned", "turned"),
        ("a\x00b", "ab"),
        ("<b>bold</b>", "<b>bold</b>"),
        ("w" * 100, "w" * 100),
    ],
)
def test_a_warning_is_one_clean_line(as_alice, typed, stored):
    assert as_alice.post(PUBLISH, {"text": "x", "content_warning": typed}).status_code == 302
    assert Post.objects.get().content_warning == stored
    assert "<b>" not in as_alice.get("/").content.decode()


def test_a_form_with_a_too_long_warning_is_shown_again_with_its_values(as_alice):
    response = as_alice.post(PUBLISH, {"text": "Words", "content_warning": "w" * 101})
    html = response.content.decode()
    assert response.status_code == 422
    assert 'id="id_content_warning_error"' in html
    assert f'value="{"w" * 101}"' in html
    assert "Words</textarea>" in html
    assert not Post.objects.exists()


def test_editing_adds_changes_and_removes_a_warning(as_alice, alice):
    post = publish_post(author=alice.pk, text=SECRET)
    url = f"/posts/{post}/edit/"
    for warning in ("A film", "A good film", ""):
        assert as_alice.post(url, {"text": SECRET, "content_warning": warning}).status_code == 302
        assert Post.objects.get().content_warning == warning
    edited_at = Post.objects.get().edited_at
    as_alice.post(url, {"text": SECRET, "content_warning": ""})
    assert Post.objects.get().edited_at == edited_at, "nothing was changed"


def test_the_edit_form_has_the_warning_and_other_edits_leave_it(as_alice, alice):
    post = publish_with_warning(alice)
    assert 'value="The end of a film"' in as_alice.get(f"/posts/{post}/edit/").content.decode()
    edit_post(post_id=post, actor=alice, text="Not the butler")
    assert Post.objects.get().content_warning == "The end of a film"
