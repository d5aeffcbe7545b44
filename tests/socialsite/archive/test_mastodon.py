"""Import of archives in Mastodon's format."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from accounts.selectors.follow_graph import subscribed_followees
from accounts.selectors.relationships import hidden_users, languages_by_followee
from feed.models import Post
from feed.selectors.user_lists import owned_lists
from feed.store import answers
from feed.text.languages import language_in
from socialsite.archive.html_text import html_to_text
from tests.api.api_client import Api
from tests.clips import video
from tests.factories import UserFactory
from tests.feed.reading_html import words as words_of
from tests.feed.test_recount import recount
from tests.feed.test_warnings import outside_details
from tests.uploads import picture

from .zips import ACTOR, ALICE, FOLLOWERS, PUBLIC, import_zip, note, outbox, packed, zipped

LINK = (
    '<p>Look: <a href="https://example.org/a/very/long/path" rel="nofollow"><span class="invisible">'
    'https://</span><span class="ellipsis">example.org/a/very</span><span class="invisible">/long/path'
    "</span></a></p>"
)
MENTION = (
    '<p><span class="h-card"><a href="https://other.example/@bob" class="u-url mention">@<span>bob'
    '</span></a></span> hi <a href="https://mastodon.example/tags/cats" class="mention hashtag" '
    'rel="tag">#<span>cats</span></a></p>'
)
IMAGE = "media_attachments/files/109/001/original/a1b2.png"


def attached(url, alt="A cat", kind="image/png"):
    return {"type": "Document", "mediaType": kind, "url": url, "name": alt, "blurhash": "U"}


def test_posts_are_imported_with_dates_and_texts(alice, bob):
    counts = import_zip(
        zipped(
            note(1, "<p>One<br />two</p><p>Three &amp; &lt;four&gt;</p>"),
            note(2, LINK, to=[FOLLOWERS], cc=[PUBLIC]),
            note(3, MENTION, to=[FOLLOWERS], cc=[], summary="Cats", sensitive=True),
            note(4, "<p>Mine too</p>", inReplyTo=f"{ALICE}/statuses/3"),
            note(5, "<p>Yes</p>", inReplyTo="https://other.example/users/bob/statuses/9"),
            note(6, to=["https://other.example/users/bob"], cc=[]),
            {"id": "x", "type": "Announce", "actor": ALICE, "object": "https://o.example/1"},
            note(8, "<p>" + "word " * 200 + "</p>"),
            note(9, type="Question", oneOf=[{"type": "Note", "name": "Yes"}]),
        ),
        alice,
    )
    assert counts == {
        "posts": 6,
        "replies": 1,
        "direct_posts": 1,
        "shares": 1,
        "truncated": 1,
    }
    posts = {post.text: post for post in Post.objects.filter(author=alice)}
    first = posts["One\ntwo\n\nThree & <four>"]
    assert first.created_at == datetime(2019, 5, 2, 10, tzinfo=UTC)
    assert posts["Look: https://example.org/a/very/long/path"].visibility == "unlisted"
    quiet = posts["@bob@other.example hi #cats"]
    assert (quiet.visibility, quiet.content_warning) == ("followers", "Cats")
    assert quiet.attributes == [
        {"kind": "hashtag", "value": "cats"},
        {"kind": "language", "value": "en"},
    ]
    assert "Mine too" in posts
    longest = max(posts, key=len)
    assert len(longest) <= 500
    assert longest.endswith("word…")


def test_pictures_are_imported_with_descriptions(alice, no_pictures):
    content = zipped(
        note(
            1,
            "",
            attachment=[
                attached(f"/{IMAGE}"),
                attached("https://cdn.example/media_attachments/files/2.png", alt=None),
                attached("media_attachments/files/3.mp4", kind="video/mp4"),
                attached("media_attachments/files/4.png"),
                attached(IMAGE, "Again"),
            ],
        ),
        note(2, "", attachment=[attached("media_attachments/files/5.png")]),
        **{
            IMAGE: picture(),
            "media_attachments/files/2.png": picture(color="green"),
            "media_attachments/files/3.mp4": b"film",
            "media_attachments/files/4.png": b"no picture",
            "media_attachments/files/5.png": b"no picture",
        },
    )
    assert import_zip(content, alice) == {
        "posts": 1,
        "pictures": 2,
        "other_attachments": 2,
        "unreadable_pictures": 2,
        "empty_posts": 1,
    }
    post = Post.objects.get(author=alice)
    assert [media["alt"] for media in post.media] == ["A cat", ""]


def profile_of(user):
    user.refresh_from_db()
    return (
        user.display_name,
        user.bio,
        [(field["name"], field["value"]) for field in user.profile_fields],
        user.is_bot,
        bool(user.avatar),
        bool(user.header),
    )


PROFILE = {
    **ACTOR,
    "type": "Service",
    "name": "Alice in \u202eWonderland, who has a very long name",
    "summary": "<p>Tea &amp; cats</p>",
    "icon": {"type": "Image", "mediaType": "image/png", "url": "avatar.png"},
    "image": {"type": "Image", "mediaType": "image/jpeg", "url": "header.jpg"},
    "attachment": [
        {
            "type": "PropertyValue",
            "name": "Web",
            "value": '<a href="https://a.example/">a.example</a>',
        },
        {"type": "IdentityProof", "name": "Key", "value": "x"},
        {"type": "PropertyValue", "name": "", "value": "No label"},
        *({"type": "PropertyValue", "name": f"Number {n}", "value": f"{n}"} for n in range(9)),
        "nonsense",
    ],
}


def test_the_profile_fills_the_empty_parts(no_pictures, clean_site):
    user = UserFactory(display_name="", bio="", username="new")
    content = zipped(actor=PROFILE, avatar_dot_png=picture(), header_dot_jpg=picture(color="red"))
    assert import_zip(content, user) == {"profile_parts": 6}
    expected = (
        "Alice in Wonderland, who has…",
        "Tea & cats",
        [("Web", "https://a.example/"), ("Number 0", "0"), ("Number 1", "1"), ("Number 2", "2")],
        True,
        True,
        True,
    )
    assert profile_of(user) == expected
    assert import_zip(content, user) == {}
    assert profile_of(user) == expected


def test_the_profile_of_an_archive_replaces_nothing(no_pictures, clean_site):
    own_fields = [{"name": "Pronouns", "value": "she/her"}]
    user = UserFactory(display_name="Me", bio="Mine", profile_fields=own_fields, username="old")
    assert import_zip(zipped(actor={**PROFILE, "type": "Person"}), user) == {}
    assert profile_of(user) == ("Me", "Mine", [("Pronouns", "she/her")], False, False, False)


def test_unreadable_profile_pictures_are_counted(no_pictures, clean_site):
    user = UserFactory(display_name="Me", bio="", username="old")
    actor = {**ACTOR, "summary": 5, "attachment": 7, "name": ["x"], "icon": {"url": "avatar.png"}}
    actor["image"] = {"url": "../../etc/passwd"}
    assert import_zip(zipped(actor=actor, avatar_dot_png=b"no picture"), user) == {
        "unreadable_pictures": 1
    }
    assert profile_of(user) == ("Me", "", [], False, False, False)


def test_a_video_is_imported_without_the_pictures_after_it(
    alice, no_pictures, remembers_conversions
):
    film = "media_attachments/files/109/002/original/film.mp4"
    broken = "media_attachments/files/109/003/original/broken.mp4"
    content = zipped(
        note(1, "", attachment=[attached(film, "A film", "video/mp4"), attached(IMAGE)]),
        note(2, attachment=[attached(broken, kind="video/mp4")]),
        **{film: video(), broken: video()[:500], IMAGE: picture()},
    )
    assert import_zip(content, alice) == {
        "posts": 2,
        "pictures": 1,
        "other_attachments": 1,
        "unreadable_pictures": 1,
    }
    (entry,) = Post.objects.get(author=alice, text="").media
    assert (entry["kind"], entry["alt"], entry["width"]) == ("video", "A film", 64)


def test_without_ffmpeg_videos_are_left_out(alice, settings):
    settings.CLIPS_ENABLED = False
    film = "media_attachments/files/1.mp4"
    content = zipped(
        note(1, attachment=[attached(film, kind="video/mp4")]), **{film: b"\0\0\0\x18ftypisom"}
    )
    assert import_zip(content, alice) == {"posts": 1, "other_attachments": 1}


def test_a_sensitive_picture_stays_hidden_without_a_content_warning(
    alice, bob, client, no_pictures
):
    items = note(1, "", sensitive=True, attachment=[attached(IMAGE)])
    import_zip(zipped(items, **{IMAGE: picture()}), alice)
    post = Post.objects.get(author=alice)
    assert (post.content_warning, post.is_sensitive) == ("", True)
    shown = Api(bob).get(f"statuses/{post.pk}").json()
    assert (shown["sensitive"], shown["spoiler_text"]) == (True, "Sensitive")
    assert "/media/pictures/" not in outside_details(client.get("/@alice/").content.decode())


def test_a_sensitive_post_without_pictures_is_not_hidden(alice):
    import_zip(zipped(note(1, sensitive=True)), alice)
    post = Post.objects.get(author=alice)
    assert (post.content_warning, post.is_sensitive) == ("", False)


def test_items_that_are_not_posts_are_counted_separately(alice, client):
    counts = import_zip(zipped(note(1, type="Question"), note(2, type="Article"), note(3)), alice)
    assert counts == {"not_posts": 1, "posts": 2}
    assert {post.kind for post in Post.objects.filter(author=alice)} == {"note"}


def option(name, votes=0):
    return {"type": "Note", "name": name, "replies": {"type": "Collection", "totalItems": votes}}


def test_polls_are_imported_as_ended_polls_with_their_numbers(alice, bob, client):
    poll = {"type": "Question", "endTime": "2999-01-01T00:00:00Z", "votersCount": 4}
    import_zip(
        zipped(
            note(1, "<p>Tea?</p>", **poll, oneOf=[option("Yes", 3), option("No", 1)]),
            note(2, "<p>Cake?</p>", **poll, anyOf=[option("A", 4), option("B", 3), option(" C ")]),
        ),
        alice,
    )
    single, multiple = Post.objects.filter(author=alice).order_by("pk")
    assert (single.text, single.kind) == ("Tea?", "poll")
    assert single.details["counts"] == [3, 1]
    assert multiple.details["choices"] == ["A", "B", "C"]
    assert (multiple.details["is_multiple"], multiple.details["voters"]) == (True, 4)
    shown = Api(bob).get(f"statuses/{multiple.pk}").json()["poll"]
    assert (shown["expired"], shown["votes_count"], shown["voters_count"]) == (True, 7, 4)
    assert Api(bob).post(f"polls/{single.pk}/votes", choices=[0]).status_code == 422
    page = words_of(client.get(f"/@alice/{single.pk}/").content.decode())
    assert "Yes 75% No 25% 4 people voted · Results from another site" in page
    assert not answers.ended_ids(now=timezone.now(), limit=9)
    assert "with wrong numbers" not in recount() or "0 of them" in recount()


@pytest.mark.parametrize(
    "options",
    [
        [option("Yes")],
        [option(name) for name in "ABCDE"],
        [option("Yes"), option("Yes")],
        [option("W" * 51), option("No")],
    ],
)
def test_other_questions_become_posts_that_list_the_choices(alice, options):
    import_zip(zipped(note(1, "<p>Tea?</p>", type="Question", oneOf=options)), alice)
    post = Post.objects.get(author=alice)
    assert (post.kind, post.details) == ("note", {})
    assert post.text == "\n".join(["Tea?", *(choice["name"] for choice in options)])


@pytest.mark.parametrize(
    "fields",
    [
        {"oneOf": "Yes"},
        {"oneOf": [None, 3, {"name": 5}, {"name": None}]},
        {"anyOf": [{"name": "A", "replies": []}, {"name": "B", "replies": {"totalItems": -9}}]},
        {"anyOf": [option("A", 10**30), option("B", True)], "votersCount": "many", "closed": 3},
        {"oneOf": [option("A", 1.5), option("B")], "endTime": "0001-01-01T00:00:00Z"},
    ],
)
def test_hostile_questions_do_not_stop_an_import(alice, client, fields):
    assert import_zip(zipped(note(1, type="Question", **fields)), alice)["posts"] == 1
    post = Post.objects.get(author=alice)
    assert client.get(f"/@alice/{post.pk}/").status_code == 200


@pytest.mark.parametrize(
    ("translations", "language"),
    [
        ({"pt-BR": "x"}, "pt"),
        ({"de": "x", "en": "y"}, ""),
        ({"not a language": "x"}, ""),
        ({"x" * 5000: "x"}, ""),
        (["de"], ""),
        (None, ""),
    ],
)
def test_the_language_of_a_post_is_imported(alice, translations, language):
    import_zip(zipped(note(1, "<p>ok</p>", contentMap=translations)), alice)
    assert language_in(Post.objects.get().attributes) == language


@pytest.mark.parametrize(
    "published",
    [
        "2009-12-31T23:59:59Z",
        "2222-01-01T00:00:00Z",
        "yesterday",
        "",
        None,
        5,
        "0001-01-01T00:00:00+23:00",
    ],
)
def test_posts_with_impossible_dates_are_skipped(alice, published):
    counts = import_zip(zipped(note(1, published=published), note(2)), alice)
    assert counts == {"invalid_dates": 1, "posts": 1}


def test_two_posts_of_the_same_time_get_different_ids(alice, bob, monkeypatch):
    monkeypatch.setattr("socialsite.archive.placement.IDS_PER_MILLISECOND", 2)
    content = zipped(
        *(note(number, f"<p>{number}</p>", published="2019-05-01T10:00:00Z") for number in (1, 2))
    )
    assert import_zip(content, alice) == {"posts": 2}
    monkeypatch.setattr("socialsite.archive.placement.IDS_PER_MILLISECOND", 1 << 22)
    assert import_zip(content, bob) == {"posts": 2}
    assert len(set(Post.objects.values_list("pk", flat=True))) == 4


def test_followed_users_of_this_site_are_followed_again(alice, bob, carol):
    addresses = (
        "bob@testserver",
        "@CAROL",
        "bob@other.example",
        "nobody@testserver",
        "alice",
        "<b>",
    )
    table = "\r\n".join(
        ["Account address,Show boosts", *(f"{address},true" for address in addresses)]
    )
    carol.is_private = True
    carol.save()
    content = zipped(following_accounts_dot_csv=table)
    assert import_zip(content, alice) == {"users_not_here": 3, "follows": 1, "follow_requests": 1}
    assert import_zip(content, alice) == {
        "users_not_here": 3,
        "already_followed": 1,
        "follow_requests": 1,
    }


def test_settings_of_follows_and_lists_are_imported(alice, bob, carol):
    follows = (
        "Account address,Show boosts,Notify on new posts,Languages\n"
        'bob@testserver,false,true,"pt-BR, en,Klingon!"\n'
        "carol,true,false,\n"
    )
    lists = "Bakers,bob@testserver\nBakers,dora@other.example\nCooks,carol@testserver\n"
    content = zipped(following_accounts_dot_csv=follows, lists_dot_csv=lists)
    assert import_zip(content, alice) == {"follows": 2, "list_members": 2, "not_on_lists": 1}
    for _again in range(2):
        assert subscribed_followees(follower=alice.pk) == {bob.pk}
        assert hidden_users(viewer=alice.pk).shares_hidden == {bob.pk}
        assert languages_by_followee(owner=alice.pk) == {bob.pk: ["en", "pt"]}
        members = {listed.title: listed.uids for listed in owned_lists(owner=alice.pk)}
        assert members == {"Bakers": [bob.pk], "Cooks": [carol.pk]}
        import_zip(content, alice)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("plain", "plain"),
        ("<p>a</p><p>b<br>c</p>", "a\n\nb\nc"),
        ("<ul><li>a</li><li>b</li></ul>", "a\n\nb"),
        ("a <script>alert(1)</script>b", "a b"),
        ("1 < 2 &lt;b&gt; &amp;amp;", "1 < 2 <b> &amp;"),
        ('<a href="https://e.org/x">named</a>', "named (https://e.org/x)"),
        ('<a href="javascript:x">click</a>', "click"),
        ('<a href="https://e.org/x">e.org/…</a>', "https://e.org/x"),
        ('<a class="mention" href="https://here.example/@bob">@bob</a>', "@bob"),
        ('<a class="mention" href="https://[">@bob</a>', "@bob"),
        ("<a href='x", "<a href='x"),
        ("\ud800x", "x"),
    ],
)
def test_html_is_converted_to_text(settings, html, text):
    settings.SITE_URL = "https://here.example"
    assert html_to_text(html=html) == text


def test_imported_texts_are_escaped(alice, client):
    import_zip(
        zipped(note(1, "<p>&lt;script&gt;alert(1)&lt;/script&gt; <img src=x onerror=y></p>")), alice
    )
    page = client.get("/@alice/").content.decode()
    assert "<script>alert" not in page
    assert "<script>alert(1)</script>" in words_of(page)


@pytest.mark.parametrize(
    "folder",
    ["", "/", "./", "my archive/", "a/my archive/", "a/b/c/", "my archive\\", ".\\a\\my archive\\"],
)
def test_archives_of_folders_are_imported(alice, bob, folder):
    """People unpack an archive and compress its folder again. Some programs write backslashes."""
    files = {
        "actor.json": ACTOR,
        "outbox.json": outbox(note(1, attachment=[attached(IMAGE)])),
        "following_accounts.csv": b"bob@testserver\r\n",
        IMAGE: picture(),
    }
    slash = "\\" if "\\" in folder else "/"
    named = {folder + name.replace("/", slash): data for name, data in files.items()}
    others = {"__MACOSX/x": b"", f"other{slash}x{slash}y{slash}z{slash}outbox.json": b"{}"}
    counts = import_zip(packed(others | named), alice)
    assert counts == {"follows": 1, "posts": 1, "pictures": 1}
