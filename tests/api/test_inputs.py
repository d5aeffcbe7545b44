"""Endpoints accept inputs as form, JSON or query parameters, with or without brackets in names."""

import json
import re
from datetime import timedelta

import pytest
from django.http import QueryDict
from django.test import Client
from rest_framework import serializers

from accounts.infra.ids import time_of
from socialsite.api.plumbing.inputs import TextField, nest_brackets
from tests.api.api_client import Api, link, token_of
from tests.api.test_matrix import endpoints
from tests.api.world import api_site
from tests.database import command_log
from tests.factories import publish

DAY = timedelta(days=1)
GROUPS = 2
ENDPOINTS = {key: rules for key, rules in endpoints().items() if "/streaming" not in key[1]}
READS = [address for method, address in ENDPOINTS if method == "GET"]
WRITES = [key for key in ENDPOINTS if key[0] != "GET"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a=1&a=2", {"a": ["1", "2"]}),
        ("a[]=1&a[]=2", {"a": ["1", "2"]}),
        ("a[][]=1&a[][]=2", {"a": ["1", "2"]}),
        ("a[b]=1&a[c]=2", {"a": {"b": ["1"], "c": ["2"]}}),
        ("a[b][c]=1", {"a": {"b": {"c": ["1"]}}}),
        ("a[][b]=1&a[][b]=2", {"a": [{"b": ["1"]}, {"b": ["2"]}]}),
        ("a[0][b]=1&a[1][b]=2", {"a": {"0": {"b": ["1"]}, "1": {"b": ["2"]}}}),
        ("a[b][]=1", {"a": {"b": ["1"]}}),
        ("a=1&a[b]=2", {"a": ["1"]}),
        ("[a]=1&a]=2&a[b=3", {}),
        ("a[b][c][d][e][f]=1", {}),
    ],
)
def test_brackets_are_read(query, expected):
    assert nest_brackets(QueryDict(query).lists()) == expected


@pytest.mark.parametrize("form", ["json", "form", "multipart", "query"])
def test_all_content_types_are_equal(alice, form):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    data = {"status": "Hello", "visibility": "unlisted"}
    if form == "json":
        content_type = "application/json"
        response = client.post("/api/v1/statuses", json.dumps(data), content_type=content_type)
    elif form == "form":
        content_type = "application/x-www-form-urlencoded"
        data = "status=Hello&visibility=unlisted"
        response = client.post("/api/v1/statuses", data, content_type=content_type)
    elif form == "multipart":
        response = client.post("/api/v1/statuses", data)
    else:
        response = client.post("/api/v1/statuses?status=Hello&visibility=unlisted")
    assert (response.status_code, response.json()["visibility"]) == (200, "unlisted")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("id[]={0}&id[]={1}", ["alice", "bob"]),
        ("id={0}&id={1}", ["alice", "bob"]),
        ("id={1}", ["bob"]),
        ("with_suspended=x&with_suspended=true&id[]={0}", ["alice"]),
    ],
)
def test_repeated_inputs_fill_lists_and_override_single_values(alice, bob, data, expected):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    query = data.format(alice.pk, bob.pk)
    response = client.get(f"/api/v1/accounts/relationships?{query}")
    ids = {"alice": str(alice.pk), "bob": str(bob.pk)}
    assert [relationship["id"] for relationship in response.json()] == [
        ids[name] for name in expected
    ]


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"status": "Hello", "sensitive": "1"}, 200),
        ({"status": "Hello", "sensitive": "perhaps"}, 422),
        ({"status": 5}, 422),
        ({"status": "Hello", "language": 5}, 422),
        ({"status": "Hello", "in_reply_to_id": 5}, 404),
        ({"status": "Hello", "media_ids": [5]}, 422),
        ({"status": "Hello", "in_reply_to_id": True}, 422),
    ],
)
def test_numbers_are_ids_but_not_texts(alice, data, status):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    response = client.post("/api/v1/statuses", json.dumps(data), content_type="application/json")
    assert response.status_code == status


@pytest.mark.parametrize(
    ("keywords", "status"),
    [
        ([{"keyword": "rain"}], 200),
        ({"0": {"keyword": "rain"}}, 200),
        ({"keyword": "rain"}, 422),
        ({}, 422),
        ("rain", 422),
    ],
)
def test_lists_of_objects_may_have_numeric_keys(alice, keywords, status):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    data = {"title": "Weather", "context": ["home"], "keywords_attributes": keywords}
    response = client.post("/api/v2/filters", json.dumps(data), content_type="application/json")
    assert response.status_code == status
    if status == 200:
        assert [keyword["keyword"] for keyword in response.json()["keywords"]] == ["rain"]


@pytest.mark.parametrize(
    ("content_type", "data", "status"),
    [
        ("application/json", '{"context": "home", "title": "Weather"}', 422),
        ("application/json", '{"context": {"0": "home"}, "title": "Weather"}', 422),
        ("application/x-www-form-urlencoded", "context=home&title=Weather", 200),
    ],
)
def test_a_single_value_is_a_list_in_forms_only(alice, content_type, data, status):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    assert client.post("/api/v2/filters", data, content_type=content_type).status_code == status


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        ("{", "application/json", 400),
        ("[1]", "application/json", 422),
        ('"text"', "application/json", 422),
        ("null", "application/json", 422),
        ("{}", "text/csv", 415),
        ("x", "multipart/form-data", 400),
    ],
)
def test_unreadable_bodies_are_refused(alice, body, content_type, status):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    response = client.post("/api/v1/statuses", body, content_type=content_type)
    assert (response.status_code, bool(response.json()["error"])) == (status, True)


@pytest.mark.parametrize("cursor", ["abc", "-1", "1.5", "9" * 30, "٣", "1 2"])
def test_invalid_cursors_are_refused(alice, cursor):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    assert client.get("/api/v1/timelines/home", {"max_id": cursor}).status_code == 422


@pytest.mark.parametrize("cursor", ["", "0", "9" * 19])
def test_cursors_beyond_all_ids_are_accepted(alice, cursor):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    for name in ("max_id", "min_id", "since_id"):
        assert client.get("/api/v1/timelines/home", {name: cursor}).status_code == 200


@pytest.mark.parametrize(("limit", "status"), [("-1", 422), ("x", 422), ("999", 200)])
def test_limits_are_bounded(alice, limit, status):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    assert client.get("/api/v1/timelines/home", {"limit": limit}).status_code == status


def test_every_limit_has_a_maximum():
    data = {"limit": "1000000", "q": "x", "url": "https://example.org", "acct": "x", "tag": "x"}
    limits = []
    for rules in endpoints().values():
        checked = rules.inputs(data=data)
        if "limit" in checked.fields and checked.is_valid():
            limits.append(checked.validated_data["limit"])
    assert len(limits) > 25
    assert (
        max(limits) <= 1000
    )  # unread notifications have the highest limit, because they are only counted


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "statuses", r'{"status":"Hi","visibility":"\ud83d"}'),
        ("post", "statuses", r'{"status":"Hi","language":"\udc00"}'),
        ("post", "statuses", r'{"status":"half a smile \ud83d"}'),
        ("post", "lists", r'{"title":"\uD83D x"}'),
        ("post", "reports", r'{"account_id":"1","category":"\ud83d"}'),
        ("post", "apps", r'{"client_name":"\ud83d","redirect_uris":"urn:ietf:wg:oauth:2.0:oob"}'),
        ("patch", "accounts/update_credentials", r'{"source":{"privacy":"\ud83d"}}'),
        ("post", "filters", r'{"phrase":"x","context":["\ud83d"]}'),
    ],
)
def test_lone_surrogates_are_refused(alice, method, path, body):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    response = client.generic(method.upper(), f"/api/v1/{path}", body, "application/json")
    assert response.status_code == 400
    assert "an incomplete character" in response.json()["error"]


def test_surrogate_pairs_are_decoded(alice):
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})
    body = r'{"status":"a smile \ud83d\ude00 and a backslash \\ud83d"}'
    response = client.post("/api/v1/statuses", body, content_type="application/json")
    assert response.status_code == 200
    assert "a smile \U0001f600 and a backslash \\ud83d" in response.json()["content"]


MAY_BE_EMPTY = {
    *("status", "spoiler_text", "poll.options", "description", "media_attributes.description"),
    *("display_name", "note", "fields_attributes.name", "fields_attributes.value"),
    *("comment", "text", "keywords_attributes.keyword"),
}
"""Texts of writes that are optional, or required only without another input."""


def text_fields(inputs, prefix=""):
    """Return the text fields of a serializer by dotted name, with the serializer of each field."""
    for name, field in inputs.fields.items():
        field = field.child if isinstance(field, serializers.ListField) else field
        if isinstance(field, TextField):
            yield prefix + name, name, inputs
        elif isinstance(field, serializers.Serializer):
            yield from text_fields(field, f"{prefix}{name}.")


@pytest.mark.parametrize("text", ["", "  ", "\u3164", "\u200b\u2060", "\u2067\u2069", "\u2800\n"])
def test_invisible_texts_are_refused_by_all_endpoints(text):
    names, accepted = set(), []
    for key in WRITES:
        for path, name, inputs in text_fields(ENDPOINTS[key].inputs()):
            names.add(path)
            checked = type(inputs)(data={name: text})
            checked.is_valid()
            codes = [error.code for error in checked.errors.get(name, ())]
            if path not in MAY_BE_EMPTY and codes != ["blank"]:
                accepted.append((*key, path))
    assert accepted == []
    assert names == MAY_BE_EMPTY | {"title", "phrase", "keyword", "client_name", "name"}


@pytest.mark.parametrize("text", ["", "  ", "\u3164"])
def test_invisible_texts_are_refused_where_nothing_else_was_sent(alice, text):
    word_filter = Api(alice).post("/api/v2/filters", title="A", context=["home"]).json()["id"]
    keyword = Api(alice).post(f"/api/v2/filters/{word_filter}/keywords", keyword="rain").json()
    keywords = f"/api/v2/filters/{word_filter}"
    responses = [
        Api(alice).post("statuses", status=text),
        Api(alice).post("statuses", status="?", poll={"options": ["a", text], "expires_in": 900}),
        Api(alice).patch(
            "accounts/update_credentials", fields_attributes=[{"name": text, "value": "a"}]
        ),
        Api(alice).put(keywords, keywords_attributes=[{"keyword": text}]),
        Api(alice).put(keywords, keywords_attributes=[{"id": keyword["id"], "keyword": text}]),
    ]
    assert [response.status_code for response in responses] == [422] * 5


def inputs_of(rules):
    return rules.inputs().fields


def answer(response):
    """Return the status and the content of a JSON response."""
    assert response["Content-Type"].startswith("application/json"), response["Content-Type"]
    return response.status_code, response.json()


@pytest.mark.parametrize("group", range(GROUPS))
def test_empty_values_in_a_query_are_values_that_were_not_sent(group, settings):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    site = api_site.restore()
    differences = []
    with command_log.uncounted():
        for address in READS[group::GROUPS]:
            fields = inputs_of(ENDPOINTS["GET", address])
            path = site.path(address)
            api = Client(headers={"Authorization": f"Bearer {site.tokens['moderator']}"})
            expected = answer(api.get(path))
            empty = "&".join(f"{name}=&{name}[]=" for name in fields)
            accept = {"Accept": "text/html, text/plain;q=0.5"}
            answers = [answer(api.get(f"{path}?{empty}")), answer(api.get(path, headers=accept))]
            if answers != [expected, expected]:
                differences.append(address)
            if "limit" in fields and isinstance(expected[1], list):
                members = site.values["list_id"]  # with 0, the accounts of a list are not limited
                rows = answer(api.get(path, {"limit": 0}))[1]
                if rows and path != f"/api/v1/lists/{members}/accounts":
                    differences.append(f"{address} limit=0")
    assert differences == []


@pytest.mark.parametrize("group", range(GROUPS))
def test_null_is_a_value_that_was_not_sent(group, settings):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    site = api_site.restore()
    differences = []
    with command_log.uncounted():
        for method, address in WRITES[group::GROUPS]:
            fields = inputs_of(ENDPOINTS[method, address])
            statuses = []
            for body in (
                {},
                {name: None for name, field in fields.items() if not field.allow_null},
            ):
                api = Client(headers={"Authorization": f"Bearer {site.tokens['moderator']}"})
                data = json.dumps(body)
                response = api.generic(method, site.path(address), data, "application/json")
                statuses.append(
                    (response.status_code, response.content if response.status_code >= 400 else b"")
                )
                api_site.undo_changes()
            if statuses[0] != statuses[1]:
                differences.append((method, address, statuses))
    assert differences == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("max_id={before}", []),
        ("max_id={after}", ["second", "first"]),
        ("min_id={before}&limit=1", ["first"]),
        ("since_id={after}", []),
    ],
)
def test_ids_that_apps_calculate_from_a_date_are_cursors(alice, query, expected):
    first, second = publish(alice, "first"), publish(alice, "second")
    moments = {"before": time_of(id=first) - DAY, "after": time_of(id=second) + DAY}
    ids = {name: int(at.timestamp() * 1000) << 16 for name, at in moments.items()}
    statuses = Api(alice).get(f"/api/v1/timelines/public?{query.format(**ids)}").json()
    assert [re.sub("<.*?>", "", status["content"]) for status in statuses] == expected


def test_first_pages_link_to_newer_rows(settings):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    site = api_site.restore()
    lists = [address for address in READS if "min_id" in inputs_of(ENDPOINTS["GET", address])]
    without_link = []
    with command_log.uncounted():
        for address in lists:
            response = site.api("owner").get(site.path(address))
            rows = response.json() if response.status_code == 200 else []
            if isinstance(rows, list) and rows and not link(response, "prev"):
                without_link.append(address)
    assert len(lists) > 20
    assert without_link == []
