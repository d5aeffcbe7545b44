"""Endpoints about posts respond to odd input with a clear error in JSON, never with a server error."""

from itertools import product

import pytest

from tests.actions import publish_post
from tests.api.api_client import Api

ODD_VALUES = (None, "\x00", 10**30, [None], {"a": {"b": []}})
MORE_ODD_VALUES = ("", "x" * 3000, -1, 1.5, True, [], {}, [{}])
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
QUERY_VALUES = ("", "-1", "0", "x", "9" * 19, "9" * 40, "\x00", "٣")
PATHS = [
    "statuses",
    "bookmarks",
    "favourites",
    "followed_tags",
    "conversations",
    "trends/statuses",
    "statuses/{id}/favourited_by",
    "statuses/{id}/context",
]


@pytest.mark.parametrize(
    "values", [ODD_VALUES, pytest.param(MORE_ODD_VALUES, marks=pytest.mark.slow)], ids=len
)
@pytest.mark.parametrize("path", FIELDS)
def test_odd_values_are_accepted_or_rejected(alice, path, values):
    api, post = Api(alice), publish_post(author=alice.pk, text="hello")
    send = api.put if "{id}" in path else api.post
    for field, value in product(FIELDS[path], values):
        response = send(path.format(id=post), **{field: value})
        assert response.status_code in (200, 404, 422), (field, value)
        assert response.status_code == 200 or response.json()["error"]


@pytest.mark.parametrize(
    ("paths", "names", "values"),
    [
        (PATHS[:1], QUERIES[:4], QUERY_VALUES),
        (PATHS[:1], QUERIES[4:], QUERY_VALUES),
        (PATHS[1:], QUERIES[:4], ("x", "9" * 19)),  # they share the code that reads the query
        *(
            pytest.param([path], names, QUERY_VALUES, marks=pytest.mark.slow)
            for path in PATHS[1:]
            for names in (QUERIES[:4], QUERIES[4:])
        ),
    ],
)
def test_odd_queries_are_accepted_or_rejected(alice, paths, names, values):
    api, post = Api(alice), publish_post(author=alice.pk, text="hello")
    for path in paths:
        for name, value in product(names, values):
            response = api.get(path.format(id=post), **{name: value})
            assert response.status_code in (200, 422), (path, name, value)
