"""Every endpoint responds to odd input with JSON and without a server error."""

import itertools
import json
import re

import pytest

from notifications.live import stream_requests
from tests.api.api_client import EVERYTHING, Api
from tests.api.test_matrix import endpoints

PATH_VALUES = itertools.cycle(
    (
        "0",
        "9" * 19,
        "9" * 60,
        "-1",
        "%00",
        "%0A",
        "%ED%A0%80",
        "%D9%A3",
        "ungrouped-%D9%A3",
        "%F0%9F%98%80",
    )
)
INPUT_NAMES = (
    "q",
    "id",
    "title",
    "data",
    "home",
    "types",
    "status",
    "context",
    "media_ids",
    "acct",
    "file",
)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
BODIES = itertools.cycle(
    (
        ('{"a":' + "[" * 50_000, JSON),
        (json.dumps({name: {"a": [1, {"b": None}]} for name in INPUT_NAMES}), JSON),
        (json.dumps({name: [[[]]] for name in INPUT_NAMES}), JSON),
        (json.dumps(dict.fromkeys(INPUT_NAMES, "\ud800\0")), JSON),
        (json.dumps(dict.fromkeys(INPUT_NAMES, 10**400)), JSON),
        ("&".join(f"{name}[a][][b]=x&{name}[]=1" for name in INPUT_NAMES), FORM),
        ("a[b][c][d]=1&" * 1500, FORM),
        ("a=1", f"{FORM}; charset=zlib"),
        ("x", "multipart/form-data; boundary=y"),
        ("x", "text/plain"),
    )
)
QUERIES = itertools.cycle(
    ("q=%00&acct=%00", "max_id=NaN", "limit=" + "9" * 30, "max_id=5&q=%FF", "[]=[&]")
)


@pytest.mark.slow
@pytest.mark.urls(stream_requests.URLCONF)
def test_odd_input_never_causes_a_server_error(settings, admin_user):
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    client = Api(admin_user, f"{EVERYTHING} admin:read admin:write")._client
    client.raise_request_exception = False
    for method, address in endpoints():
        path = re.sub(r"<\w+:\w+>", lambda _: next(PATH_VALUES), address)
        sent = [(next(QUERIES), ("", "")), ("", next(BODIES))]
        if method != "GET":
            sent.append(("", next(BODIES)))
        for query, (body, kind) in sent:
            response = client.generic(method, f"{path}?{query}", body, content_type=kind)
            content = response.getvalue()
            assert response.status_code < 500, (method, path, query, body[:100])
            assert response.status_code < 400 or json.loads(content)["error"], (method, path)
