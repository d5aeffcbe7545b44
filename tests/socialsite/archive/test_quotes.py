"""Quotes in archives: of the same archive, of this site, and of other sites."""

from accounts.services.profiles import change_settings
from feed.models import Post
from feed.services.posts import delete_post
from feed.store.post_rows import quote_attribute
from tests.factories import UserFactory, publish
from tests.feed.quote_helpers import number, quote, revoke, seen_quote

from .zips import ALICE, entry, exported, import_zip, zipped
from .zips import note as note_of


def quoted_id(post):
    attribute = quote_attribute(post.attributes)
    return attribute["value"] if attribute else None


def notes_of(content):
    activities = entry(content, "outbox.json")["orderedItems"]
    notes = [activity["object"] for activity in activities]
    return {note["source"]["content"]: note for note in notes}


def test_an_export_names_the_quoted_posts_unless_a_quote_was_revoked(alice, bob):
    rain, snow = publish(bob, "Rain"), publish(bob, "Snow")
    quote(rain, alice, "One", quote_policy="nobody")
    revoke(snow, quote(snow, alice, "Two"), bob)
    publish(alice, "Three")
    notes = notes_of(exported(alice))
    assert notes["One"]["quote"] == notes["One"]["quoteUri"] == f"http://testserver/@bob/{rain}/"
    assert notes["One"]["socialsite:activity"]["quotes"] == "nobody"
    for text in ("Two", "Three"):
        assert "quote" not in notes[text]


def test_a_round_trip_keeps_quotes_of_own_and_other_posts(alice, bob):
    rain, refused = publish(bob, "Rain"), publish(bob, "Snow")
    own = publish(alice, "Mine")
    quote(own, alice, "One")
    quote(rain, alice, "Two")
    quote(refused, alice, "Three")
    Post.objects.filter(pk=refused).update(quote_policy="nobody")
    content, dan = exported(alice), UserFactory(username="dan")
    assert import_zip(content, dan)["posts"] == 4
    imported = {post.text: post for post in Post.objects.filter(author=dan)}
    assert quoted_id(imported["One"]) == imported["Mine"].pk
    assert quoted_id(imported["Two"]) == rain
    assert quoted_id(imported["Three"]) is None
    assert (number(imported["Mine"].pk), number(rain)) == (1, 2)
    assert seen_quote(imported["One"].pk).post.text == "Mine"
    import_zip(content, dan)
    assert number(rain) == 2


def test_an_import_restores_quotes_of_erased_own_posts(alice):
    own = publish(alice, "Mine")
    quoting = quote(own, alice, "One")
    content = exported(alice)
    for post in (own, quoting):
        delete_post(post_id=post, actor=alice)
    import_zip(content, alice)
    restored = {post.text: post for post in Post.objects.filter(author=alice)}
    assert quoted_id(restored["One"]) == restored["Mine"].pk != own


def test_mastodon_quotes_of_the_same_archive_are_imported(alice, monkeypatch):
    monkeypatch.setattr("socialsite.archive.importer.CHUNK_SIZE", 2)

    def quoting(number, url, text, key="quote"):
        href = "https://mastodon.example/@alice/1"
        link = (
            f'<p class="quote-inline">RE: <a href="{href}">{href.removeprefix("https://")}</a></p>'
        )
        return note_of(number, f"{link}<p>{text}</p>", **{key: url})

    items = [
        note_of(1, "<p>First</p>"),
        quoting(2, f"{ALICE}/statuses/1", "Same chunk"),
        quoting(3, f"{ALICE}/statuses/1", "Next chunk", "quoteUri"),
        quoting(4, "https://other.example/users/bob/statuses/9", "Elsewhere"),
        quoting(5, f"{ALICE}/statuses/77", "Missing"),
        note_of(6, "<p>Odd</p>", quote=["x"], quoteUri="x" * 5000),
    ]
    change_settings(uid=alice.pk, quote_policy="followers")
    alice.refresh_from_db()
    assert import_zip(zipped(*items), alice)["posts"] == 6
    texts = {post.text: post for post in Post.objects.filter(author=alice)}
    first = texts["First"].pk
    assert texts["First"].quote_policy == "followers"
    assert quoted_id(texts["Same chunk"]) == quoted_id(texts["Next chunk"]) == first
    assert number(first) == 2
    for text in ("RE: https://mastodon.example/@alice/1\n\nElsewhere", "Odd"):
        assert quoted_id(texts[text]) is None
