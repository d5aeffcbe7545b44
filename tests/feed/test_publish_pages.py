"""Publishing and deleting over HTTP."""

import pytest
from django.contrib.auth.models import Permission
from django.http import Http404
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feed.models import MAX_TEXT_LENGTH, Post
from feed.services.posts import delete_post
from tests.factories import publish

PUBLISH = "/posts/"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def shown(response):
    return [post.text for post in response.context["page"].posts]


def texts():
    return list(Post.objects.values_list("text", flat=True))


@pytest.mark.parametrize("visibility", ["public", "followers"])
def test_only_the_author_deletes_a_post(as_alice, alice, bob, visibility):
    post = publish(bob, "Mine", visibility=visibility)
    with pytest.raises(Http404):
        delete_post(post_id=post, actor=alice)
    assert as_alice.post(f"/posts/{post}/delete/").status_code == 404
    assert texts() == ["Mine"]
    delete_post(post_id=post, actor=bob)
    assert texts() == []
    with pytest.raises(Http404):
        delete_post(post_id=post, actor=bob)


def test_a_published_post_is_on_every_page_at_once(as_alice):
    response = as_alice.post(PUBLISH, {"text": "First light"})
    assert (response.status_code, response["Location"]) == (302, "/")
    home = as_alice.get("/")
    assert b"Post published." in home.content
    assert shown(home) == shown(as_alice.get("/public/")) == shown(as_alice.get("/@alice/"))
    (post,) = Post.objects.all()
    page = as_alice.get(f"/@alice/{post.pk}/")
    assert b"First light" in page.content
    assert f'href="/posts/{post.pk}/options/"' in page.content.decode()


INVISIBLE = [
    "",
    " ",
    "\r\n \t ",
    "\u3000\u2003",
    "\u200b",
    "\u202e\u200d",
    "\x00",
    "\x01",
    "\u2028",
]


def test_an_invisible_text_is_refused(as_alice):
    for text in INVISIBLE:
        response = as_alice.post(PUBLISH, {"text": text})
        assert response.status_code == 422
        assert b"Enter some text." in response.content
    assert texts() == []


@pytest.mark.parametrize("data", [{}, {"words": "x"}])
def test_a_form_without_the_text_field_is_refused(as_alice, data):
    response = as_alice.post(PUBLISH, data)
    assert response.status_code == 422
    assert b"Enter some text." in response.content
    assert (
        as_alice.post(PUBLISH, b'{"text": 1}', content_type="application/json").status_code == 422
    )


@pytest.mark.parametrize("text", ["x" * 500, "👩" * 500, " " + "y" * 500 + "\r\n", "e\u0301" * 500])
def test_five_hundred_characters_are_accepted(as_alice, text):
    assert as_alice.post(PUBLISH, {"text": text}).status_code == 302
    assert [len(text) for text in texts()] == [500]


def test_line_ends_count_as_one_character(as_alice):
    as_alice.post(PUBLISH, {"text": "a\r\n" * 249 + "bc"})
    assert texts() == ["a\n" * 249 + "bc"]


def test_a_too_long_text_is_refused_and_shown_again(as_alice):
    text = "<b>" + "z" * 498
    response = as_alice.post(PUBLISH, {"text": text})
    assert response.status_code == 422
    html = response.content.decode()
    assert "It has 501 characters, and the limit is 500." in html
    assert "&lt;b&gt;" + "z" * 498 + "</textarea>" in html
    assert 'aria-invalid="true"' in html
    assert texts() == []


CLEANED_TEXTS = (
    ("a\x07b\x1b[31mc", "ab[31mc"),
    ("a\x00b", "ab"),
    ("a\tb", "a b"),
    ("a\rb\r\nc\u2028d", "a\nb\nc\nd"),
    ("Zoe\u0308", "Zoë"),
    ("left \u202e thgir", "left  thgir"),
    ("a \u2067turned\u2069 word", "a \u2067turned\u2069 word"),
    ("👩\u200d🚀", "👩\u200d🚀"),
    ("\ufffe\uffff \U000e0001", "\ufffe\uffff \U000e0001"),
)


def test_control_characters_are_removed(as_alice):
    for typed, remaining in CLEANED_TEXTS:
        assert as_alice.post(PUBLISH, {"text": typed}).status_code == 302
        assert Post.objects.latest("pk").text == remaining
    assert as_alice.get("/").status_code == 200
    assert len(texts()) == len(CLEANED_TEXTS)


def test_bidi_characters_affect_only_their_post(as_alice, alice):
    post = publish(alice, "\u202eevil")
    html = as_alice.get(f"/@alice/{post}/").content.decode()
    assert '<div class="post-text" dir="auto">\u202eevil</div>' in html


@pytest.mark.parametrize("size", [400_000, 1_100_000])
def test_a_huge_text_is_refused(as_alice, size):
    response = as_alice.post(PUBLISH, {"text": "x" * size})
    assert response.status_code == (422 if size < 1_000_000 else 400)
    assert b"<h1>" in response.content
    assert b"css/site" in response.content
    assert texts() == []


@pytest.mark.slow
@hypothesis_settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=600))
def test_any_text_is_published_or_refused_without_errors(as_alice, text):
    response = as_alice.post(PUBLISH, {"text": text})
    assert response.status_code in (302, 422)
    assert all(0 < len(text) <= MAX_TEXT_LENGTH for text in texts())
    for path in ("/", "/public/", "/@alice/"):
        assert as_alice.get(path).status_code == 200


@pytest.mark.parametrize("method", ["get", "post"])
def test_publishing_needs_a_login_that_leads_back(client, method):
    response = getattr(client, method)(PUBLISH, {"text": "x"})
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/?next=/posts/")
    assert texts() == []


def test_the_composer_has_a_page_of_its_own(as_alice):
    html = as_alice.get(PUBLISH).content.decode()
    assert '<textarea name="text"' in html
    assert "Enter some text." not in html


def test_deleting_an_own_post_needs_confirmation(as_alice, alice):
    post = publish(alice, "a mistake")
    path = f"/posts/{post}/delete/"
    confirmation = as_alice.get(path)
    assert confirmation.status_code == 200
    assert b"a mistake" in confirmation.content
    assert texts() == ["a mistake"], "asking deletes nothing"
    response = as_alice.post(path)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert b"Post deleted." in as_alice.get("/").content
    assert as_alice.get(f"/@alice/{post}/").status_code == 404
    assert as_alice.get(path).status_code == 404
    assert as_alice.post(path).status_code == 404


@pytest.mark.parametrize("method", ["get", "post"])
def test_posts_of_others_have_no_delete_page(as_alice, bob, method):
    post = publish(bob, "mine")
    assert getattr(as_alice, method)(f"/posts/{post}/delete/").status_code == 404
    assert texts() == ["mine"]
    assert "/delete/" not in as_alice.get(f"/@bob/{post}/").content.decode()


def test_visitors_are_asked_to_log_in_before_deleting(client, alice):
    post = publish(alice)
    response = client.post(f"/posts/{post}/delete/")
    assert response["Location"] == f"/accounts/login/?next=/posts/{post}/delete/"
    assert len(texts()) == 1


def test_the_permission_to_delete_posts_works_on_the_site(as_alice, alice, bob):
    post = publish(bob, "nasty")
    alice.user_permissions.add(Permission.objects.get(codename="delete_post"))
    assert as_alice.get(f"/posts/{post}/delete/").status_code == 200
    as_alice.post(f"/posts/{post}/delete/")
    assert texts() == []
