"""Edit the pictures of a post through the API, and read its earlier versions."""

import pytest

from feed import tasks
from feed.models import Picture
from tests.api.api_client import Api
from tests.api.test_media import upload
from tests.factories import publish
from tests.feed.picture_uploads import stored


@pytest.fixture
def api(alice):
    return Api(alice)


@pytest.fixture
def media_ids(api):
    return [upload(api, description=alt).json()["id"] for alt in ("one", "two", "three")]


def shown(status):
    return [media["id"] for media in status["media_attachments"]]


def test_media_ids_are_the_pictures_in_order(api, media_ids):
    first, second, third = media_ids
    before = stored()
    status = api.post("statuses", status="Look", media_ids=[first, second]).json()
    path = f"statuses/{status['id']}"
    attributes = [{"id": third, "description": "drei"}, {"id": first, "description": "eins"}]
    changed = api.put(
        path, status="Look", media_ids=[third, first], media_attributes=attributes
    ).json()
    assert shown(changed) == [third, first]
    assert [media["description"] for media in changed["media_attachments"]] == ["drei", "eins"]
    assert changed["edited_at"]
    assert shown(api.get(path).json()) == [third, first]
    tasks.clean_up_pictures()
    assert len(stored()) == len(before) - 2
    assert not Picture.objects.filter(pk=second).exists()
    assert api.get(f"media/{third}").status_code == 404, "published pictures are not found"


def test_missing_media_ids_change_nothing_and_an_empty_list_removes_all(api, media_ids):
    status = api.post("statuses", status="Look", media_ids=media_ids).json()
    path = f"statuses/{status['id']}"
    for data in ({}, {"media_ids": None}, {"media_ids": media_ids}):
        assert shown(api.put(path, status="changed", **data).json()) == media_ids
    form = {"status": "form", "media_ids[]": media_ids[:1]}
    assert shown(api.form(path, form, method="put").json()) == media_ids[:1]
    refused = api.put(path, status="", media_ids=[])
    assert refused.status_code == 422
    assert shown(api.put(path, status="no pictures", media_ids=[]).json()) == []


def test_bad_media_ids_are_refused(api, bob, media_ids):
    foreign = upload(Api(bob)).json()["id"]
    status = api.post("statuses", status="Look", media_ids=media_ids[:1]).json()
    other = api.post("statuses", status="Other", media_ids=media_ids[1:2]).json()
    path = f"statuses/{status['id']}"
    extra = [upload(api).json()["id"] for _ in range(4)]
    for bad in ([foreign], [shown(other)[0]], ["7"], ["x"], [*media_ids[:1], *extra]):
        response = api.put(path, status="Look", media_ids=bad)
        assert response.status_code == 422
        assert response.json()["error"]
    described = [{"id": media_ids[2], "description": "no"}]
    assert api.put(path, status="x", media_attributes=described).status_code == 422
    assert shown(api.get(path).json()) == media_ids[:1]
    assert Api(bob).put(path, status="x", media_ids=[]).status_code == 404
    text_post = publish(bob, "no pictures")
    assert Api(bob).put(f"statuses/{text_post}", status="none", media_ids=[]).status_code == 200


def test_the_history_has_the_media_of_each_version(api, media_ids):
    first, second, third = media_ids
    status = api.post("statuses", status="Look", media_ids=[first, second]).json()
    path = f"statuses/{status['id']}"
    described = [{"id": first, "description": "eins"}]
    api.put(path, status="Look", media_ids=[first, third], media_attributes=described)
    old, new = api.get(f"{path}/history").json()
    assert [(media["id"], media["description"]) for media in new["media_attachments"]] == [
        (first, "eins"),
        (third, "three"),
    ]
    shown_picture, removed = old["media_attachments"]
    assert (shown_picture["id"], shown_picture["type"], shown_picture["description"]) == (
        first,
        "image",
        "one",
    )
    assert shown_picture["preview_url"]
    assert (removed["id"], removed["type"], removed["description"]) == (second, "unknown", "two")
    assert removed["preview_url"] is None
    assert removed["url"] == f"http://testserver/@alice/{status['id']}/history/"
    assert api.get(f"{path}/source").json()["text"] == "Look"
