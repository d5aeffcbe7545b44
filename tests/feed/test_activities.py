"""Activity kinds: publishing, display, settings, and adding a kind."""

import pytest
from django.http import Http404
from django.template import engines
from django.urls import reverse

from accounts.infra.cursors import PageBounds
from accounts.services.blocks_and_mutes import block_user, unblock_user
from accounts.services.follows import unfollow_user
from feed import activities
from feed.activities import Activity
from feed.checks import check_feed_settings
from feed.models import Post
from feed.selectors.post_pages import profile_page, public_page
from feed.selectors.visible_posts import visible_post
from feed.timeline.home import home_page, new_posts_at_home
from tests.actions import add_comment, delete_comment, edit_post, publish_post, share_post
from tests.factories import UserFactory, follow, people, publish

from .poll_helpers import publish_poll
from .query_plans import plan_of
from .reading_html import words

EVERYTHING = ["note", "link", "review", "share", "comment", "follow"]


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def everything(settings):
    settings.FEED_HOME_KINDS = EVERYTHING


def home(reader):
    page = home_page(viewer=reader.pk, bounds=PageBounds(limit=20))
    return [(post.source_kind or post.kind, post.entry_author.username) for post in page.posts]


def test_a_link_is_shown_with_its_host(as_alice):
    form = as_alice.get("/posts/?kind=link").content.decode()
    assert 'name="url"' in form
    # Browsers refuse URLs without a scheme in fields of type "url".
    assert 'type="url"' not in form
    assert 'inputmode="url"' in form
    answer = as_alice.post("/posts/", {"kind": "link", "url": "www.Example.org/a?b=1"})
    assert answer.status_code == 302
    post = Post.objects.get()
    assert post.details == {"url": "https://www.Example.org/a?b=1", "host": "example.org"}
    assert post.attributes == [{"kind": "host", "value": "example.org"}]
    page = as_alice.get("/").content.decode()
    assert 'href="https://www.Example.org/a?b=1" rel="nofollow' in page
    assert "example.org" in words(page)


@pytest.mark.parametrize("hidden", ["\u202egpj.exe", "\x1b", "\u200b"])
def test_a_url_with_invisible_characters_is_refused(as_alice, hidden):
    sent = {"kind": "link", "url": f"https://example.org/{hidden}"}
    assert as_alice.post("/posts/", sent).status_code == 422
    assert not Post.objects.exists()


def test_a_post_without_text_is_titled_by_its_details(as_alice, alice, client):
    for kind, details, name in (
        ("review", {"title": "Dune", "item": "book", "stars": 4}, "Dune"),
        ("link", {"url": "https://example.org/a", "host": "example.org"}, "https://example.org/a"),
    ):
        post = publish_post(author=alice.pk, text="", kind=kind, details=details)
        page = client.get(f"/@alice/{post}/").content.decode()
        assert f"<title>Alice Adams: “{name}”" in page
        # A post without a text can also be edited without a text.
        as_alice.post(f"/posts/{post}/edit/", {"text": "", "content_warning": "careful"})
        assert Post.objects.get(pk=post).content_warning == "careful"


def test_an_automatic_post_cannot_be_edited(as_alice, alice, bob, everything):
    follow(alice, bob)
    post = Post.objects.get(kind="follow")
    assert as_alice.get(f"/posts/{post.pk}/edit/").status_code == 404
    assert as_alice.post(f"/posts/{post.pk}/edit/", {"text": "Never"}).status_code == 404
    with pytest.raises(Http404):
        edit_post(post_id=post.pk, actor=alice, text="Never")
    assert f"/posts/{post.pk}/edit/" not in as_alice.get("/").content.decode()
    unfollow_user(follower=alice.pk, followee=bob.pk)
    assert not Post.objects.exists()


def test_deleting_a_follow_post_reads_few_index_keys(
    alice, bob, carol, everything, record_commands
):
    for follower in (alice, carol, *people(5)):
        follow(follower, bob)
    with record_commands() as commands:
        unfollow_user(follower=carol.pk, followee=bob.pk)
    (query,) = (
        command for _, command in commands if "attributes" in str(command.get("filter", ""))
    )
    assert plan_of(query)["executionStats"]["totalKeysExamined"] <= 2
    assert not Post.objects.filter(author=carol).exists()
    assert Post.objects.filter(kind="follow").count() == 6


def test_an_automatic_post_can_be_redrafted(as_alice, alice, bob, everything):
    follow(alice, bob)
    post = Post.objects.get(kind="follow").pk
    answer = as_alice.post(f"/posts/{post}/delete/", {"redraft": "1"}, follow=True)
    assert answer.status_code == 200
    assert not Post.objects.exists()


def test_a_share_of_a_post_about_a_blocking_user_is_not_visible(alice, bob, carol, everything):
    named = UserFactory(username="named")
    follow(alice, bob)
    follow(carol, named)
    share = share_post(post_id=Post.objects.get(author=carol).pk, actor=bob)
    visible_post(post_id=share, viewer=alice.pk)
    assert ("share", "bob") in home(alice)
    block_user(owner=named.pk, other=alice.pk)
    assert home(alice) == []
    with pytest.raises(Http404):
        visible_post(post_id=share, viewer=alice.pk)


def test_a_review_shows_its_item_and_stars(as_alice, alice):
    sent = {"kind": "review", "title": "Dune", "item": "book", "stars": "4", "text": "Sand. #dune"}
    as_alice.post("/posts/", sent)
    post = Post.objects.get()
    assert post.details == {"title": "Dune", "item": "book", "stars": 4}
    assert {"kind": "item", "value": "book:dune"} in post.attributes
    for path in ("/", f"/@alice/{post.pk}/"):
        page = as_alice.get(path).content.decode()
        assert "Dune ★★★★☆ Book" in words(page)
        assert "4 of 5 stars" in page
    as_alice.post(f"/posts/{post.pk}/edit/", {"text": "More sand."})
    post.refresh_from_db()
    assert post.attributes == [{"kind": "item", "value": "book:dune"}]


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "link"},
        {"kind": "link", "url": "nonsense"},
        {"kind": "link", "url": "javascript:alert(1)"},
        {"kind": "link", "url": "ftp://example.org/"},
        {"kind": "link", "url": "https://example.org/" + "x" * 2000},
        {"kind": "review", "title": "Dune", "item": "book"},
        {"kind": "review", "title": "Dune", "item": "book", "stars": "6"},
        {"kind": "review", "title": "Dune", "item": "ship", "stars": "5"},
        {"kind": "review", "title": "\u200b", "item": "book", "stars": "5"},
        {"kind": "note", "url": "https://example.org"},
    ],
)
def test_invalid_fields_are_refused_with_an_error(as_alice, fields):
    answer = as_alice.post("/posts/", fields)
    assert answer.status_code == 422
    assert "field-errors" in answer.content.decode()
    assert not Post.objects.exists()


@pytest.mark.parametrize("kind", ["follow", "share", "nonsense", "NOTE"])
def test_users_cannot_publish_automatic_or_unknown_kinds(as_alice, kind):
    assert as_alice.get(f"/posts/?kind={kind}").status_code == 404
    assert as_alice.post("/posts/", {"kind": kind, "text": "x"}).status_code == 404
    assert not Post.objects.exists()


def test_a_kind_that_is_switched_off_is_not_offered(as_alice, settings):
    settings.FEED_HOME_KINDS = ["note", "share"]
    assert "?kind=" not in as_alice.get("/posts/").content.decode()
    assert as_alice.get("/posts/?kind=review").status_code == 404


def test_hidden_kinds_are_missing_only_from_the_viewers_home(as_alice, alice, bob, carol):
    follow(alice, bob)
    publish(bob)
    share_post(post_id=publish(carol), actor=bob)
    review = {"title": "Dune", "item": "book", "stars": 1}
    publish_post(author=bob.pk, text="", kind="review", details=review)
    assert home(alice) == [("review", "bob"), ("share", "bob"), ("note", "bob")]
    page = as_alice.get(reverse("filters")).content.decode()
    assert page.count('name="kind"') == page.count("checked") == 5
    as_alice.post(reverse("set_home_kinds"), {"kind": ["note", "link", "nonsense"]})
    assert home(alice) == [("note", "bob")]
    assert len(profile_page(author=bob.pk, viewer=alice.pk, bounds=PageBounds(limit=9)).posts) == 3
    assert as_alice.get(reverse("filters")).content.decode().count("checked") == 2
    as_alice.post(reverse("set_home_kinds"), {"kind": EVERYTHING})
    assert len(home(alice)) == 3


def test_a_hidden_kind_is_hidden_at_home_also_if_it_is_shared(as_alice, alice, bob, carol):
    follow(alice, bob, carol)
    polls = [publish_poll(author) for author in (carol, *people(1))]
    shares = [share_post(post_id=poll, actor=bob) for poll in polls]
    assert home(alice) == [("share", "bob"), ("poll", "carol")]
    shown = [kind for kind in EVERYTHING if kind != "poll"]
    as_alice.post(reverse("set_home_kinds"), {"kind": shown})
    assert home(alice) == []
    assert new_posts_at_home(viewer=alice.pk, post_ids=[*polls, *shares]) == ()


def test_follows_and_comments_appear_at_home_if_enabled_and_disappear_if_undone(
    everything, alice, bob, carol, client
):
    follow(alice, bob)
    follow(bob, carol)
    post = publish(carol)
    comment = add_comment(post_id=post, actor=bob, text="well said")
    assert home(alice) == [("comment", "bob"), ("follow", "bob")]
    client.force_login(alice)
    page = words(client.get("/").content.decode())
    assert "Bob Brown commented" in page
    assert "now follows Carol Clark" in page
    assert [post.kind for post in public_page(viewer=None, bounds=PageBounds(limit=9)).posts] == [
        "note"
    ]
    delete_comment(post_id=post, comment_id=comment, actor=bob)
    assert home(alice) == [("follow", "bob")]
    unfollow_user(follower=bob.pk, followee=carol.pk)
    assert home(alice) == []


def test_posts_about_blocking_users_or_invisible_posts_do_not_appear(everything, alice, bob, carol):
    follow(alice, bob)
    follow(bob, carol)
    hidden = publish(carol, "for followers", "followers")
    add_comment(post_id=hidden, actor=bob, text="psst")
    block_user(owner=carol.pk, other=alice.pk)
    assert home(alice) == []
    unblock_user(owner=carol.pk, other=alice.pk)
    assert home(alice) == [("follow", "bob")]


def test_follows_and_comments_do_not_appear_by_default(alice, bob, carol):
    follow(alice, bob)
    follow(bob, carol)
    add_comment(post_id=publish(carol), actor=bob, text="well said")
    assert home(alice) == []
    assert Post.objects.count() == 1


def test_a_class_and_a_template_add_a_kind(
    everything, settings, alice, bob, client, monkeypatch, tmp_path
):
    monkeypatch.setattr(activities, "_registered", dict(activities._registered))

    @activities.register_kind
    class Recipe(Activity):
        """A dish to cook: ``{title}``."""

        name = "recipe"
        plural_label, singular_label = "Recipes", "Recipe"
        fields = {"title": activities.SingleLineField(label="Dish", max_length=60)}

    settings.FEED_HOME_KINDS = [*EVERYTHING, "recipe"]
    (tmp_path / "feed/kinds").mkdir(parents=True)
    (tmp_path / "feed/kinds/recipe.html").write_text(
        "<b>How to cook {{ post.row.details.title }}</b>"
    )
    loader = engines["jinja"].env.loader
    monkeypatch.setattr(loader, "searchpath", [str(tmp_path), *loader.searchpath])
    follow(bob, alice)
    client.force_login(alice)
    assert "Dish" in client.get("/posts/?kind=recipe").content.decode()
    client.post("/posts/", {"kind": "recipe", "title": "Ramen & rice"})
    client.force_login(bob)
    assert "<b>How to cook Ramen &amp; rice</b>" in client.get("/").content.decode()
    assert home(bob) == [("recipe", "alice")]
    assert not check_feed_settings()


def test_a_post_of_a_removed_kind_is_shown_as_a_note(alice, client):
    publish_post(author=alice.pk, text="still here", kind="forgotten", details={"a": 1})
    assert "still here" in client.get("/@alice/").content.decode()


def test_an_unknown_kind_in_the_settings_is_an_error(settings):
    settings.FEED_HOME_KINDS = ["note", "nonsense"]
    (error,) = check_feed_settings()
    assert error.id == "feed.E003"
    assert "nonsense" in error.msg


def test_submitting_a_link_form_twice_publishes_one_post(as_alice):
    sent = {"kind": "link", "url": "https://example.org/", "idempotency_key": "k"}
    for _ in range(2):
        as_alice.post("/posts/", sent)
    as_alice.post("/posts/", {**sent, "url": "https://example.org/other"})
    assert Post.objects.count() == 2
