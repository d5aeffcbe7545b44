"""Endpoints about posts respond to odd input with a clear error in JSON, never with a server error."""

import pytest

from feed.services.posts import publish_post
from tests.api.api_client import Api

ODD_VALUES = (
    None,
    "",
    "\x00",
    "x" * 3000,
    -1,
    10**30,
    1.5,
    True,
    [],
    [None],
    {},
    {"a": {"b": []}},
    [{}],
)
FIELDS = {
    "statuses": ("status", "spoiler_text", "media_ids", "in_reply_to_id", "visibility", "poll"),
    "statuses/{id}": ("status", "media_attributes", "media_ids", "sensitive"),
    "media": ("file", "description", "focus"),
    "lists": ("title", "replies_policy", "exclusive"),
    "/api/v2/filters": ("title", "context", "expires_in", "keywords_attributes"),
    "filters": ("phrase", "context", "irreversible"),
    "featured_tags": ("name",),
}
QUERIES = ("limit", "max_id", "min_id", "since_id", "id[]", "offset", "id[0][a]", "url")
LISTS = ("statuses", "bookmarks", "favourites", "followed_tags", "conversations", "trends/statuses")


@pytest.mark.parametrize(
    ("path", "field"), [(path, field) for path, fields in FIELDS.items() for field in fields]
)
def test_odd_values_are_accepted_or_rejected(alice, path, field):
    api, post = Api(alice), publish_post(author=alice.pk, text="hello")
    send = api.put if "{id}" in path else api.post
    for value in ODD_VALUES:
        response = send(path.format(id=post), **{field: value})
        assert response.status_code in (200, 404, 422), (field, value)
        assert response.status_code == 200 or response.json()["error"]


@pytest.mark.parametrize("names", [QUERIES[:4], QUERIES[4:]], ids=["pages", "others"])
@pytest.mark.parametrize("path", [*LISTS, "statuses/{id}/favourited_by", "statuses/{id}/context"])
def test_odd_queries_are_accepted_or_rejected(alice, path, names):
    api, post = Api(alice), publish_post(author=alice.pk, text="hello")
    for name in names:
        for value in ("", "-1", "0", "x", "9" * 19, "9" * 40, "\x00", "٣"):
            response = api.get(path.format(id=post), **{name: value})
            assert response.status_code in (200, 422), (name, value)
