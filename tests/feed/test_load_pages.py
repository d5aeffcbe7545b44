"""The load test reads pages by regular expressions (``tests.load.page``) that must match the templates."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.actions import add_comment
from tests.factories import follow, publish, publish_many
from tests.load.page import Page
from tests.uploads import picture


@pytest.fixture
def open_page(client, alice):
    client.force_login(alice)
    return lambda path, **headers: Page(path, client.get(path, **headers).content.decode())


def test_home_has_links_buttons_and_the_key_of_the_composer(open_page, alice, bob):
    follow(alice, bob)
    open_page("/")
    posts = publish_many(bob, 25)
    home = open_page("/")
    newest = posts[:-21:-1]
    assert home.posts == [(f"/@bob/{post}/", post) for post in newest]
    assert home.like_buttons == [(f"/posts/{post}/like/", post) for post in newest]
    assert set(home.profile_paths) == {"/@bob/"}
    assert home.csrf_token
    assert home.post_key
    assert home.newest_seen_id == str(posts[-1])
    assert home.sidebar_path.startswith("/beside/")
    assert home.shown_token
    assert any(path.endswith(".css") for path in home.static_paths)
    assert home.picture_paths
    rest = open_page(home.older_path, HTTP_HX_REQUEST="true")
    assert [post for _, post in rest.posts] == posts[4::-1]
    assert rest.older_path == ""
    # A page that was scrolled consists of its part before the posts, and of later posts.
    publish(alice)
    before_posts, list_tag, _posts = open_page("/@alice/").text.partition("<ol")
    assert list_tag
    assert Page("", before_posts).csrf_token
    assert not Page("", before_posts).older_path


def test_a_post_has_a_form_for_comments_and_links_to_forms_for_replies(open_page, alice, bob):
    post = publish(bob)
    parent = add_comment(post_id=post, actor=bob, text="First")
    page = open_page(f"/@bob/{post}/")
    path, key = page.comment_form
    assert path == f"/posts/{post}/comments/"
    assert key
    assert page.reply_form_paths == [f"/posts/{post}/comments/{parent}/reply/"]
    form = open_page(page.reply_form_paths[0], HTTP_HX_REQUEST="true")
    assert form.parent_id == str(parent)
    assert form.comment_form[0] == path
    assert form.csrf_token


def test_an_upload_has_the_id_of_its_picture(client, alice):
    client.force_login(alice)
    response = client.post("/posts/pictures/", {"pictures": SimpleUploadedFile("a.png", picture())})
    row = Page("", response.content.decode())
    assert f'name="alt_{row.media_id}"' in row.text
