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


def test_what_one_publishes_is_at_once_on_every_page(as_alice):
    response = as_alice.post(PUBLISH, {"text": "First light"})
    assert (response.status_code, response["Location"]) == (302, "/")
    home = as_alice.get("/")
    assert b"Post published." in home.content
    assert shown(home) == shown(as_alice.get("/public/")) == shown(as_alice.get("/@alice/"))
    (post,) = Post.objects.all()
    page = as_alice.get(f"/@alice/{post.pk}/")
    assert b"First light" in page.content
    assert f'href="/posts/{post.pk}/delete/"' in page.content.decode()


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


def test_a_post_that_shows_nothing_is_refused(as_alice):
    for text in INVISIBLE:
        response = as_alice.post(PUBLISH, {"text": text})
        assert response.status_code == 422
        assert b"Write something first." in response.content
    assert texts() == []


@pytest.mark.parametrize("data", [{}, {"words": "x"}])
def test_a_form_without_the_field_is_refused_with_a_word(as_alice, data):
    response = as_alice.post(PUBLISH, data)
    assert response.status_code == 422
    assert b"Write something first." in response.content
    assert (
        as_alice.post(PUBLISH, b'{"text": 1}', content_type="application/json").status_code == 422
    )


@pytest.mark.parametrize("text", ["x" * 500, "👩" * 500, " " + "y" * 500 + "\r\n", "e\u0301" * 500])
def test_five_hundred_characters_are_taken(as_alice, text):
    assert as_alice.post(PUBLISH, {"text": text}).status_code == 302
    assert [len(text) for text in texts()] == [500]


def test_line_ends_count_once(as_alice):
    as_alice.post(PUBLISH, {"text": "a\r\n" * 249 + "bc"})
    assert texts() == ["a\n" * 249 + "bc"]


def test_one_character_too_many_is_refused_and_the_text_kept(as_alice):
    text = "<b>" + "z" * 498
    response = as_alice.post(PUBLISH, {"text": text})
    assert response.status_code == 422
    html = response.content.decode()
    assert "This text has 501 characters. The limit is 500." in html
    assert "&lt;b&gt;" + "z" * 498 + "</textarea>" in html
    assert 'aria-invalid="true"' in html
    assert texts() == []


@pytest.mark.parametrize(
    ("typed", "remaining"),
    [
        ("a\x07b\x1b[31mc", "ab[31mc"),
        ("a\x00b", "ab"),
        ("a\tb", "a b"),
        ("a\rb\r\nc\u2028d", "a\nb\nc\nd"),
        ("Zoe\u0308", "Zoë"),
        ("left \u202e thgir", "left  thgir"),
        ("a \u2067turned\u2069 word", "a \u2067turned\u2069 word"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("\ufffe\uffff \U000e0001", "\ufffe\uffff \U000e0001"),
    ],
)
def test_control_characters_are_left_out(as_alice, typed, remaining):
    assert as_alice.post(PUBLISH, {"text": typed}).status_code == 302
    assert texts() == [remaining]
    assert as_alice.get("/").status_code == 200


def test_what_turns_text_around_stays_inside_its_post(as_alice, alice):
    post = publish(alice, "\u202eevil")
    html = as_alice.get(f"/@alice/{post}/").content.decode()
    assert '<div class="post-text" dir="auto">\u202eevil</div>' in html


@pytest.mark.parametrize("size", [400_000, 1_100_000])
def test_a_huge_text_is_refused_without_harm(as_alice, size):
    response = as_alice.post(PUBLISH, {"text": "x" * size})
    assert response.status_code == (422 if size < 1_000_000 else 400)
    assert b"<h1>" in response.content
    assert b"css/site" in response.content
    assert texts() == []


@pytest.mark.slow
@hypothesis_settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(max_size=600))
def test_whatever_is_typed_is_published_or_refused_and_every_page_lives(as_alice, text):
    response = as_alice.post(PUBLISH, {"text": text})
    assert response.status_code in (302, 422)
    assert all(0 < len(text) <= MAX_TEXT_LENGTH for text in texts())
    for path in ("/", "/public/", "/@alice/"):
        assert as_alice.get(path).status_code == 200


@pytest.mark.parametrize("method", ["get", "post"])
def test_writing_takes_a_log_in_which_leads_back(client, method):
    response = getattr(client, method)(PUBLISH, {"text": "x"})
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/?next=/posts/")
    assert texts() == []


def test_the_composer_has_a_page_of_its_own(as_alice):
    html = as_alice.get(PUBLISH).content.decode()
    assert '<textarea name="text"' in html
    assert "Write something first." not in html


def test_one_deletes_ones_own_post_after_being_asked(as_alice, alice):
    post = publish(alice, "a mistake")
    path = f"/posts/{post}/delete/"
    asked = as_alice.get(path)
    assert asked.status_code == 200
    assert b"a mistake" in asked.content
    assert texts() == ["a mistake"], "asking deletes nothing"
    response = as_alice.post(path)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert b"The post is deleted." in as_alice.get("/").content
    assert as_alice.get(f"/@alice/{post}/").status_code == 404
    assert as_alice.get(path).status_code == 404
    assert as_alice.post(path).status_code == 404


@pytest.mark.parametrize("method", ["get", "post"])
def test_somebody_elses_post_cannot_be_deleted_nor_the_question_be_seen(as_alice, bob, method):
    post = publish(bob, "mine")
    assert getattr(as_alice, method)(f"/posts/{post}/delete/").status_code == 404
    assert texts() == ["mine"]
    assert "/delete/" not in as_alice.get(f"/@bob/{post}/").content.decode()


def test_strangers_are_asked_to_log_in_before_deleting(client, alice):
    post = publish(alice)
    response = client.post(f"/posts/{post}/delete/")
    assert response["Location"] == f"/accounts/login/?next=/posts/{post}/delete/"
    assert len(texts()) == 1


def test_who_may_remove_posts_may_do_so_on_the_site(as_alice, alice, bob):
    post = publish(bob, "nasty")
    alice.user_permissions.add(Permission.objects.get(codename="delete_post"))
    assert as_alice.get(f"/posts/{post}/delete/").status_code == 200
    as_alice.post(f"/posts/{post}/delete/")
    assert texts() == []
