"""Pictures through the API."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from feed import tasks
from feed.models import Picture
from tests.api.api_client import Api
from tests.feed.picture_uploads import stored
from tests.uploads import assert_only_the_picture, photograph, picture, png_header


def upload(api, content=None, version=2, **sent):
    file = SimpleUploadedFile("me.png", content or picture(), content_type="image/png")
    return api.form(f"/api/v{version}/media", {"file": file, **sent})


@pytest.mark.parametrize("version", [1, 2])
def test_a_picture_is_uploaded_described_and_published(alice, bob, client, version):
    api = Api(alice)
    uploaded = upload(api, photograph(), version, description="A flag", focus="-0.5,0.25").json()
    assert uploaded["type"] == "image"
    assert uploaded["description"] == "A flag"
    assert uploaded["meta"]["focus"] == {"x": -0.5, "y": 0.25}
    assert uploaded["meta"]["original"]["width"] == 40
    path = uploaded["url"].removeprefix("http://testserver")
    assert_only_the_picture(b"".join(client.get(path).streaming_content))
    changed = api.put(f"media/{uploaded['id']}", description="Two colours").json()
    assert changed == uploaded | {"description": "Two colours"}
    post = api.post("statuses", media_ids=[uploaded["id"]], sensitive=True).json()
    # Until the post is published, the URLs contain a signature for the owner. Pictures of public posts
    # have URLs without a query.
    published = changed | {name: changed[name].partition("?")[0] for name in ("url", "preview_url")}
    assert post["media_attachments"] == [published]
    assert post["spoiler_text"] == "Sensitive"
    assert Api(bob).get(f"statuses/{post['id']}").json()["media_attachments"] == [published]
    assert api.get(f"media/{uploaded['id']}").status_code == 404
    assert api.delete(f"media/{uploaded['id']}").status_code == 422


def test_editing_a_post_changes_the_descriptions_of_its_pictures(alice, record_commands):
    api = Api(alice)
    media_ids = [upload(api, description=alt).json()["id"] for alt in ("one", "two")]
    post = api.post("statuses", status="Look", media_ids=media_ids).json()["id"]
    attributes = [{"id": media_ids[1], "description": "deux", "focus": "0.5,0.5"}]
    changed = api.put(f"statuses/{post}", status="Look", media_attributes=attributes).json()
    assert [media["description"] for media in changed["media_attachments"]] == ["one", "deux"]
    assert changed["media_attachments"][1]["meta"]["focus"] == {"x": 0.5, "y": 0.5}
    assert changed["edited_at"]
    with record_commands() as commands:
        repeated = api.put(f"statuses/{post}", status="Look", media_attributes=attributes)
    assert repeated.json() == changed
    assert not [command for _, command in commands if command.get("update") == "feed_picture"]
    form = {"status": "Look", "media_attributes[][id]": media_ids[0]}
    assert api.put(f"statuses/{post}", **form).status_code == 200
    other = upload(api).json()["id"]
    rejected = api.put(f"statuses/{post}", media_attributes=[{"id": other, "description": "x"}])
    assert rejected.status_code == 422
    assert Picture.objects.get(pk=media_ids[1]).alt == "deux"


def test_pictures_of_other_users_are_not_found(alice, bob):
    mine = upload(Api(alice)).json()["id"]
    api = Api(bob)
    assert api.get(f"media/{mine}").status_code == 404
    assert api.put(f"media/{mine}", description="x").status_code == 404
    assert api.delete(f"media/{mine}").status_code == 404
    assert api.post("statuses", media_ids=[mine]).status_code == 422


def test_deleting_a_picture_deletes_its_files(alice):
    api, before = Api(alice), stored()
    media_id = upload(api).json()["id"]
    assert api.delete(f"media/{media_id}").json() == {}
    assert api.delete(f"media/{media_id}").status_code == 404
    tasks.clean_up_pictures()
    assert stored() == before


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        (b"<svg/>", {}),
        (png_header(20_000, 20_000), {}),
        (picture(), {"focus": "1,2,3"}),
        (picture(), {"focus": "nan,0"}),
        (picture(), {"focus": "5,5"}),
        (picture(), {"description": "x" * 1501}),
    ],
)
def test_invalid_pictures_are_refused(alice, content, sent):
    response = upload(Api(alice), content, **sent)
    assert response.status_code == 422
    assert response.json()["error"]
    assert not Picture.objects.exists()


def test_uploads_are_counted_and_need_a_file(alice, settings):
    assert Api(alice).post("media").status_code == 422
    assert Api(alice).post("media", file="x").status_code == 422
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"upload": "1/h"}
    assert upload(Api(alice)).status_code == 200
    assert upload(Api(alice)).status_code == 429
