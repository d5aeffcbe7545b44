"""Posts on pages: sharers, visibility, edits and delivery progress."""

import re

import pytest

from accounts.services.profiles import update_profile
from feed.models import Post
from tests.actions import edit_post, share_post
from tests.factories import follow, publish, publish_many

from .reading_html import send, words


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def html(as_alice):
    """Return a function that loads a path as alice."""
    return lambda path: as_alice.get(path).content.decode()


def test_a_share_names_the_sharer_and_html_ids_stay_unique(as_alice, alice, html, bob):
    follow(alice, bob)
    own = publish(alice, "worth a look")
    share_post(post_id=own, actor=alice)
    page = html("/@alice/")
    assert "Alice Adams shared" in words(page)
    assert page.count("worth a look") == 2
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert sorted(ids) == sorted(set(ids))


def test_the_name_of_a_sharer_is_escaped(alice, bob, html):
    update_profile(uid=bob.pk, display_name="<b>Bob</b>", bio="")
    follow(alice, bob)
    share_post(post_id=publish(alice), actor=bob)
    publish_many(bob, 5)
    page = html("/@bob/") + html("/")
    assert "<b>" not in page
    assert "&lt;b&gt;Bob&lt;/b&gt;" in page


def test_share_forms_redirect_to_the_post_on_the_same_page(as_alice, alice, bob, html):
    follow(alice, bob)
    post = publish(bob)
    for action, pressed in (("share", "true"), ("unshare", "false")):
        answer = send(as_alice, html("/public/"), f"/posts/{post}/{action}/")
        assert answer["Location"] == f"/public/#post-{post}"
        assert f'aria-pressed="{pressed}"' in html("/public/")


@pytest.mark.parametrize("visibility", ["followers", "direct"])
def test_posts_that_are_not_public_have_no_share_button(alice, bob, html, visibility):
    follow(alice, bob)
    post = publish(bob, "@alice psst", visibility=visibility)
    for path in ("/", "/@bob/", f"/@bob/{post}/"):
        page = html(path)
        assert "psst" in page
        assert "/share/" not in page


def test_visitors_get_a_login_link_for_sharing(client, bob):
    post = publish(bob)
    assert "/share/" not in client.get("/public/").content.decode()
    page = client.get(f"/@bob/{post}/").content.decode()
    assert f"/accounts/login/?next=/%40bob/{post}/" in page


@pytest.mark.parametrize(
    ("visibility", "visibility_label"),
    [
        ("public", None),
        ("unlisted", "Unlisted"),
        ("followers", "Followers only"),
        ("direct", "Only people mentioned"),
    ],
)
def test_a_post_shows_its_visibility_unless_public(html, alice, bob, visibility, visibility_label):
    follow(alice, bob)
    post = publish(bob, "@alice look", visibility=visibility)
    for path in ("/", f"/@bob/{post}/"):
        article = words(re.search(r"<article.*?</article>", html(path), re.DOTALL)[0])
        marks = [
            label
            for label in ("Unlisted", "Followers only", "Only people mentioned")
            if label in article
        ]
        assert marks == ([visibility_label] if visibility_label else [])


def test_an_edited_post_shows_the_time_of_the_edit(html, alice):
    post = publish(alice, "frist")
    for path in ("/", f"/@alice/{post}/"):
        assert "edited" not in words(html(path))
    edit_post(post_id=post, actor=alice, text="first")
    edited_at = Post.objects.get(pk=post).edited_at
    for path in ("/", f"/@alice/{post}/"):
        page = html(path)
        assert "edited" in words(page)
        assert f'datetime="{edited_at:%Y-%m-%dT%H:%M:%S}' in page


def test_only_own_posts_have_edit_and_delete_links(html, alice, bob):
    own, other = publish(alice), publish(bob)
    page = html("/public/")
    assert f"/posts/{own}/options/" in page
    for action in ("edit", "delete"):
        assert f"/posts/{own}/{action}/" in html(f"/posts/{own}/options/")
        assert f"/posts/{other}/{action}/" not in html(f"/posts/{other}/options/")


def test_the_edit_page_keeps_refused_text(as_alice, html, alice, bob):
    post, other = publish(alice, "Tyop"), publish(bob)
    url = f"/posts/{post}/edit/"
    assert "Tyop</textarea>" in html(url)
    for text, message in (("", "Enter some text."), ("x" * 501, "501 characters")):
        refused = as_alice.post(url, {"text": text})
        assert refused.status_code == 422
        assert message in refused.content.decode()
        assert f"{text}</textarea>" in refused.content.decode()
    saved = as_alice.post(url, {"text": "Typo"}, follow=True)
    assert "Changes saved." in saved.content.decode()
    assert Post.objects.get(pk=post).text == "Typo"
    assert as_alice.get(f"/posts/{other}/edit/").status_code == 404


@pytest.mark.parametrize(
    ("state", "people", "reached", "text"),
    [
        ("pending", 31_000, 12_400, "Delivered to 12,400 of 31,000 followers"),
        ("done", 31_000, 0, "Delivered to all 31,000 followers"),
        ("failed", 31_000, 12_400, "Delivered to 12,400 of 31,000 followers"),
        ("done", 7, 0, None),
    ],
)
def test_the_author_sees_the_progress_of_the_delivery(
    html, client, alice, bob, state, people, reached, text
):
    post = publish(alice)
    parts = [{"next": 0, "end": 3, "reached": reached}]
    Post.objects.filter(pk=post).update(
        delivery_state=state, delivery_audience_size=people, delivery_parts=parts
    )
    path = f"/@alice/{post}/"
    page = html(path)
    assert re.findall("Delivered.*?(?:followers|$)", words(page)) == ([text] if text else [])
    assert ("<progress" in page, "The other followers will get it later" in page) == (
        state == "pending",
        state == "failed",
    )
    client.force_login(bob)
    assert "Delivered" not in client.get(path).content.decode()


def test_the_composer_keeps_the_visibility_and_shows_errors(as_alice):
    refused = as_alice.post("/posts/", {"text": "psst", "visibility": "direct"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Mention at least one person" in page
    assert '<option value="direct" selected>' in page
    refused = as_alice.post("/posts/", {"text": "psst", "visibility": "nonsense"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert re.search(
        r'<select[^>]*aria-describedby="id_visibility_error [^>]*aria-invalid="true"', page
    )
    assert 'id="id_visibility_error"' in page
    assert not Post.objects.exists()
