"""Editing a post adds, removes, orders and describes its pictures. The history shows it."""

import re

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.services.profiles import change_settings
from feed import tasks
from feed.models import Picture, Post
from feed.selectors.history import history_page
from feed.selectors.visible_posts import visible_post
from feed.services.moderation import set_post_hidden
from feed.services.pictures import CannotAttach
from feed.services.posts import delete_post, delete_post_unchecked
from feed.store import revisions as revision_store
from feed.store.collections import revisions
from tests.actions import edit_post
from tests.factories import follow
from tests.factories import publish as publish_text
from tests.feed.picture_uploads import FOLDER, media_of, publish, publish_pictures, stored, uploaded
from tests.feed.workers import work
from tests.uploads import picture

pytestmark = pytest.mark.usefixtures("no_pictures")
COLORS = ("red", "green", "blue")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def post(alice):
    """Publish a post with three pictures, described as "A red square 1" to 3."""
    return publish_pictures(alice, *(picture(color=color) for color in COLORS))


def ids_of(post):
    post.refresh_from_db()
    return [entry["id"] for entry in post.media]


def edit(client, post, *contents, text="Look", **data):
    files = [SimpleUploadedFile("me.png", content, "image/png") for content in contents]
    return client.post(f"/posts/{post.pk}/edit/", {"text": text, "pictures": files, **data})


def names_of(post):
    return [name for entry in post.media for name in _files(entry["name"])]


def _files(name):
    return [f"{name}-large.webp", f"{name}-small.webp"]


def test_the_edit_page_shows_the_pictures_with_their_fields(as_alice, post):
    html = as_alice.get(f"/posts/{post.pk}/edit/").content.decode()
    ids = ids_of(post)
    assert [int(pk) for pk in media_of(as_alice.get(f"/posts/{post.pk}/edit/"))] == ids
    for number, pk in enumerate(ids, 1):
        assert f"A red square {number}</textarea>" in html
        assert f'name="drop_{pk}"' in html
        select = re.search(f'<select name="position_{pk}".*?</select>', html, re.DOTALL)[0]
        assert f'<option value="" selected>{number} of 3</option>' in select
    assert 'enctype="multipart/form-data"' in html


def test_a_picture_is_removed_and_its_files_are_deleted(as_alice, post, asked):
    first, second, third = ids_of(post)
    name = post.media[1]["name"]
    response = edit(as_alice, post, media=[first, second, third], **{f"drop_{second}": "on"})
    assert response.status_code == 302
    assert ids_of(post) == [first, third]
    assert post.edited_at
    assert as_alice.get(f"/media/pictures/{name}-large.webp").status_code == 404
    assert ("clean_up_pictures", {}) in asked
    tasks.clean_up_pictures()
    assert stored() == sorted(names_of(post))
    assert set(Picture.objects.values_list("pk", flat=True)) == {first, third}


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ({0: 3}, [1, 2, 0]),
        ({2: 1}, [2, 0, 1]),
        ({0: 2, 1: 1}, [1, 0, 2]),
        ({0: 3, 2: 1}, [2, 1, 0]),
        ({0: 99, 1: 0}, [1, 2, 0]),
        ({1: "x", 2: "-1"}, [0, 1, 2]),
        ({1: "9223372036854775807"}, [0, 2, 1]),
    ],
)
def test_pictures_get_a_new_order(as_alice, post, positions, expected):
    ids = ids_of(post)
    chosen = {f"position_{ids[at]}": position for at, position in positions.items()}
    assert edit(as_alice, post, media=ids, **chosen).status_code == 302
    assert ids_of(post) == [ids[at] for at in expected]
    assert revisions().count_documents({}) == (expected != [0, 1, 2])


def test_a_picture_gets_a_new_description(as_alice, post):
    ids = ids_of(post)
    edit(as_alice, post, media=ids, **{f"alt_{ids[0]}": "Tomatoes", f"alt_{ids[1]}": ""})
    post.refresh_from_db()
    # The form sent no description of the third picture.
    assert [entry["alt"] for entry in post.media] == ["Tomatoes", "", "A red square 3"]
    assert Picture.objects.get(pk=ids[0]).alt == "Tomatoes"
    assert "tomatoes" in post.words


def test_a_form_without_pictures_changes_none(as_alice, post):
    before = post.media
    assert edit(as_alice, post, text="Changed").status_code == 302
    post.refresh_from_db()
    assert post.media == before


def test_a_picture_is_added_after_it_is_described(as_alice, post, asked):
    ids = ids_of(post)
    response = edit(as_alice, post, picture(color="white"), media=ids)
    assert response.status_code == 422
    assert "Add descriptions for people" in response.content.decode()
    assert ids_of(post) == ids
    *shown, new = map(int, media_of(response))
    assert shown == ids
    response = edit(as_alice, post, media=[*ids, new], **{f"alt_{new}": "White"})
    assert response.status_code == 302
    assert ids_of(post) == [*ids, new]
    assert post.media[3]["alt"] == "White"
    tasks.clean_up_pictures()
    assert stored() == sorted(names_of(post))


def test_a_removed_picture_stays_removed_after_the_reminder(as_alice, post):
    first, second, third = ids_of(post)
    response = edit(as_alice, post, picture(), media=[first, third], **{f"drop_{second}": "on"})
    assert response.status_code == 422
    html = response.content.decode()
    removed = re.findall(r'<input type="hidden" name="(drop_\d+)" value="on">', html)
    assert removed == [f"drop_{second}"]
    confirmed = {"confirm_undescribed": "on"} | dict.fromkeys(removed, "on")
    assert edit(as_alice, post, media=media_of(response), **confirmed).status_code == 302
    assert second not in ids_of(post)
    assert len(ids_of(post)) == 3


def test_a_fifth_picture_is_refused(as_alice, post):
    ids = ids_of(post)
    response = edit(as_alice, post, picture(), picture(), media=ids)
    assert response.status_code == 422
    assert "You added 5." in response.content.decode()
    extra = [int(pk) for _ in range(2) for pk in uploaded(as_alice, picture())]
    with pytest.raises(CannotAttach):
        edit_post(post_id=post.pk, actor=post.author, text="Look", picture_ids=[*ids, *extra])
    assert ids_of(post) == ids
    assert Picture.objects.filter(post=None).count() == 2


def test_all_pictures_are_removed_only_if_there_is_text(as_alice, post):
    ids = ids_of(post)
    dropped = {f"drop_{pk}": "on" for pk in ids}
    response = edit(as_alice, post, text="", **dropped)
    assert response.status_code == 422
    assert "Enter some text." in response.content.decode()
    assert ids_of(post) == ids
    assert edit(as_alice, post, **dropped).status_code == 302
    assert ids_of(post) == []
    assert "has:picture" not in post.words


def test_pictures_of_others_and_of_other_posts_are_refused(as_alice, post, client, bob):
    other = publish(as_alice, picture())
    client.force_login(bob)
    (bobs,) = uploaded(client, picture())
    client.force_login(post.author)
    ids = ids_of(post)
    for foreign in (other.media[0]["id"], bobs, 7):
        response = edit(client, post, media=[*ids, foreign], **{f"alt_{foreign}": "Mine"})
        assert response.status_code == 422
        assert "One of these pictures no longer exists." in response.content.decode()
        assert [int(pk) for pk in media_of(response)] == ids
        with pytest.raises(CannotAttach):
            edit_post(post_id=post.pk, actor=post.author, text="x", picture_ids=[int(foreign)])
    assert ids_of(post) == ids
    assert ids_of(other) == [other.media[0]["id"]]
    assert not Picture.objects.filter(alt="Mine").exists()


def test_only_the_author_edits_pictures(as_alice, post, client, bob):
    follow(bob, post.author)
    client.force_login(bob)
    assert client.get(f"/posts/{post.pk}/edit/").status_code == 404
    assert edit(client, post, **{f"drop_{pk}": "on" for pk in ids_of(post)}).status_code == 404
    assert len(ids_of(post)) == 3


def test_a_stale_form_does_not_bring_a_removed_picture_back(as_alice, post, asked):
    first, second, third = ids_of(post)
    edit(as_alice, post, media=[first, second, third], **{f"drop_{first}": "on"})
    response = edit(as_alice, post, media=[first, second, third])
    assert response.status_code == 422
    assert "One of these pictures no longer exists." in response.content.decode()
    assert ids_of(post) == [second, third]


def test_a_failed_edit_loses_no_picture(as_alice, post, monkeypatch, asked):
    ids, files = ids_of(post), stored()

    def fail(**_):
        raise OSError("The database is gone")

    with monkeypatch.context() as broken:
        broken.setattr(revision_store, "insert_revision", fail)
        with pytest.raises(OSError, match="gone"):
            edit_post(post_id=post.pk, actor=post.author, text="Look", picture_ids=ids[:1])
    tasks.clean_up_pictures()
    assert (ids_of(post), stored()) == (ids, files)
    assert Picture.objects.filter(post=post.pk).count() == 3


def test_a_failed_deletion_of_files_is_repeated(as_alice, post, monkeypatch, asked):
    edit_post(post_id=post.pk, actor=post.author, text="Look", picture_ids=ids_of(post)[:1])

    def fail(name):
        raise OSError("The disk failed")

    with monkeypatch.context() as broken:
        broken.setattr(default_storage, "delete", fail)
        with pytest.raises(OSError, match="disk"):
            tasks.clean_up_pictures()
    tasks.clean_up_pictures()
    post.refresh_from_db()
    assert stored() == sorted(names_of(post))


def test_repeating_an_edit_changes_nothing(as_alice, post):
    ids = ids_of(post)
    for _ in range(2):
        edit_post(post_id=post.pk, actor=post.author, text="Look", picture_ids=ids[::-1])
    assert revisions().count_documents({}) == 1
    edit_post(
        post_id=post.pk, actor=post.author, text="Look", descriptions={ids[0]: (None, (0.5, 0.5))}
    )
    post.refresh_from_db()
    assert post.media[2]["focus"] == [0.5, 0.5]
    assert revisions().count_documents({}) == 1, "the focus is not part of the history"


# --- Focus -------------------------------------------------------------------------------------
def test_the_focus_is_chosen_in_the_form_and_used_by_lists(as_alice, post):
    ids = ids_of(post)
    focus = {f"focus_{ids[0]}": "-1,1", f"focus_{ids[1]}": "0,0"}
    assert edit(as_alice, post, media=ids, **focus).status_code == 302
    post.refresh_from_db()
    assert [entry.get("focus") for entry in post.media] == [[-1.0, 1.0], None, None]
    assert Picture.objects.get(pk=ids[0]).focus == [-1.0, 1.0]
    html = as_alice.get("/").content.decode()
    assert re.findall(r'<img src="/media/pictures/[^"]*" class="([^"]*)"', html) == ["x0 y0"]
    page = as_alice.get(f"/posts/{post.pk}/edit/").content.decode()
    assert '<option value="-1,1" selected>' in page
    assert edit(as_alice, post, **{f"focus_{ids[0]}": "9,9"}).status_code == 422


def test_the_focus_of_an_app_stays(as_alice, post):
    ids = ids_of(post)
    edit_post(
        post_id=post.pk, actor=post.author, text="Look", descriptions={ids[0]: (None, (0.3, -0.6))}
    )
    assert 'class="x3 y3"' in as_alice.get("/").content.decode()
    page = as_alice.get(f"/posts/{post.pk}/edit/").content.decode()
    assert '<option value="0.3,-0.6" selected>' in page
    assert edit(as_alice, post, media=ids, **{f"focus_{ids[0]}": "0.3,-0.6"}).status_code == 302
    post.refresh_from_db()
    assert post.media[0]["focus"] == [0.3, -0.6]


def test_the_focus_of_a_new_picture_is_published(as_alice):
    ids = uploaded(as_alice, picture(), picture())
    chosen = {f"focus_{ids[1]}": "1,-1", "confirm_undescribed": "on"}
    as_alice.post("/posts/", {"media": ids, **chosen})
    assert Post.objects.latest("pk").media[1]["focus"] == [1.0, -1.0]


# --- History -----------------------------------------------------------------------------------
def test_the_history_shows_pictures_and_descriptions_of_each_version(as_alice, alice, post, client):
    first, second, third = ids_of(post)
    edit_post(
        post_id=post.pk,
        actor=alice,
        text="Look",
        picture_ids=[third, first],
        descriptions={first: ("Tomato", None)},
    )
    view = visible_post(post_id=post.pk, viewer=None)
    page = history_page(post=view, viewer=None)
    shown = [
        [(media.id, media.alt, media.is_deleted) for media in version.media]
        for version in page.versions
    ]
    assert shown == [
        [(third, "A red square 3", False), (first, "Tomato", False)],
        [
            (first, "A red square 1", False),
            (second, "A red square 2", True),
            (third, "A red square 3", False),
        ],
    ]
    assert [version.is_first for version in page.versions] == [False, True]
    client.logout()
    html = client.get(f"/@alice/{post.pk}/history/").content.decode()
    assert html.count("Picture removed") == 1
    assert "A red square 2" in html
    assert html.count("-small.webp") == 4
    name = post.media[1]["name"]
    assert name not in html
    assert name not in str(list(revisions().find()))


def test_versions_before_pictures_could_be_edited_show_the_pictures(as_alice, alice, post):
    edit_post(post_id=post.pk, actor=alice, text="Look here")
    revisions().update_many({}, {"$unset": {"media": 1}})
    view = visible_post(post_id=post.pk, viewer=alice.pk)
    page = history_page(post=view, viewer=alice.pk)
    assert page.versions[0].media == page.versions[1].media == view.media


def test_pictures_in_the_history_are_signed_if_they_are_not_public(as_alice, alice, bob, client):
    follow(bob, alice)
    post = publish(as_alice, picture(), picture(), visibility="followers", content_warning="Red")
    edit_post(post_id=post.pk, actor=alice, text="Look", picture_ids=ids_of(post)[:1])
    client.force_login(bob)
    html = client.get(f"/@alice/{post.pk}/history/").content.decode()
    urls = re.findall(r'"(/media/pictures/[^"]+)"', html)
    assert len(urls) == 4
    assert all("?until=" in url for url in urls)
    response = client.get(urls[0].replace("&amp;", "&"))
    response.close()
    assert response.status_code == 200


def test_new_recipients_see_no_pictures_of_earlier_versions(as_alice, alice, bob, carol, client):
    post = publish(as_alice, picture(), picture(), text="@bob", visibility="direct", alt="Secret")
    edit_post(post_id=post.pk, actor=alice, text="@bob @carol", picture_ids=ids_of(post)[:1])
    client.force_login(carol)
    assert "Secret 2" not in client.get(f"/@alice/{post.pk}/history/").content.decode()
    client.force_login(bob)
    assert "Secret 2" in client.get(f"/@alice/{post.pk}/history/").content.decode()


# --- Moderation and erasure --------------------------------------------------------------------
def test_pictures_of_a_removed_post_cannot_be_edited_and_return_with_the_post(as_alice, post):
    set_post_hidden(post_id=post.pk, state=Post.Hidden.REMOVED)
    assert edit(as_alice, post, **{f"drop_{pk}": "on" for pk in ids_of(post)}).status_code == 404
    tasks.clean_up_pictures()
    set_post_hidden(post_id=post.pk, state="")
    assert stored() == sorted(names_of(post))


def test_deleting_an_edited_post_deletes_all_its_pictures(as_alice, alice, post, asked):
    edit_post(post_id=post.pk, actor=alice, text="Look", picture_ids=ids_of(post)[:1])
    delete_post(post_id=post.pk, actor=alice)
    work(asked)
    assert stored() == []
    assert not Picture.objects.exists()
    assert revisions().count_documents({}) == 0


def test_a_picture_that_was_added_while_the_post_was_deleted_is_deleted(as_alice, alice, asked):
    post = Post.objects.get(pk=publish_text(alice, "Words"))
    (pk,) = uploaded(as_alice, picture())
    edit_post(post_id=post.pk, actor=alice, text="Words", picture_ids=[int(pk)])
    post_id = post.pk
    delete_post_unchecked(post=post)  # read before the edit
    assert not Post.objects.filter(pk=post_id).exists()
    work(asked)
    assert stored() == []
    assert not Picture.objects.exists()


# --- Uploads in the background -----------------------------------------------------------------
UPLOAD = "/posts/pictures/"


def send(client, content):
    return client.post(UPLOAD, {"pictures": SimpleUploadedFile("me.png", content, "image/png")})


def test_an_upload_returns_the_row_of_the_form(as_alice, alice):
    response = send(as_alice, picture())
    assert response.status_code == 200
    (pk,) = media_of(response)
    assert f'name="alt_{pk}"' in response.content.decode()
    assert Picture.objects.get().owner == alice.pk
    data = {"text": "Look", "media": pk, f"alt_{pk}": "Red"}
    assert as_alice.post("/posts/", data).status_code == 302
    assert Post.objects.get().media[0]["alt"] == "Red"


def test_bad_uploads_get_a_text(as_alice, client):
    for response in (send(as_alice, b"nonsense"), as_alice.post(UPLOAD)):
        assert response.status_code == 422
        assert response["Content-Type"].startswith("text/plain")
    assert "not a supported picture" in send(as_alice, b"nonsense").content.decode()
    client.logout()
    assert send(client, picture()).status_code == 302
    assert not Picture.objects.exists()
    assert list(FOLDER.glob("*")) == []


def test_uploads_are_counted(as_alice, settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"upload": "1/h"}
    assert send(as_alice, b"nonsense").status_code == 422
    response = send(as_alice, picture())
    assert response.status_code == 429
    assert response["Retry-After"]
    assert response["Content-Type"].startswith("text/plain")


# --- The reminder ------------------------------------------------------------------------------
def test_the_reminder_is_not_an_error(as_alice):
    html = as_alice.post("/posts/", {"media": uploaded(as_alice, picture())}).content.decode()
    assert "Add descriptions for people who cannot see the pictures?" in html
    assert "Publish without descriptions" in html
    assert 'class="field-errors"' not in html
    assert "aria-invalid" not in html


@pytest.mark.parametrize(("reminder", "status"), [("once", 302), ("require", 422), ("off", 302)])
def test_users_choose_what_happens_without_a_description(as_alice, alice, reminder, status):
    ids = uploaded(as_alice, picture())
    page = as_alice.get("/settings/privacy/").content.decode()
    assert '<option value="once" selected>' in page
    assert (
        as_alice.post("/settings/privacy/", {"description_reminder": reminder}).status_code == 302
    )
    assert as_alice.post("/settings/privacy/", {"description_reminder": "x"}).status_code == 422
    first = as_alice.post("/posts/", {"media": ids})
    assert first.status_code == (302 if reminder == "off" else 422)
    if reminder == "off":
        return
    assert ("Publish without descriptions" in first.content.decode()) == (reminder == "once")
    confirmed = as_alice.post("/posts/", {"media": ids, "confirm_undescribed": "on"})
    assert confirmed.status_code == status
    if reminder == "require":
        assert "Describe your pictures first." in confirmed.content.decode()
        assert as_alice.post("/posts/", {"media": ids, f"alt_{ids[0]}": "Red"}).status_code == 302


def test_editing_does_not_remind_of_published_pictures(as_alice, alice):
    ids = uploaded(as_alice, picture())
    as_alice.post("/posts/", {"media": ids, "confirm_undescribed": "on"})
    change_settings(uid=alice.pk, description_reminder="require")
    assert edit(as_alice, Post.objects.get(), media=ids).status_code == 302
