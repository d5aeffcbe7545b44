"""Pages that list the posts about one subject: reviews of an item, or links to a host."""

import pytest

from accounts import user_cards
from accounts.services.blocks_and_mutes import mute_user
from feed.models import Post
from tests.actions import publish_post
from tests.factories import follow, people, publish

from .reading_html import words


def review(author, title, *, item="book", stars=4, visibility="public"):
    return publish_post(
        author=author.pk,
        text="",
        visibility=visibility,
        kind="review",
        details={"title": title, "item": item, "stars": stars},
    )


def ids(response):
    return [post.id for post in response.context["page"].posts]


def test_a_review_links_to_all_reviews_of_the_item(client, alice, bob):
    mine, theirs = review(alice, "Dune"), review(bob, "DUNE", stars=2)
    review(bob, "Dune", item="film")
    review(bob, "Dune Messiah")
    review(bob, "Dune", visibility="unlisted")
    link = client.get(f"/@alice/{mine}/").context["post"].reviews_url
    assert f'href="{link}"' in client.get("/public/").content.decode()
    response = client.get(link)
    assert ids(response) == [theirs, mine]
    assert "DUNE Book" in words(response.content.decode())  # the title in the newest review


@pytest.mark.parametrize("title", ["AC/DC", "../..", "a & b?c=d#e", "50 % + 1", "\u202eevil", "…"])
def test_any_title_has_a_page_of_reviews(client, alice, title):
    post = review(alice, title)
    assert ids(client.get(client.get(f"/@alice/{post}/").context["post"].reviews_url)) == [post]


@pytest.mark.parametrize(
    "query", ["", "of=", "of=book", "of=book:", "of=ship:x", "of=book:" + "x" * 600, "of=:x"]
)
def test_an_invalid_item_returns_404(client, query):
    assert client.get(f"/reviews/?{query}").status_code == 404


def test_an_item_without_reviews_shows_a_message(client):
    page = words(client.get("/reviews/?of=book:Nobody").content.decode())
    assert "No reviews yet" in page
    assert "nobody Book" in page


def test_a_host_page_lists_links_of_texts_and_link_posts(client, alice, bob):
    text = publish(bob, "Look: https://www.example.org/a?b")
    link = publish_post(
        author=alice.pk,
        text="",
        kind="link",
        details={"url": "https://example.org/c", "host": "example.org"},
    )
    publish(bob, "https://example.org.evil.net/")
    page = client.get(f"/@alice/{link}/").content.decode()
    assert 'href="/links/?to=example.org"' in page
    assert ids(client.get("/links/?to=example.org")) == [link, text]
    empty = words(client.get("/links/?to=example.net").content.decode())
    assert "No links yet" in empty


@pytest.mark.parametrize(
    "query", ["", "to=", "to=a/b", "to=https://example.org", "to=a@b", "to=%00", "to=" + "a" * 600]
)
def test_an_invalid_host_returns_404(client, query):
    assert client.get(f"/links/?{query}").status_code == 404


@pytest.mark.parametrize("path", ["/reviews/?of=book%3Adune", "/links/?to=example.org"])
def test_pages_continue_in_both_directions_without_muted_users(client, alice, bob, settings, path):
    settings.FEED_PAGE_SIZE = 3
    muted, *others = people(8)
    posts = []
    for user in (muted, *others):
        details = {"title": "Dune", "item": "book", "stars": 1}
        posts.append(
            publish_post(
                author=user.pk, text="https://example.org/", kind="review", details=details
            )
        )
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    client.force_login(alice)
    first = client.get(path)
    assert ids(first) == posts[:-4:-1]
    second = client.get(f"{path}&max_id={first.context['page'].older_cursor}")
    assert ids(second) == posts[-4:-7:-1]
    page = second.content.decode()
    for part in ("max_id", "min_id"):
        assert f'href="{path.replace("/reviews/", "").replace("/links/", "")}&amp;{part}=' in page
    back = client.get(f"{path}&min_id={second.context['page'].newer_cursor}")
    assert ids(back) == ids(first)
    third = client.get(f"{path}&max_id={second.context['page'].older_cursor}")
    assert ids(third) == [posts[1]]
    assert third.context["page"].older_cursor is None


def copy_post(post, authors):
    """Insert a copy of the post for each author."""
    names = ("text", "kind", "details", "attributes", "delivery_state")
    fields = {name: getattr(post, name) for name in names}
    Post.objects.bulk_create(Post(author=author, **fields) for author in authors)


@pytest.mark.parametrize("path", ["/reviews/?of=book:dune", "/links/?to=example.org"])
def test_a_page_costs_the_same_for_one_post_and_for_twenty(
    client, alice, bob, record_commands, path
):
    def commands():
        assert client.get(path).status_code == 200
        user_cards.clear_cards()
        with record_commands() as recorded:
            client.get(path)
        return [(name, command[name]) for name, command in recorded]

    def post(author):
        details = {"title": "Dune", "item": "book", "stars": 1}
        publish_post(author=author.pk, text="https://example.org/", kind="review", details=details)

    follow(alice, bob)
    client.force_login(alice)
    post(bob)
    few = commands()
    copy_post(Post.objects.get(), people(19))
    assert commands() == few
    assert len(few) <= 9
