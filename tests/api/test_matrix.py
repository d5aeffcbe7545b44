"""Call every API endpoint with every kind of token and compare the status codes with ``matrix.txt``.

Each line contains a method, a URL and a status code for each of ``CALLERS``. Objects in the URL belong to
alice. Her posts are visible to followers. Requests have no inputs, so 422 means that the caller is allowed.

The test fails for an endpoint without a line and prints the missing line. Check every code of that line
and add it to the table.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from notifications.live import stream_requests
from socialsite.api.plumbing.endpoints import Caller, EndpointRules
from socialsite.api.plumbing.scopes import has_scope
from tests.api.world import NARROW_SCOPES, ApiSite, api_site
from tests.database import command_log

CALLERS = ("nobody", "other scope", "closed", "stranger", "owner", "moderator")
GROUPS = 6
TABLE = Path(__file__).with_name("matrix.txt")
# The test client does not read the streams, so requests for them end.
pytestmark = pytest.mark.urls(stream_requests.URLCONF)


def endpoints() -> dict[tuple[str, str], EndpointRules]:
    """Return the rules of every endpoint, by (method, URL)."""
    rules_by_endpoint = {}
    for address, view in _views(get_resolver(stream_requests.URLCONF), "/"):
        for method, rules in getattr(getattr(view, "cls", None), "rules", {}).items():
            rules_by_endpoint[method.upper(), address] = rules
    return dict(sorted(rules_by_endpoint.items(), key=lambda pair: (pair[0][1], pair[0][0])))


def _views(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, Any]]:
    for pattern in resolver.url_patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield address, pattern.callback
        else:
            yield from _views(pattern, address)


ENDPOINTS = endpoints()


def rows() -> dict[tuple[str, str], list[str]]:
    lines = TABLE.read_text().splitlines()[1:]
    return {(parts[0], parts[1]): parts[2:] for parts in map(str.split, lines)}


ROWS = rows()


def insufficient_scope(rules: EndpointRules) -> str:
    """Return a scope that the endpoint does not accept."""
    for scope in NARROW_SCOPES:
        if not any(has_scope(granted=[scope], required=wanted) for wanted in rules.scopes):
            return scope
    raise AssertionError(rules)


def statuses_of(filled: ApiSite, method: str, address: str) -> list[str]:
    """Return the status code for each caller. Undo the changes of each request before the next request."""
    path = filled.path(address)
    callers = {"other scope": insufficient_scope(ENDPOINTS[method, address])}
    statuses = []
    for caller in CALLERS:
        response = filled.api(callers.get(caller, caller)).call(method, path)
        response.close()
        statuses.append(str(response.status_code))
        api_site.undo_changes()
    return statuses


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_endpoint_returns_the_status_codes_in_the_table(group, settings):
    """Call the endpoints of one group on one restored site, because restoring it costs more than a call."""
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "")
    filled = api_site.restore()
    wrong_lines = []
    with command_log.uncounted():
        for method, address in list(ENDPOINTS)[group::GROUPS]:
            statuses = statuses_of(filled, method, address)
            if statuses != ROWS.get((method, address)):
                wrong_lines.append(f"{method} {address} {' '.join(statuses)}")
    assert wrong_lines == []


def test_the_table_lists_every_endpoint_and_no_other():
    assert list(ROWS) == list(ENDPOINTS)


def test_the_table_refuses_unauthorized_callers():
    assert len(ROWS) > 100
    for endpoint, (nobody, other, closed, *others) in ROWS.items():
        rules = ENDPOINTS[endpoint]
        assert closed == "403", endpoint
        assert (nobody == "401") is (rules.caller is not Caller.ANYONE), endpoint
        assert other == "403" or not rules.scopes, endpoint
        assert not any(status >= "500" for status in (nobody, other, *others)), endpoint


def test_urls_use_lower_case_names():
    assert all(
        re.match(r"/(api|api/v[12]|oauth)/[a-z0-9_/<>:]+$", address)
        for _method, address in ENDPOINTS
    )
