"""Quotes: who may quote, who sees the quoted post, revocation, notification, and the cost of pages."""

import pytest
from django.http import Http404

from accounts import user_cards
from accounts.models import User
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user, mute_user, unmute_user
from accounts.services.erasure import erase_user
from accounts.services.profiles import set_private
from feed import tasks
from feed.models import Post
from feed.selectors.visible_posts import visible_post
from feed.services.filters import add_phrase_filter
from feed.services.moderation import set_post_hidden
from feed.services.posts import delete_post, delete_post_unchecked
from feed.services.quotes import CannotQuote, set_quote_policy
from feed.services.user_lists import create_list
from feed.store import quotes, recount
from feed.store.collections import posts
from feed.store.post_rows import IdRange
from notifications.store import boxes
from tests.actions import edit_post, publish_post, share_post
from tests.at_once import at_once
from tests.factories import follow, people, publish
from tests.feed.poll_helpers import publish_poll
from tests.feed.quote_helpers import number, quote, revoke, seen_quote, state
from tests.feed.reading_html import words

HTMX = {"HX-Request": "true"}


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def as_bob(client, bob):
    client.force_login(bob)
    return client


def notified(user):
    return [(row.kind, row.actor, row.post_id) for row in boxes.get(recipient=user.pk).recent]


def page(client, post_id, author="alice"):
    return words(client.get(f"/@{author}/{post_id}/").content.decode())


# --- The composer ------------------------------------------------------------------------------
def test_a_post_is_quoted_without_javascript(as_alice, alice, bob):
    post = publish(bob, "Rain in Bonn")
    menu = as_alice.get(f"/posts/{post}/options/").content.decode()
    assert f'href="/posts/?quote={post}"' in menu
    composer = as_alice.get(f"/posts/?quote={post}").content.decode()
    assert f'name="quote" value="{post}"' in composer
    assert "Rain in Bonn" in composer
    assert f"?kind=poll&amp;quote={post}" in composer
    response = as_alice.post("/posts/", {"text": "Indeed", "quote": str(post)})
    assert response.status_code == 302
    quoting = Post.objects.get(author=alice)
    assert quoting.attributes[-1] == {"kind": "quote", "value": post}
    assert number(post) == 1
    shown = page(as_alice, quoting.pk)
    assert "Indeed" in shown
    assert "Rain in Bonn" in shown
    assert "1 quote" in page(as_alice, post, "bob")
    assert "Rain in Bonn" in words(as_alice.get("/").content.decode())


def test_a_refused_quote_keeps_what_was_typed(as_alice, bob):
    post = publish(bob)
    Post.objects.filter(pk=post).update(quote_policy="nobody")
    for value in (str(post), "1", "x", "9" * 30):
        response = as_alice.post("/posts/", {"text": "My words", "quote": value})
        assert response.status_code == 422
        assert "My words" in response.content.decode()
    assert "You cannot quote this post." in words(
        as_alice.get(f"/posts/?quote={post}").content.decode()
    )
    assert Post.objects.count() == 1


def test_the_same_key_publishes_and_counts_one_quote(as_alice, bob):
    post = publish(bob)
    for _ in range(2):
        as_alice.post("/posts/", {"text": "Once", "quote": str(post), "idempotency_key": "k"})
    assert (Post.objects.count(), number(post)) == (2, 1)


def test_delete_and_redraft_keeps_the_quote(as_alice, alice, bob):
    post = publish(bob)
    quoting = quote(post, alice)
    response = as_alice.post(f"/posts/{quoting}/delete/", {"redraft": "1"})
    assert response.url == f"/posts/?kind=note&quote={post}"
    assert f'name="quote" value="{post}"' in as_alice.get(response.url).content.decode()
    assert number(post) == 0


# --- Who may quote -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("visibility", "policy", "by_stranger", "by_follower"),
    [
        ("public", "everyone", True, True),
        ("unlisted", "everyone", True, True),
        ("public", "followers", False, True),
        ("public", "nobody", False, False),
        ("followers", "everyone", False, False),
    ],
)
def test_the_policy_decides_who_may_quote(
    alice, bob, carol, visibility, policy, by_stranger, by_follower
):
    follow(carol, alice)
    post = publish_post(author=alice.pk, text="Hi", visibility=visibility, quote_policy=policy)

    def may_quote(user):
        try:
            return visible_post(post_id=post, viewer=user.pk).can_quote
        except Http404:
            return False

    assert (may_quote(bob), may_quote(carol)) == (by_stranger, by_follower)
    assert may_quote(alice)
    assert not (visibility == "public" and visible_post(post_id=post, viewer=None).can_quote)
    for user in (bob, carol):
        if may_quote(user):
            quote(post, user)
        elif visibility == "public":
            with pytest.raises(CannotQuote):
                quote(post, user)


def test_a_message_quotes_only_posts_of_its_participants(alice, bob, carol):
    bobs, carols, own = publish(bob), publish(carol), publish(alice)
    for post in (bobs, own):
        assert state(quote(post, alice, "@bob look", visibility="direct"), bob) == "accepted"
    with pytest.raises(CannotQuote):
        quote(carols, alice, "@bob look", visibility="direct")
    message = publish(alice, "@bob secret", "direct")
    with pytest.raises(CannotQuote):
        quote(message, alice)
    assert number(carols) == 0


def test_a_quote_of_an_own_post_for_followers_is_for_followers(alice, bob):
    follow(bob, alice)
    post = publish(alice, "For you", "followers")
    quoting = quote(post, alice)
    assert Post.objects.get(pk=quoting).visibility == "followers"
    assert state(quoting, bob) == "accepted"


def test_the_default_policy_is_a_setting(as_alice, alice):
    as_alice.post("/settings/privacy/", {"quote_policy": "followers"})
    assert User.objects.get(pk=alice.pk).quote_policy == "followers"
    as_alice.post("/posts/", {"text": "Default"})
    as_alice.post("/posts/", {"text": "Chosen", "quote_policy": "nobody"})
    assert as_alice.post("/posts/", {"text": "Bad", "quote_policy": "x"}).status_code == 422
    assert as_alice.post("/settings/privacy/", {"quote_policy": "x"}).status_code == 422
    policies = dict(Post.objects.values_list("text", "quote_policy"))
    assert policies == {"Default": "followers", "Chosen": "nobody"}
    for path in ("/", "/posts/"):
        assert '<option value="followers" selected>Quotes: followers' in (
            as_alice.get(path).content.decode()
        )


def test_the_policy_of_a_published_post_changes_without_a_new_version(as_alice, alice, bob):
    post = publish(alice, "Hi")
    quoting = quote(post, bob)
    changed = {"text": "Hi", "quote_policy": "nobody"}
    assert as_alice.post(f"/posts/{post}/edit/", changed).status_code == 302
    stored = Post.objects.get(pk=post)
    assert (stored.quote_policy, stored.edited_at) == ("nobody", None)
    assert state(quoting, bob) == "accepted"
    with pytest.raises(CannotQuote):
        quote(post, bob)
    with pytest.raises(Http404):
        set_quote_policy(
            post=visible_post(post_id=post, viewer=bob.pk), actor=bob, policy="everyone"
        )


# --- Who sees the quoted post ------------------------------------------------------------------
def test_a_quoted_post_keeps_its_own_visibility(alice, bob, carol):
    (stranger,) = people(1)
    follow(carol, bob)
    post = publish(bob, "Rain")
    quoting = quote(post, alice)
    assert seen_quote(quoting).post.text == "Rain"
    set_private(uid=bob.pk, is_private=True)
    user_cards.clear_cards()
    assert state(quoting, carol) == "accepted"
    assert {state(quoting, user) for user in (stranger, None)} == {"unauthorized"}
    set_private(uid=bob.pk, is_private=False)
    block_user(owner=bob.pk, other=carol.pk)
    mute_user(owner=stranger.pk, other=bob.pk, until=None)
    user_cards.clear_cards()
    assert state(quoting, carol) == "unauthorized"
    assert state(quoting, stranger) == "muted_account"
    unmute_user(owner=stranger.pk, other=bob.pk)
    assert state(quoting, stranger) == "accepted"


def test_filters_hide_or_fold_a_quoted_post(as_alice, alice, bob, carol):
    follow(alice, carol)
    quote(publish(bob, "Rain in Bonn"), carol)
    quote(publish(bob, "Snow in Ulm"), carol)
    add_phrase_filter(owner=alice.pk, phrase="Bonn", has_warning=False, hours=None)
    add_phrase_filter(owner=alice.pk, phrase="Ulm", has_warning=True, hours=None)
    html = as_alice.get("/").content.decode()
    shown = words(html)
    assert "Bonn" not in shown
    assert "You cannot see the quoted post." in shown
    assert html.index("Hidden by one of your filters.") < html.index("Snow in Ulm")


def test_moderators_hide_and_restore_a_quoted_post(as_alice, alice, bob):
    post = publish(bob, "Rain")
    quoting = quote(post, alice)
    for hidden in ("removed", "pending"):
        set_post_hidden(post_id=post, state=hidden)
        assert state(quoting, alice) == "unauthorized"
        assert "Rain" not in page(as_alice, quoting)
    assert state(quoting, bob) == "accepted"  # pending review: its author sees the post
    set_post_hidden(post_id=post, state="")
    assert "Rain" in page(as_alice, quoting)


def test_a_deleted_quoted_post_leaves_a_placeholder(as_alice, alice, bob, asked):
    post = publish(bob, "Rain")
    quoting = quote(post, alice, "My words")
    delete_post(post_id=post, actor=bob)
    tasks.clean_up_post(post_id=post)
    assert state(quoting) == "deleted"
    shown = page(as_alice, quoting)
    assert "My words" in shown
    assert "The quoted post was deleted." in shown
    delete_post(post_id=quoting, actor=alice)


def test_a_quoted_post_of_a_closed_account_is_hidden(alice, bob):
    quoting = quote(publish(bob), alice)
    suspend_user(uid=bob.pk)
    user_cards.clear_cards()
    assert state(quoting, alice) == "unauthorized"


def test_a_quote_in_a_quote_is_only_a_link(as_alice, alice, bob, carol):
    first = publish(carol, "First of all")
    second = quote(first, bob, "Second")
    third = quote(second, alice, "Third")
    shown = page(as_alice, third)
    assert "Second" in shown
    assert "First of all" not in shown
    nested = seen_quote(third).post.quote
    assert (nested.post_id, nested.post) == (first, None)


def test_a_shown_quote_is_never_an_old_version(as_alice, alice, bob):
    """The HTML of posts in lists is cached."""
    post = publish(bob, "Rain")
    quote(post, alice)
    assert "Rain" in words(as_alice.get("/").content.decode())
    edit_post(post_id=post, actor=bob, text="Snow", content_warning="Weather")
    html = as_alice.get("/").content.decode()
    assert "Rain" not in words(html)
    assert html.index("Weather") < html.index("Snow")
    block_user(owner=bob.pk, other=alice.pk)
    assert "Snow" not in words(as_alice.get("/").content.decode())


def test_a_poll_and_a_review_can_be_quoted(as_alice, alice, bob):
    quoting = quote(publish_poll(bob, text="Tea?"), alice)
    assert "Show poll" in page(as_alice, quoting)
    review = publish_post(
        author=bob.pk,
        text="Good",
        kind="review",
        details={"item": "book", "title": "Dune", "stars": 4},
    )
    assert "Dune" in page(as_alice, quote(review, alice))


def test_a_share_of_a_quote_shows_the_quoted_post(as_alice, alice, bob, carol):
    follow(alice, carol)
    quoting = quote(publish(bob, "Rain"), bob)
    share_post(post_id=quoting, actor=carol)
    assert "Rain" in words(as_alice.get("/").content.decode())


# --- Changes of the quoting post ---------------------------------------------------------------
def test_an_edit_keeps_the_quote(alice, bob):
    post = publish(bob, "Rain")
    quoting = quote(post, alice, "One #tag")
    edit_post(post_id=quoting, actor=alice, text="Two")
    assert state(quoting) == "accepted"
    revoke(post, quoting, bob)
    edit_post(post_id=quoting, actor=alice, text="Three", language="de")
    assert state(quoting) == "revoked"
    assert number(post) == 0


def test_a_deleted_quote_no_longer_counts(alice, bob, asked):
    post = publish(bob)
    first, second = quote(post, alice), quote(post, alice)
    delete_post(post_id=first, actor=alice)
    assert number(post) == 1
    revoke(post, second, bob)
    delete_post(post_id=second, actor=alice)
    assert number(post) == 0


def test_quotes_at_the_same_time_are_all_counted(alice, bob):
    post = publish(bob)
    at_once(*[lambda: quote(post, alice)] * 4)
    assert number(post) == 4


def test_a_quote_of_a_post_that_is_deleted_meanwhile_is_refused(alice, bob, asked):
    post = publish(bob)
    quoted = visible_post(post_id=post, viewer=alice.pk)
    delete_post(post_id=post, actor=bob)
    with pytest.raises(CannotQuote):
        publish_post(author=alice.pk, text="Late", quoted=quoted)
    assert not Post.objects.exists()


def test_an_erased_author_takes_the_quoted_post_along(alice, bob, carol):
    post = publish(bob, "Rain")
    quoting = quote(post, alice)
    other = publish(carol)
    quote(other, bob)
    erase_user(uid=bob.pk)
    assert state(quoting) == "deleted"
    assert number(other) == 0


def test_a_recount_corrects_the_number_of_quotes(alice, bob):
    post = publish(bob)
    quote(post, alice)
    revoke(post, quote(post, alice), bob)
    assert recount.miscounted_posts(ids=[post]) == []
    posts().update_one({"_id": post}, {"$set": {"quotes": 7}})
    assert recount.miscounted_posts(ids=[post]) == [post]
    assert recount.recount_post(post=post)
    assert number(post) == 1


# --- Revocation and notification ---------------------------------------------------------------
def test_the_quoted_author_is_notified_and_revokes_the_quote(as_bob, alice, bob, carol):
    post = publish(bob, "Rain")
    quoting = quote(post, alice, "@bob look at this")
    assert notified(bob) == [("quote", alice.pk, quoting)]
    box = as_bob.get("/notifications/").content.decode()
    assert "quoted your post" in box
    assert f'href="/posts/{quoting}/quote/remove/"' in box
    assert f"/posts/{quoting}/quote/remove/" in (
        as_bob.get(f"/posts/{quoting}/options/").content.decode()
    )
    path = f"/posts/{quoting}/quote/remove/"
    assert "Rain" in words(as_bob.get(path).content.decode())
    assert number(post) == 1
    for _ in range(2):
        assert as_bob.post(path).url == f"/@alice/{quoting}/"
    assert (state(quoting, carol), number(post)) == ("revoked", 0)
    shown = page(as_bob, quoting)
    assert "look at this" in shown
    assert "Rain" not in shown
    assert "The author removed the quoted post from here." in shown
    assert notified(bob) == []
    revoke(post, quoting, bob)  # a repeated call changes nothing
    assert number(post) == 0


def test_only_the_quoted_author_revokes(as_alice, client, alice, bob, carol):
    post, other = publish(bob), publish(carol)
    quoting = quote(post, alice)
    path = f"/posts/{quoting}/quote/remove/"
    assert "quote/remove" not in as_alice.get(f"/posts/{quoting}/options/").content.decode()
    for user in (alice, carol):
        client.force_login(user)
        assert client.post(path).status_code == 404
    assert client.post(f"/posts/{other}/quote/remove/").status_code == 404
    for quoted, actor in ((post, carol), (other, carol), (quoting, alice)):
        with pytest.raises(Http404):
            revoke(quoted, quoting, actor)
    assert state(quoting) == "accepted"


def test_nobody_is_notified_of_a_quote_that_they_may_not_read(alice, bob, carol):
    post = publish(bob)
    quote(post, bob)
    hidden = quote(post, alice, visibility="followers")
    mute_user(owner=bob.pk, other=carol.pk, until=None)
    quote(post, carol)
    assert notified(bob) == []
    with pytest.raises(Http404):
        visible_post(post_id=hidden, viewer=bob.pk)


def test_a_quote_pending_review_notifies_on_approval(settings, alice, bob):
    post = publish(bob)
    settings.FEED_REVIEW_FIRST_POSTS = 1
    quoting = quote(post, alice)
    assert notified(bob) == []
    set_post_hidden(post_id=quoting, state="")
    assert notified(bob) == [("quote", alice.pk, quoting)]


# --- The quotes of a post ----------------------------------------------------------------------
def test_the_number_of_quotes_includes_only_what_everyone_can_read(alice, bob, carol):
    post = publish(bob, "Rain")
    quoting = [
        quote(post, alice, "For followers", visibility="followers"),
        quote(post, alice, "@bob a secret", visibility="direct"),
    ]
    set_private(uid=carol.pk, is_private=True)
    quoting.append(quote(post, carol, "From a private account"))
    assert number(post) == 0
    quoting.append(quote(post, alice, "Unlisted", visibility="unlisted"))
    quoting.append(quote(post, alice, "Public"))
    assert number(post) == 2
    set_post_hidden(post_id=quoting[-1], state="removed")
    assert number(post) == 1
    set_post_hidden(post_id=quoting[-1], state="")
    assert number(post) == 2
    revoke(post, quoting[0], bob)
    revoke(post, quoting[3], bob)
    assert number(post) == 1
    set_post_hidden(post_id=quoting[-1], state="removed")
    for post_id in quoting:
        delete_post_unchecked(post=Post.objects.get(pk=post_id))
    assert number(post) == 0
    assert recount.miscounted_posts(ids=[post]) == []


def test_the_page_of_quotes_shows_only_visible_quotes(client, alice, bob, carol):
    post = publish(bob, "Rain")
    public = quote(post, alice, "In public")
    quote(post, alice, "For followers", visibility="followers")
    revoke(post, quote(post, alice, "Revoked"), bob)
    set_post_hidden(post_id=quote(post, alice, "Removed"), state="removed")
    client.force_login(carol)
    html = client.get(f"/@bob/{post}/quotes/").content.decode()
    assert "In public" in html
    for text in ("For followers", "Revoked", "Removed"):
        assert text not in html
    assert client.get(f"/@alice/{post}/quotes/").url == f"/@bob/{post}/quotes/"
    client.force_login(bob)
    assert "To remove your post" in words(client.get(f"/@bob/{post}/quotes/").content.decode())
    client.logout()
    assert client.get(f"/@bob/{post}/quotes/").status_code == 200
    Post.objects.filter(pk=post).update(visibility="followers")
    assert client.get(f"/@bob/{post}/quotes/").status_code == 404
    stored = quotes.quotes_of(post=post, id_range=IdRange(), limit=9)
    assert (len(stored), stored[-1].id) == (3, public)


def test_the_page_of_quotes_has_pages(as_alice, settings, alice, bob):
    settings.FEED_PAGE_SIZE = 2
    post = publish(bob)
    assert "No quotes yet" in words(as_alice.get(f"/@bob/{post}/quotes/").content.decode())
    ids = [quote(post, alice, f"Number {n}") for n in range(3)]
    first = as_alice.get(f"/@bob/{post}/quotes/").context["page"]
    assert [view.id for view in first.posts] == ids[:0:-1]
    older = as_alice.get(f"/@bob/{post}/quotes/?max_id={first.older_cursor}", headers=HTMX)
    assert [view.id for view in older.context["page"].posts] == ids[:1]
    assert "<html" not in older.content.decode()


# --- Other sites -------------------------------------------------------------------------------
def test_feeds_and_embeds_show_a_link(client, settings, alice, bob):
    post = publish(bob, "Rain")
    quoting = quote(post, alice)
    link = f'href="{settings.SITE_URL}/@bob/{post}/"'
    embed = client.get("/api/oembed", {"url": f"{settings.SITE_URL}/@alice/{quoting}/"})
    assert link in embed.json()["html"]
    feed = client.get("/@alice/feed/").content.decode()
    assert f"/@bob/{post}/" in feed
    assert "Rain" not in feed
    revoke(post, quoting, bob)
    assert f"/@bob/{post}/" not in client.get("/@alice/feed/").content.decode()


# --- The cost ----------------------------------------------------------------------------------
@pytest.mark.parametrize("paths", [("/", "/public/"), ("/@carol/", "/lists/{list}/")])
def test_quotes_cost_no_further_commands(client, alice, bob, carol, record_commands, paths):
    """A page with shares and quotes costs as much as a page with shares. Quotes alone cost one command."""
    follow(alice, carol)
    share_post(post_id=publish(bob, "Shared"), actor=carol)
    client.force_login(alice)
    list_id = create_list(owner=alice, title="Friends")
    client.post(f"/lists/{list_id}/add/{carol.pk}/")
    paths = [path.format(list=list_id) for path in paths]

    def commands(path):
        client.get(path)
        user_cards.clear_cards()
        with record_commands() as recorded:
            html = client.get(path).content.decode()
        return [name for name, _ in recorded], html

    before = {path: commands(path)[0] for path in paths}
    quote(publish(bob, "Quoted"), carol)
    share_post(post_id=quote(publish(alice, "Nested"), bob), actor=carol)
    for path in paths:
        after, html = commands(path)
        assert len(after) == len(before[path]) + (path == "/public/"), (path, after)
        assert "Quoted" in html
        assert path == "/public/" or "Nested" in html
