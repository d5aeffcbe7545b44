"""Export an account and import the archive into the same account or into another account."""

import csv
import io
import tracemalloc
import zipfile
from dataclasses import dataclass, replace

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from accounts.infra.ids import time_of
from accounts.models import User
from accounts.profile_pictures import KINDS, crop_picture
from accounts.selectors.follow_graph import featured_uids, subscribed_followees
from accounts.selectors.relationships import hidden_users, languages_by_followee, notes_after
from accounts.services.blocks_and_mutes import mute_user
from accounts.services.follow_settings import (
    feature_user,
    hide_shares,
    set_languages,
    set_subscription,
)
from accounts.services.profiles import (
    change_picture,
    change_settings,
    set_private,
    update_profile,
)
from accounts.services.user_notes import save_note
from accounts.user_cards import ProfileField
from feed.models import Picture, Post
from feed.selectors.featured_content import featured_tag_names
from feed.selectors.user_lists import owned_lists
from feed.services.drafts import delete_draft, save_draft
from feed.services.filters import add_phrase_filter, set_home_kinds
from feed.services.posts import delete_post
from feed.services.tags import feature_tag, follow_tag
from feed.services.user_lists import choose_lists, create_list
from feed.store.collections import comment_buckets, like_buckets, revisions, stat_hours
from feed.store.drafts import pages_of
from notifications.services.preferences import (
    save_mail_preferences,
    save_push_preferences,
)
from notifications.store.collections import notification_boxes
from notifications.store.preferences import save_kinds
from socialsite.archive import importer, source
from socialsite.archive import people as archived_people
from socialsite.archive.drafts import parse_timestamp
from socialsite.archive.note_parts import archived_file
from tests.actions import (
    add_comment,
    bookmark_post,
    content_of,
    edit_post,
    like_post,
    pin_post,
    publish_post,
    share_post,
    vote,
)
from tests.clips import audio, published_clip, video
from tests.factories import UserFactory, follow, people, publish, usual_user
from tests.feed.draft_helpers import draft_of, let_come_due, schedule, stored
from tests.feed.picture_uploads import FOLDER, publish_pictures, served, uploaded
from tests.feed.poll_helpers import end, publish_poll
from tests.uploads import animation, picture
from tests.worlds import world

from .zips import ACTOR, entry, exported, import_zip, names, outbox, packed, zipped

WORDS = "Kölsch & <b> 日本語\n\n  twice  spaced https://example.org/a?b=1&c=2 #Tag @bob 🙂"


@dataclass
class Life:
    """Three users of a site, and the id of bob's post, which alice shares, likes and comments on."""

    alice: User
    bob: User
    dan: User
    post: int


@world
def whole_life() -> Life:
    """Create a site where alice has every kind of content except pictures."""
    names = ("alice", "bob", "carol")
    alice, bob, carol = User.objects.bulk_create(usual_user(name) for name in names)
    dan = UserFactory(username="dan")
    follow(alice, bob, carol)
    follow(bob, alice)
    mute_user(owner=alice.pk, other=carol.pk, until=None)
    publish(alice, WORDS)
    publish_post(
        author=alice.pk,
        text="Unlisted",
        visibility="unlisted",
        reply_policy="nobody",
        quote_policy="followers",
        language="is",
    )
    publish_post(
        author=alice.pk, text="For followers", visibility="followers", content_warning="Quiet: food"
    )
    publish(alice, "Only for @bob", visibility="direct")
    publish_post(
        author=alice.pk,
        text="Read it",
        kind="review",
        details={"title": "Emma", "item": "book", "stars": 5},
    )
    publish_post(
        author=alice.pk,
        text="",
        kind="link",
        details={"url": "https://example.org/x", "host": "example.org"},
    )
    end(publish_poll(alice, "Tea", "Coffee", text="Which?", hides_totals=True))
    bobs = publish(bob, "Share me")
    polled = publish_poll(bob, "Tea", "Cake", "Air", is_multiple=True)
    vote(polled, alice, 0, 2)
    share_post(post_id=bobs, actor=alice)
    like_post(post_id=bobs, actor=alice)
    bookmark_post(post_id=bobs, actor=alice)
    comment = add_comment(post_id=bobs, actor=bob, text="First!")
    secret = {"visibility": "direct", "content_warning": "Hush"}
    add_comment(post_id=bobs, actor=alice, text="@bob between us", **secret)
    add_comment(post_id=bobs, actor=alice, text="I say #so", parent_id=comment)
    for name in ("so", "tag"):
        feature_tag(author=alice.pk, name=name)
    set_subscription(follower=alice.pk, followee=bob.pk, is_on=True)
    listed = create_list(owner=alice, title="Friends", is_exclusive=True, replies_policy="none")
    choose_lists(owner=alice, username="bob", list_ids={listed})
    add_phrase_filter(owner=alice.pk, phrase="spoiler", has_warning=True, hours=None)
    return Life(alice, bob, dan, bobs)


@pytest.fixture
def life(clean_site, no_pictures):
    """Restore ``whole_life`` and publish two pictures as alice. Return the ``Life``."""
    restored = whole_life.restore()
    pictures = (picture(), picture(color="blue"))
    publish_pictures(restored.alice, *pictures, content_warning="Red and blue")
    return restored


def comparable_posts(owner):
    """Return the user's posts as sorted tuples of the fields that an import must restore.

    Shares and direct posts are left out."""
    posts = Post.objects.filter(author=owner, share_of=None).exclude(visibility="direct")
    return sorted(
        (
            post.created_at,
            post.text,
            post.content_warning,
            post.visibility,
            post.reply_policy,
            post.quote_policy,
            post.kind,
            str(comparable_details(post)),
            str(post.attributes),
            [(media["alt"], media["width"], media["height"]) for media in post.media],
        )
        for post in posts
    )


def comparable_details(post):
    """Return the details without the fields of a poll that change when the poll is imported."""
    changing = ("hides_totals", "is_imported")
    return {name: value for name, value in post.details.items() if name not in changing}


def test_imported_posts_equal_the_exported_posts(life):
    alice, dan = life.alice, life.dan
    counts = import_zip(exported(alice), dan)
    assert comparable_posts(dan) == comparable_posts(alice)
    assert len(comparable_posts(dan)) == 7
    assert counts == {
        "posts": 7,
        "pictures": 2,
        "shares": 1,
        "comments": 2,
        "direct_posts": 1,
        "follows": 2,
        "bookmarked": 1,
        "list_members": 1,
        "featured_tags": 2,
        "profile_parts": 1,
    }
    assert [(listed.title, listed.uids) for listed in owned_lists(owner=dan.pk)] == [
        ("Friends", [life.bob.pk])
    ]
    assert owned_lists(owner=dan.pk)[0].is_exclusive
    assert owned_lists(owner=dan.pk)[0].replies_policy == "none"
    assert featured_tag_names(author=dan.pk) == ["so", "tag"]
    assert subscribed_followees(follower=dan.pk) == {life.bob.pk}
    post = Post.objects.get(author=dan, text="Look")
    assert served(Client(), post)[0].headers["Content-Type"] == "image/webp"
    assert all(time_of(id=post.pk) == post.created_at for post in Post.objects.filter(author=dan))


def test_follows_keep_their_settings(alice, bob, carol):
    dave = UserFactory(username="dave")
    follow(alice, bob, carol)
    mute_user(owner=alice.pk, other=bob.pk, until=None, shows_notifications=True)
    hide_shares(owner=alice.pk, other=carol.pk, is_hidden=True)
    set_languages(follower=alice.pk, followee=bob.pk, languages=["en", "de"])
    for user in (carol, bob):
        feature_user(owner=alice.pk, other=user.pk)
    content = exported(alice)
    assert entry(content, "following_accounts.csv").decode().splitlines() == [
        "Account address,Show boosts,Notify on new posts,Languages",
        'bob@testserver,true,false,"de, en"',
        "carol@testserver,false,false,",
    ]
    assert entry(content, "muted_accounts.csv").decode().splitlines()[1:] == [
        "bob@testserver,false"
    ]
    assert import_zip(content, dave) == {"follows": 2, "featured_people": 2, "profile_parts": 1}
    assert featured_uids(uid=dave.pk) == [bob.pk, carol.pk]
    assert hidden_users(viewer=dave.pk).shares_hidden == {carol.pk}
    assert languages_by_followee(owner=dave.pk) == {bob.pk: ["de", "en"]}


def test_private_notes_are_exported_and_imported(alice, bob, carol):
    dave = UserFactory(username="dave")
    texts = {bob.pk: 'From "the" club,\nlikes tea\n\n日本語', carol.pk: "=Bakes; ,"}
    for other, text in texts.items():
        save_note(owner=alice.pk, other=other, text=text)
    save_note(owner=dave.pk, other=carol.pk, text="My own")
    content = exported(alice)
    assert import_zip(content, dave) == {"notes": 1, "existing_notes": 1, "profile_parts": 1}
    assert notes_after(uid=dave.pk, cursor=0, limit=9) == [
        (bob.pk, texts[bob.pk]),
        (carol.pk, "My own"),
    ]
    assert import_zip(content, bob) == {"notes": 1, "skipped_notes": 1}
    assert notes_after(uid=alice.pk, cursor=0, limit=9) == list(texts.items())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_files_saved_by_a_spreadsheet_are_imported(alice, bob, carol, encoding, delimiter):
    tables = {
        "following_accounts.csv": [
            ["Account address", "Show boosts", "Notify on new posts", "Languages"],
            ["bob@testserver", "FALSE", "TRUE", "de, en"],
            ["carol@testserver", "TRUE", "FALSE", ""],
        ],
        "lists.csv": [["Tea; coffee, cake", "bob@testserver"], ["Café", "carol@testserver"]],
        "private_notes.csv": [["Account address", "Note"], ["bob", "Tea; coffee, cake é\n日本"]],
    }
    files = {"actor.json": ACTOR, "outbox.json": outbox()}
    for name, rows in tables.items():
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter).writerows(rows)
        files[name] = out.getvalue().encode(encoding)
    counts = import_zip(packed(files), alice)
    assert (counts["follows"], counts["list_members"], counts["notes"]) == (2, 2, 1)
    assert hidden_users(viewer=alice.pk).shares_hidden == {bob.pk}
    assert subscribed_followees(follower=alice.pk) == {bob.pk}
    assert languages_by_followee(owner=alice.pk) == {bob.pk: ["de", "en"]}
    assert notes_after(uid=alice.pk, cursor=0, limit=9) == [(bob.pk, "Tea; coffee, cake é\n日本")]
    titles = {user_list.title: user_list.uids for user_list in owned_lists(owner=alice.pk)}
    assert titles == {"Tea; coffee, cake": [bob.pk], "Café": [carol.pk]}


def zipped_notes(users):
    """Return an archive with the longest note about each user."""
    text = '"\n"🙂' * 500
    out = io.StringIO()
    csv.writer(out).writerows([user.username, text] for user in users)
    return zipped(private_notes_dot_csv=out.getvalue()), text


@pytest.mark.slow
def test_more_long_notes_than_a_small_file_holds_are_imported(alice):
    count = 1_100
    content, text = zipped_notes(people(count))
    size = zipfile.ZipFile(io.BytesIO(content)).getinfo("private_notes.csv").file_size
    assert size > source.MAX_SMALL_FILE_BYTES
    assert size / count * archived_people.MAX_NOTES < source.MAX_NOTES_BYTES
    assert import_zip(content, alice) == {"notes": count}
    assert notes_after(uid=alice.pk, cursor=0, limit=1)[0][1] == text


def test_the_memory_of_an_import_does_not_depend_on_the_number_of_notes(alice, monkeypatch):
    monkeypatch.setattr(importer, "CHUNK_SIZE", 10)

    def peak_bytes(users):
        content, _text = zipped_notes(users)
        tracemalloc.start()
        try:
            assert import_zip(content, alice) == {"notes": len(users)}
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    users = people(101)
    peak_bytes(users[:1])  # loads modules, which need memory
    assert peak_bytes(users[21:]) < 1.2 * peak_bytes(users[1:21])


def test_the_archive_contains_everything_as_activitystreams(life):
    content = exported(life.alice)
    assert {name for name in names(content) if "/" not in name} == {
        "actor.json",
        "outbox.json",
        "likes.json",
        "bookmarks.json",
        "drafts.json",
        "votes.json",
        "filters.json",
        "history.json",
        "settings.json",
        "following_accounts.csv",
        "followers.csv",
        "blocked_accounts.csv",
        "muted_accounts.csv",
        "lists.csv",
        "private_notes.csv",
    }
    assert entry(content, "actor.json")["id"] == "http://testserver/@alice/"
    box = entry(content, "outbox.json")
    assert box["totalItems"] == len(box["orderedItems"]) == 11
    notes = [activity["object"] for activity in box["orderedItems"] if activity["type"] == "Create"]
    first = notes[0]
    assert first["source"] == {"content": WORDS.strip(), "mediaType": "text/plain"}
    assert '<a href="http://testserver/@bob/">@bob</a>' in first["content"]
    assert {"type": "Hashtag", "href": "http://testserver/tags/tag/", "name": "#Tag"} in first[
        "tag"
    ]
    assert first["cc"][1] == "http://testserver/@bob/"
    direct = next(note for note in notes if note["source"]["content"] == "Only for @bob")
    assert (direct["to"], direct["cc"]) == (["http://testserver/@bob/"], [])
    shown = next(note for note in notes if note["attachment"])
    assert (shown["summary"], shown["sensitive"]) == ("Red and blue", True)
    assert [attachment["name"] for attachment in shown["attachment"]] == [
        "A red square 1",
        "A red square 2",
    ]
    assert all(attachment["url"] in names(content) for attachment in shown["attachment"])
    share = next(activity for activity in box["orderedItems"] if activity["type"] == "Announce")
    assert share["object"] == f"http://testserver/@bob/{life.post}/"
    secret = next(note for note in notes if note["source"]["content"] == "@bob between us")
    assert (secret["to"], secret["cc"]) == (["http://testserver/@bob/"], [])
    assert (secret["summary"], secret["sensitive"]) == ("Hush", True)
    assert notes[-1]["inReplyTo"].startswith(f"http://testserver/posts/{life.post}/comments/")
    for name in ("likes.json", "bookmarks.json"):
        assert entry(content, name)["orderedItems"] == [f"http://testserver/@bob/{life.post}/"]
    question = next(note for note in notes if note["type"] == "Question")
    assert question["closed"] == question["endTime"]
    assert parse_timestamp(question["closed"]) <= timezone.now()
    assert [(option["name"], option["replies"]["totalItems"]) for option in question["oneOf"]] == [
        ("Tea", 0),
        ("Coffee", 0),
    ]
    votes = entry(content, "votes.json")["orderedItems"]
    assert [vote["name"] for vote in votes] == ["Tea", "Air"]
    assert votes[0]["inReplyTo"].startswith("http://testserver/@bob/")
    rows = list(csv.reader(io.StringIO(entry(content, "following_accounts.csv").decode())))
    assert [row[0] for row in rows] == ["Account address", "bob@testserver", "carol@testserver"]
    assert [row[2] for row in rows] == ["Notify on new posts", "true", "false"]
    assert entry(content, "muted_accounts.csv").decode().splitlines() == [
        "Account address,Hide notifications",
        "carol@testserver,true",
    ]
    assert entry(content, "lists.csv").decode().strip() == "Friends,bob@testserver"
    phrase = entry(content, "filters.json")[0]
    assert (phrase["phrase"], phrase["whole_word"]) == ("spoiler", True)


def test_the_archive_contains_earlier_versions_with_times(alice, bob):
    publish(alice, "Never edited")
    posts = [publish(alice, f"{n} <b>") for n in range(2)]
    for number in range(3):
        for post in posts:
            edit_post(
                post_id=post,
                actor=alice,
                text=f"{number} of it #more",
                content_warning=f"W{number}",
            )
    edit_post(post_id=publish(bob, "bob's"), actor=bob, text="bob's own")
    versions = entry(exported(alice), "history.json")["orderedItems"]
    for n, post in enumerate(posts):
        post_url = f"http://testserver/@alice/{post}/"
        post_versions = [version for version in versions if version["url"] == post_url]
        assert [version["source"]["content"] for version in post_versions] == [
            f"{n} <b>",
            "0 of it #more",
            "1 of it #more",
        ]
        assert [version["summary"] for version in post_versions] == [None, "W0", "W1"]
        assert post_versions[0]["content"] == f"<p>{n} &lt;b&gt;</p>"
        row = Post.objects.get(pk=post)
        moments = [parse_timestamp(version["startTime"]) for version in post_versions] + [
            parse_timestamp(post_versions[-1]["endTime"])
        ]
        assert [version["endTime"] for version in post_versions[:-1]] == [
            version["startTime"] for version in post_versions[1:]
        ]
        assert moments == sorted(set(moments))
        assert (moments[0], moments[-1]) == (row.created_at, row.edited_at)
    assert len(versions) == 6


def test_earlier_versions_have_the_pictures_and_descriptions_of_their_time(
    client, alice, no_pictures
):
    post = publish_pictures(alice, picture(), picture(color="blue"))
    second = post.media[1]["id"]
    edit_post(
        post_id=post.pk,
        actor=alice,
        text="Look",
        picture_ids=[second],
        descriptions={second: ("Blue", None)},
    )
    content = exported(alice)
    (version,) = entry(content, "history.json")["orderedItems"]
    removed, shown = version["attachment"]
    assert (removed["name"], removed["url"]) == ("A red square 1", None)
    assert shown["name"] == "A red square 2"
    assert shown["url"] in names(content)
    assert len([name for name in names(content) if name.startswith("media_attachments")]) == 1


def test_the_focus_of_a_picture_is_exported_and_imported(client, alice, bob, no_pictures):
    client.force_login(alice)
    post = publish_pictures(alice, picture(), picture(color="blue"))
    first = post.media[0]["id"]
    (waiting,) = uploaded(client, picture())
    Picture.objects.filter(pk=int(waiting)).update(focus=[0.25, -1.0])
    save_draft(author=alice.pk, content=content_of("Look", picture_ids=[int(waiting)]))
    edit_post(post_id=post.pk, actor=alice, text="Look", descriptions={first: ("Red", (-0.5, 1.0))})
    content = exported(alice)
    documents = entry(content, "outbox.json")["orderedItems"][0]["object"]["attachment"]
    assert [document.get("focalPoint") for document in documents] == [[-0.5, 1.0], None]
    import_zip(content, bob)
    imported = Post.objects.get(author=bob).media
    assert [picture.get("focus") for picture in imported] == [[-0.5, 1.0], None]
    assert Picture.objects.get(owner=bob.pk, post=None).focus == [0.25, -1.0]


@pytest.mark.parametrize(
    "value", ["0,0", [0, 0], [2, 0], [0.5], [0.5, 0.5, 0.5], [None, 1], [True, 1], {}, [10**400, 0]]
)
def test_an_unusable_focus_is_left_out(value):
    named = archived_file(name="a.png", attachment={"focalPoint": value, "name": ["x"]})
    assert (named.focus, named.alt) == (None, "")
    assert archived_file(name="a.png", attachment={"focalPoint": [float("nan"), 1]}).focus is None


def test_imported_drafts_without_a_quote_policy_get_the_default(alice):
    User.objects.filter(pk=alice.pk).update(quote_policy="nobody")
    sent = [{"id": "a", "text": "One"}, {"id": "b", "text": "Two", "quote_policy": "followers"}]
    import_zip(zipped(drafts_dot_json=outbox(*sent)), User.objects.get(pk=alice.pk))
    policies = [
        row.content.audience.quote_policy for row in pages_of(owner=alice.pk, after=0, limit=9)
    ]
    assert policies == ["nobody", "followers"]


def test_a_scheduled_post_whose_quote_is_no_longer_allowed_becomes_a_draft(alice, bob):
    rain = publish(bob, "Rain")
    draft = schedule(alice, "Look", quoted_id=rain)
    archive = exported(alice)
    delete_post(post_id=rain, actor=bob)
    delete_draft(draft=stored(draft, alice))
    assert import_zip(archive, alice)["drafts"] == 1
    (row,) = pages_of(owner=alice.pk, after=0, limit=9)
    assert (row.content.text, row.due_at) == ("Look", None)


def test_an_animation_is_exported_and_imported(client, alice, bob, no_pictures):
    publish_pictures(alice, animation("GIF"))
    import_zip(exported(alice), bob)
    imported = Post.objects.get(author=bob).media[0]
    assert (imported["is_animated"], imported["alt"]) == (True, "A red square 1")


@pytest.mark.parametrize(("content", "kind"), [(video, "video"), (audio, "audio")])
def test_a_clip_is_exported_and_imported(
    alice, bob, asked, no_pictures, remembers_conversions, content, kind
):
    published_clip(alice, content(), alt="Bars")
    archive = exported(alice)
    (document,) = entry(archive, "outbox.json")["orderedItems"][0]["object"]["attachment"]
    assert document["mediaType"] == f"{kind}/mp4"
    assert document["duration"].startswith("PT0.5")
    assert document["url"] in names(archive)
    assert import_zip(archive, bob)["pictures"] == 1
    imported = Post.objects.get(author=bob).media[0]
    assert (imported["kind"], imported["alt"]) == (kind, "Bars")
    assert imported["duration"] == pytest.approx(0.5, abs=0.1)
    assert (FOLDER / f"{imported['name']}-clip.mp4").exists()


def test_the_archive_contains_the_settings(alice, settings):
    settings.FEED_HOME_KINDS = ["note", "link", "share"]
    result = entry(exported(alice), "settings.json")
    assert result["email"] == "alice@example.org"
    assert result["approves_followers"] is False
    assert result["shown_at_home"] == ["note", "link", "share"]
    assert (result["followed_hashtags"], result["pinned_posts"]) == ([], [])
    assert "like" in result["notifications"]["enabled_kinds"]

    EmailAddress.objects.create(user=alice, email="alice@example.org", verified=True, primary=True)
    EmailAddress.objects.create(user=alice, email="other@example.org")
    set_private(uid=alice.pk, is_private=True)
    change_settings(uid=alice.pk, post_visibility="unlisted", post_language="de")
    set_home_kinds(owner=alice.pk, shown_kinds={"note", "link"})
    follow_tag(uid=alice.pk, tag="tea")
    first, second = publish(alice, "First"), publish(alice, "Second")
    for post in (first, second):
        pin_post(post_id=post, actor=alice)
    save_kinds(recipient=alice.pk, disabled_kinds=["like"], filters=["strangers"])
    save_mail_preferences(
        recipient=alice.pk,
        mode="daily",
        mailed_kinds=["mention"],
        quiet_from=22 * 60,
        quiet_until=7 * 60 + 5,
        time_zone="Europe/Berlin",
    )
    save_push_preferences(recipient=alice.pk, pushed_kinds=["share"])
    result = entry(exported(alice), "settings.json")
    enabled_kinds = result["notifications"].pop("enabled_kinds")
    assert "like" not in enabled_kinds
    assert "mention" in enabled_kinds
    assert result == {
        "email": "alice@example.org",
        "email_addresses": [
            {"address": "alice@example.org", "is_confirmed": True},
            {"address": "other@example.org", "is_confirmed": False},
        ],
        "approves_followers": True,
        "is_indexable": True,
        "is_discoverable": True,
        "post_visibility": "unlisted",
        "post_language": "de",
        "quote_policy": "everyone",
        "has_sensitive_media": False,
        "pictures_without_description": "once",
        "language": None,
        "time_zone": None,
        "shown_at_home": ["note", "link"],
        "followed_hashtags": ["tea"],
        "featured_hashtags": [],
        "featured_people": [],
        "lists": [],
        "pinned_posts": [f"http://testserver/@alice/{post}/" for post in (second, first)],
        "notifications": {
            "filtered_senders": ["strangers"],
            "mail": {
                "mode": "daily",
                "enabled_kinds": ["mention"],
                "quiet_from": "22:00",
                "quiet_until": "07:05",
                "time_zone": "Europe/Berlin",
            },
            "devices": {"enabled_kinds": ["share"]},
        },
    }


def test_the_profile_is_exported_with_its_pictures_and_fields(alice):
    assert not {"icon", "image"} & entry(exported(alice), "actor.json").keys()
    for kind in KINDS:
        content = crop_picture(kind=kind, upload=io.BytesIO(picture()))
        change_picture(kind=kind, uid=alice.pk, picture=content)
    update_profile(
        uid=alice.pk, bio="Me", profile_fields=[ProfileField("Web", "alice.example")], is_bot=True
    )
    content = exported(alice)
    actor = entry(content, "actor.json")
    assert actor["type"] == "Service"
    assert actor["attachment"] == [
        {"type": "PropertyValue", "name": "Web", "value": "alice.example"}
    ]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in ("icon", "image"):
            assert archive.read(actor[name]["url"])[:4] == b"RIFF"
    new = UserFactory(display_name="", bio="")
    assert import_zip(content, new)["profile_parts"] == 6
    new.refresh_from_db()
    alice.refresh_from_db()
    for field in ("display_name", "bio", "profile_fields", "is_bot"):
        assert getattr(new, field) == getattr(alice, field)
    assert new.avatar
    assert new.header


def test_importing_twice_adds_nothing(life):
    content = exported(life.alice)
    import_zip(content, life.dan)
    before = set(Post.objects.values_list("pk", flat=True))
    again = import_zip(content, life.dan)
    assert again["existing_posts"] == 7
    assert not {"posts", "pictures", "follows"} & again.keys()
    assert set(Post.objects.values_list("pk", flat=True)) == before


def test_importing_the_own_archive_adds_nothing(life):
    before = set(Post.objects.values_list("pk", flat=True))
    assert import_zip(exported(life.alice), life.alice)["existing_posts"] == 7
    assert set(Post.objects.values_list("pk", flat=True)) == before


def test_imported_posts_neither_notify_nor_trend(life):
    dan = life.dan
    follow(life.bob, dan)
    content = exported(life.alice)
    notification_boxes().delete_many({})
    stat_hours().delete_many({})
    import_zip(content, dan)
    assert notification_boxes().count_documents({"_id": dan.pk}) == 0
    kinds = {row["kind"] for box in notification_boxes().find() for row in box.get("recent", ())}
    assert kinds <= {"follow"}
    assert stat_hours().count_documents({"metric": "authors"}) == 0
    page = Client().get("/tags/tag/").content.decode()
    # Dan joined after the time of these posts, so only those of Alice are in a timeline.
    assert page.count("Kölsch") == 1
    assert "Kölsch" in Client().get(f"/@{dan.username}/").content.decode()


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_the_cost_of_an_export_depends_on_chunks_and_not_on_posts(
    alice, bob, record_commands, times
):
    def cost():
        with record_commands() as commands:
            exported(alice)
        return [name for name, _ in commands]

    def add_activity():
        post = publish(bob, "Bob says")
        publish(alice, "@bob")
        share_post(post_id=post, actor=alice)
        add_comment(post_id=post, actor=alice, text="One")
        like_post(post_id=post, actor=alice)
        edit_post(post_id=publish(alice, "Befor"), actor=alice, text="Before")

    add_activity()
    few = cost()
    for _ in range(times):
        add_activity()
    assert cost() == few


def test_versions_are_read_in_index_order(alice):
    post = publish(alice, "Befor")
    edit_post(post_id=post, actor=alice, text="Before")
    documents = (
        revisions().find({"post": {"$in": [post, post + 1]}}).sort([("post", -1), ("_id", 1)])
    )
    plan = str(documents.explain()["queryPlanner"]["winningPlan"])
    assert "IXSCAN" in plan
    assert "'SORT'" not in plan


def test_likes_and_comments_of_a_user_are_found_by_indexes(alice):
    for collection, query in (
        (like_buckets(), {"uids": alice.pk}),
        (comment_buckets(), {"comments.uid": alice.pk}),
    ):
        plan = collection.find(query).sort("_id", 1).explain()["queryPlanner"]["winningPlan"]
        assert "COLLSCAN" not in str(plan)


def test_drafts_and_scheduled_posts_are_exported_and_imported(client, alice, bob, no_pictures):
    client.force_login(alice)
    (shown,) = uploaded(client, picture())
    Picture.objects.update(alt="A red square")
    values = {"title": "Emma", "item": "book", "stars": 5}
    review = draft_of(alice, "Read it", kind="review", details=values, content_warning="Plot")
    with_picture = save_draft(author=alice.pk, content=content_of("Look", picture_ids=[int(shown)]))
    future = schedule(alice, "Soon", visibility="followers", reply_policy="nobody")
    past = schedule(alice, "Too late")
    reply = schedule(alice, "I agree", reply_to_id=publish(bob), keeps_audience=True)
    let_come_due(past)
    content = exported(alice)
    items = entry(content, "drafts.json")["orderedItems"]
    assert [draft["text"] for draft in items] == ["Read it", "Look", "Soon", "Too late", "I agree"]
    assert [draft["publish_at"] is None for draft in items] == [True, True, False, False, False]
    assert items[1]["attachment"][0]["url"] in names(content)
    assert import_zip(content, alice)["existing_drafts"] == 5
    assert import_zip(content, bob)["drafts"] == 5
    assert import_zip(content, bob)["existing_drafts"] == 5
    originals = [stored(draft, alice) for draft in (review, with_picture, future, past, reply)]
    imported = pages_of(owner=bob.pk, after=0, limit=9)
    assert [_written(draft) for draft in imported] == [_written(draft) for draft in originals]
    due = [None, None, originals[2].due_at, None, originals[4].due_at]
    assert [draft.due_at for draft in imported] == due
    (copy,) = Picture.objects.filter(owner=bob.pk)
    assert (copy.alt, copy.draft) == ("A red square", imported[1].id)


def _written(draft):
    return replace(draft.content, picture_ids=()), draft.reply_to_id, draft.keeps_audience


def test_hostile_drafts_are_imported_as_far_as_they_are_valid(alice, settings):
    hostile = [
        5,
        {},
        {"text": 5, "values": [], "attachment": {}, "publish_at": "9999-12-31T23:59:59Z"},
        {"text": "x" * 999, "visibility": "all", "reply_policy": [], "language": {}, "kind": []},
        {"text": "Poll", "kind": "poll", "values": {"duration": 10**30, "choice_1": "a"}},
        {"text": "Share", "kind": "share", "values": {"followee": 1}},
        {"id": "y", "kind": "review", "values": {"title": "t" * 500, "stars": -1}},
        {"id": f"{settings.SITE_URL}/drafts/5/", "quoted_id": 10**30, "in_reply_to": -(10**30)},
        {"id": f"{settings.SITE_URL}/drafts/6/", "in_reply_to": 5, "keeps_audience": []},
        {"id": "x", "in_reply_to": 5, "publish_at": "2099-01-01T00:00:00Z"},
        {"id": "z", "attachment": [{"url": "../../etc/passwd"}, 5, {"url": "actor.json"}]},
    ]
    content = zipped(drafts_dot_json=outbox(*hostile))
    import_zip(content, alice)
    imported = pages_of(owner=alice.pk, after=0, limit=99)
    assert imported
    for draft in imported:
        assert len(draft.content.text) <= 500
        assert (draft.content.kind, draft.content.picture_ids, draft.due_at) == ("note", (), None)
        assert draft.content.audience.visibility == "followers"
