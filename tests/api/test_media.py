"""Pictures through the API."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from feed import tasks
from feed.models import Picture
from tests.api.calling import Api
from tests.feed.attaching import stored
from tests.uploads import assert_only_the_picture, photograph, picture, png_header


def upload(api, content=None, version=2, **sent):
    file = SimpleUploadedFile("me.png", content or picture(), content_type="image/png")
    return api.form(f"/api/v{version}/media", {"file": file, **sent})


@pytest.mark.parametrize("version", [1, 2])
def test_a_picture_is_uploaded_described_and_published(alice, bob, client, version):
    api = Api(alice)
    made = upload(api, photograph(), version, description="A flag", focus="-0.5,0.25").json()
    assert made["type"] == "image"
    assert made["description"] == "A flag"
    assert made["meta"]["focus"] == {"x": -0.5, "y": 0.25}
    assert made["meta"]["original"]["width"] == 40
    path = made["url"].removeprefix("http://testserver")
    assert_only_the_picture(b"".join(client.get(path).streaming_content))
    changed = api.put(f"media/{made['id']}", description="Two colours").json()
    assert changed == made | {"description": "Two colours"}
    post = api.post("statuses", media_ids=[made["id"]], sensitive=True).json()
    # What waited for its post was for its owner; the post is for everybody.
    published = changed | {name: changed[name].partition("?")[0] for name in ("url", "preview_url")}
    assert post["media_attachments"] == [published]
    assert post["spoiler_text"] == "Sensitive"
    assert Api(bob).get(f"statuses/{post['id']}").json()["media_attachments"] == [published]
    assert api.get(f"media/{made['id']}").status_code == 404
    assert api.delete(f"media/{made['id']}").status_code == 422


def test_editing_a_post_changes_what_is_said_of_its_pictures(alice):
    api = Api(alice)
    made = [upload(api, description=one).json()["id"] for one in ("one", "two")]
    post = api.post("statuses", status="Look", media_ids=made).json()["id"]
    attributes = [{"id": made[1], "description": "deux", "focus": "0.5,0.5"}]
    changed = api.put(f"statuses/{post}", status="Look", media_attributes=attributes).json()
    assert [one["description"] for one in changed["media_attachments"]] == ["one", "deux"]
    assert changed["media_attachments"][1]["meta"]["focus"] == {"x": 0.5, "y": 0.5}
    assert changed["edited_at"]
    form = {"status": "Look", "media_attributes[][id]": made[0]}
    assert api.put(f"statuses/{post}", **form).status_code == 200
    other = upload(api).json()["id"]
    refused = api.put(f"statuses/{post}", media_attributes=[{"id": other, "description": "x"}])
    assert refused.status_code == 422
    assert api.put(f"statuses/{post}", media_ids=[other]).status_code == 422
    assert Picture.objects.get(pk=made[1]).alt == "deux"


def test_somebody_elses_picture_is_not_there(alice, bob):
    mine = upload(Api(alice)).json()["id"]
    api = Api(bob)
    assert api.get(f"media/{mine}").status_code == 404
    assert api.put(f"media/{mine}", description="x").status_code == 404
    assert api.delete(f"media/{mine}").status_code == 404
    assert api.post("statuses", media_ids=[mine]).status_code == 422


def test_what_is_taken_back_goes_with_its_files(alice):
    api, before = Api(alice), stored()
    made = upload(api).json()["id"]
    assert api.delete(f"media/{made}").json() == {}
    assert api.delete(f"media/{made}").status_code == 404
    tasks.remove_pictures()
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
def test_what_is_no_good_picture_is_refused(alice, content, sent):
    answer = upload(Api(alice), content, **sent)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert not Picture.objects.exists()


def test_uploads_are_counted_and_need_a_file(alice, settings):
    assert Api(alice).post("media").status_code == 422
    assert Api(alice).post("media", file="x").status_code == 422
    settings.LIMITS = settings.LIMITS | {"upload": "1/h"}
    assert upload(Api(alice)).status_code == 200
    assert upload(Api(alice)).status_code == 429
