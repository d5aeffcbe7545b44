"""Hostile and damaged archives."""

import io
import json
import struct
import zipfile

import pytest

from accounts.selectors.follow_graph import featured_uids
from accounts.selectors.relationships import hidden_users, languages_by_followee, notes_after
from feed.models import Post
from feed.selectors.featured_content import featured_tag_names
from feed.selectors.user_lists import owned_lists
from socialsite.archive import contents, source
from socialsite.archive import people as archived_people
from socialsite.archive.models import Archive
from socialsite.archive.source import BadArchive
from tests.factories import follow
from tests.uploads import zipped as zipped_picture

from .zips import ACTOR, ALICE, PUBLIC, entry, exported, import_zip, note, outbox, packed, zipped

GOOD = {"actor.json": ACTOR, "outbox.json": outbox(note(1))}


def with_directory_size(content, *, size):
    """Return the zip with ``size`` as the forged size of its central directory, in bytes."""
    end = content.rindex(b"PK\x05\x06")
    return content[: end + 12] + struct.pack("<I", size) + content[end + 16 :]


def with_many_entries():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for n in range(120):
            archive.writestr(f"{n}", b"")
    return out.getvalue()


def zip_bomb():
    """Return a small zip with an outbox of 20 MB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("actor.json", json.dumps(ACTOR))
        with archive.open("outbox.json", "w") as file:
            for _ in range(20):
                file.write(b" " * 1_000_000)
    return out.getvalue()


def with_forged_outbox_size(content):
    """Return the zip with 10 bytes as the forged size of its outbox."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo("outbox.json").file_size
    return content.replace(struct.pack("<I", size), struct.pack("<I", 10))


def encrypted():
    content = bytearray(packed(GOOD))
    for sign in (b"PK\x03\x04", b"PK\x01\x02"):
        at = content.index(sign)
        content[at + (6 if sign[2] == 3 else 8)] |= 1
    return bytes(content)


BAD = {
    "empty file": b"",
    "not a zip": b"GIF89a" * 1000,
    "HTML page": b"<!doctype html>" * 10_000,
    "another zip": zipped_picture(),
    "truncated": packed(GOOD)[:-30],
    "missing start": packed(GOOD)[40:],
    "directory of 4 GB": with_directory_size(packed(GOOD), size=4_000_000_000),
    "directory of 40 MB": with_directory_size(packed(GOOD), size=40_000_000),
    "forged outbox size": with_forged_outbox_size(packed(GOOD)),
    "encrypted": encrypted(),
    "no outbox": packed({"actor.json": ACTOR}),
    "outbox without items": packed(GOOD | {"outbox.json": {"type": "OrderedCollection"}}),
    "empty outbox": packed(GOOD | {"outbox.json": ""}),
    "outbox is a list": packed(GOOD | {"outbox.json": [note(1)]}),
    "truncated outbox": packed(GOOD | {"outbox.json": json.dumps(outbox(note(1)))[:-40]}),
    "invalid JSON": packed(GOOD | {"outbox.json": "{'orderedItems': []}"}),
    "items are an object": packed(GOOD | {"outbox.json": {"orderedItems": {"a": 1}}}),
    "deep lists": packed(GOOD | {"outbox.json": '{"orderedItems": [' + "[" * 500_000}),
    "deep objects": packed(GOOD | {"outbox.json": '{"orderedItems": [' + '{"a":' * 300_000}),
    "huge item": packed(GOOD | {"outbox.json": '{"orderedItems": ["' + "x" * 3_000_000}),
    "long number": packed(GOOD | {"outbox.json": '{"orderedItems": [' + "1" * 100_000 + "]}"}),
    "Latin-1": packed(GOOD | {"outbox.json": '{"orderedItems": ["é"]}'.encode("latin-1")}),
    "invalid actor id": packed(GOOD | {"actor.json": {"id": 5}}),
    "no actor": packed({"outbox.json": outbox(note(1))}),
    "deep actor": packed(GOOD | {"actor.json": "[" * 300_000}),
    "invalid bookmarks": packed(GOOD | {"bookmarks.json": "x"}),
    "invalid settings": packed(GOOD | {"settings.json": "{"}),
    "deep settings": packed(GOOD | {"settings.json": "[" * 300_000}),
    "invalid lists": packed(GOOD | {"lists.csv": b"a" * 200_000}),
    "unfinished note": packed(GOOD | {"private_notes.csv": b'bob,"' + b"a\n" * 30_000}),
    "wide row of notes": packed(GOOD | {"private_notes.csv": b'"a\n",' * 20_000}),
    "invalid table": packed(GOOD | {"following_accounts.csv": b"a" * 200_000}),
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD.keys())
def test_a_bad_archive_is_refused_with_a_message(alice, client, content):
    with pytest.raises(BadArchive) as result:
        import_zip(content, alice)
    assert str(result.value)
    assert not Post.objects.exists()


def test_odd_lists_and_settings_are_skipped(alice, bob):
    follow(alice, bob)
    settings = {
        "featured_hashtags": ["tea", 3, None, "x" * 900, "a b-c", "#Tea", {}],
        "featured_people": ["bob", 3, None, "carol", "x" * 900, "nobody", "bob@o.example", {}],
        "lists": [
            3,
            {"title": []},
            {"title": "Bakers", "exclusive": "yes", "replies_policy": ["none"]},
        ],
    }
    rows = ["Bakers,bob", "x" * 61 + ",bob", ",bob", "Bakers", "Bakers,@@", "Bakers,bob@o.example"]
    files = {"settings.json": settings, "lists.csv": "\n".join(rows)}
    counts = import_zip(packed(GOOD | files), alice)
    assert (counts["list_members"], counts["not_on_lists"]) == (1, 5)
    assert featured_tag_names(author=alice.pk) == ["tea"]
    assert featured_uids(uid=alice.pk) == [bob.pk]
    (user_list,) = owned_lists(owner=alice.pk)
    assert (user_list.title, user_list.uids) == ("Bakers", [bob.pk])
    assert (user_list.is_exclusive, user_list.replies_policy) == (False, "list")
    for odd in ([], 3, {"lists": 3, "featured_hashtags": "tea", "featured_people": "bob"}):
        counts = import_zip(packed(GOOD | {"settings.json": odd}), alice)
        assert not {"featured_tags", "featured_people"} & counts.keys()


def test_too_large_a_file_of_notes_is_refused(alice, monkeypatch):
    monkeypatch.setitem(source.OPTIONAL_FILES, "private_notes.csv", 10)
    with pytest.raises(BadArchive, match="too large"):
        import_zip(packed(GOOD | {"private_notes.csv": "alice,12345"}), alice)


def test_odd_notes_are_skipped_and_counted(alice, bob, carol, monkeypatch):
    monkeypatch.setattr(archived_people, "MAX_NOTES", 9)
    rows = [
        "bob@testserver,Likes tea",
        "bob",
        "carol,",
        "carol," + "x" * 2001,
        "bob@o.example,Elsewhere",
        "nobody,Unknown",
        "alice,Myself",
        "",
        '"","",""',
        "CAROL@testserver,\x00Bakes\x01",
        "bob,Beyond the limit",
    ]
    counts = import_zip(packed(GOOD | {"private_notes.csv": "\n".join(rows)}), alice)
    assert (counts["notes"], counts["skipped_notes"]) == (2, 8)
    assert notes_after(uid=alice.pk, cursor=0, limit=9) == [
        (bob.pk, "Likes tea"),
        (carol.pk, "Bakes"),
    ]


def test_odd_settings_of_follows_are_skipped(alice, bob):
    table = 'Account address,Languages,Show boosts\nbob,"x,,,de-,\x01",FALSE\nbob\n'
    import_zip(packed(GOOD | {"following_accounts.csv": table}), alice)
    assert hidden_users(viewer=alice.pk).shares_hidden == set()
    assert languages_by_followee(owner=alice.pk) == {}


def test_a_zip_bomb_is_refused_before_it_is_unpacked(alice, monkeypatch):
    monkeypatch.setattr(source, "MAX_JSON_BYTES", 10_000_000)
    with pytest.raises(BadArchive, match="too large"):
        import_zip(zip_bomb(), alice)


def test_an_archive_with_too_many_files_or_posts_is_refused(alice, monkeypatch):
    monkeypatch.setattr(source, "MAX_ENTRIES", 100)
    with pytest.raises(BadArchive, match="too many files"):
        import_zip(with_many_entries(), alice)
    monkeypatch.setattr(contents, "MAX_POSTS", 2)
    with pytest.raises(BadArchive, match="The limit is 2"):
        import_zip(zipped(note(1), note(2), note(3)), alice)


WRONG = (None, True, 7, -1.5, "x", "\ud800", [], {}, [None], {"type": "Create"}, "a" * 5000, 10**18)


def test_an_item_with_a_wrong_type_is_skipped(alice):
    items = list(WRONG)
    for name in note(1):
        items += [note(1) | {name: wrong} for wrong in WRONG]
    for name in (*note(1)["object"], "source", "socialsite:activity"):
        items += [
            note(2, **{name: wrong}) for wrong in WRONG if name not in ("to", "cc", "published")
        ]
    for name in ("to", "cc", "published"):
        for wrong in WRONG:
            row = note(3)
            row["object"][name] = wrong
            items.append(row)
    for name in ("type", "mediaType", "url", "name"):
        picture = {"type": "Document", "mediaType": "image/png", "url": "x", "name": "y"}
        items += [note(4, attachment=[picture | {name: wrong}]) for wrong in WRONG]
    activity = {"kind": "review", "details": {"title": "a", "item": "book", "stars": 5}}
    for name in activity:
        items += [note(5, **{"socialsite:activity": activity | {name: wrong}}) for wrong in WRONG]
    for name in activity["details"]:
        details = activity["details"]
        items += [
            note(6, **{"socialsite:activity": activity | {"details": details | {name: wrong}}})
            for wrong in WRONG
        ]
    counts = import_zip(zipped(*items, note(99, "<p>Good</p>")), alice)
    assert Post.objects.filter(author=alice, text="Good").exists()
    assert counts["not_posts"] > len(WRONG)
    for post in Post.objects.all():
        assert len(post.text) <= 500
        assert post.visibility in ("public", "unlisted", "followers")
        assert "\ud800" not in post.text


@pytest.mark.parametrize("names", ["actor.json", "outbox.json"])
def test_an_archive_of_an_unknown_actor_is_imported(alice, names):
    assert import_zip(zipped(note(1), actor=ACTOR | {"id": "https://testserver.example/x"}), alice)


def test_files_outside_the_media_folder_are_not_read(alice, no_pictures):
    from tests.uploads import picture

    bad = ["../../etc/passwd", "/etc/passwd", "media_attachments/files/../../x.png", "actor.json"]
    files = {name: picture() for name in bad[:3]}
    counts = import_zip(
        packed(
            GOOD
            | files
            | {
                "outbox.json": outbox(
                    *(
                        note(n, attachment=[{"mediaType": "image/png", "url": name}])
                        for n, name in enumerate(bad)
                    )
                )
            }
        ),
        alice,
    )
    assert counts == {"posts": 4, "other_attachments": 4}


def test_a_file_that_is_attached_repeatedly_becomes_one_picture(alice, no_pictures):
    from tests.uploads import picture

    name = "media_attachments/files/1.png"
    attached = [{"mediaType": "image/png", "url": name}] * 3
    counts = import_zip(
        zipped(*(note(n, attachment=attached) for n in range(3)), **{name: picture()}), alice
    )
    assert (counts["pictures"], counts["other_attachments"]) == (1, 8)


def test_hostile_html_is_parsed_quickly(alice):
    texts = ["<a" * 10_000, "<a b='" * 4_000, "<!--" * 5_000, "<" * 20_000, "&#" * 10_000]
    texts += ["<p>" * 6_000, "<a href='x'>" * 1_500, "</a>" * 5_000, "\u0301" * 20_000]
    content = zipped(*(note(n, text) for n, text in enumerate(texts)))
    counts = import_zip(content, alice)
    assert sum(counts.get(name, 0) for name in ("posts", "empty_posts")) == len(texts)


def test_an_import_cannot_take_over_the_post_of_another_user(alice, bob):
    from tests.factories import publish

    post = publish(bob, "Bob's")
    row = note(1, "<p>Mine</p>")
    row["object"]["id"] = f"http://testserver/@bob/{post}/"
    assert import_zip(zipped(row), alice)["posts"] == 1
    assert Post.objects.get(pk=post).text == "Bob's"
    assert ALICE not in str(Archive.objects.values())


def test_a_modified_archive_of_this_site_is_validated(alice, bob):
    row = note(1, "", source={"content": "a" * 9_000, "mediaType": "text/plain"}, to=[PUBLIC])
    actor = ACTOR | {"id": "http://testserver/@alice/"}
    assert import_zip(zipped(row, actor=actor), bob) == {"posts": 1, "truncated": 1}
    box = entry(exported(bob), "outbox.json")
    assert box["orderedItems"][0]["object"]["source"]["content"].endswith("a…")
