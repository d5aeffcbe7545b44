"""Every endpoint of the API, called with every kind of token, compared with ``matrix.txt``.

A line is a method and an address, and an answer for each of ``CALLERS``. The address names what belongs to
alice (her posts are for her followers). 422: the caller may, and has to say more.

An endpoint without its line fails. Add the line that the failure prints, and look at it twice.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.infra.api.endpoints import Caller, EndpointRules
from accounts.infra.api.scopes import has_scope
from tests.api.world import NARROW_SCOPES, ApiSite, api_site

CALLERS = ("nobody", "other scope", "closed", "stranger", "owner", "moderator")
TABLE = Path(__file__).with_name("matrix.txt")
STREAMS = "/api/v1/streaming/"  # they do not end; ``test_streaming`` asks them


def endpoints() -> dict[tuple[str, str], EndpointRules]:
    """By method and address."""
    found = {}
    for address, view in _views(get_resolver(), "/"):
        for method, rules in getattr(getattr(view, "cls", None), "rules", {}).items():
            found[method.upper(), address] = rules
    return dict(sorted(found.items(), key=lambda one: (one[0][1], one[0][0])))


def _views(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, Any]]:
    for one in resolver.url_patterns:
        address = prefix + str(one.pattern)
        if isinstance(one, URLPattern):
            yield address, one.callback
        else:
            yield from _views(one, address)


ENDPOINTS = endpoints()


def rows() -> dict[tuple[str, str], list[str]]:
    lines = TABLE.read_text().splitlines()[1:]
    return {(parts[0], parts[1]): parts[2:] for parts in map(str.split, lines)}


ROWS = rows()


def scope_beside(rules: EndpointRules) -> str:
    """A scope that does not let its caller in here."""
    for scope in NARROW_SCOPES:
        if not any(has_scope(granted=[scope], required=wanted) for wanted in rules.scopes):
            return scope
    raise AssertionError(rules)


def answers(filled: ApiSite, method: str, address: str) -> list[str]:
    """The answer to each caller, all on the same site: what one did is undone for the next."""
    path = filled.path(address)
    callers = {"other scope": scope_beside(ENDPOINTS[method, address])}
    statuses = []
    for caller in CALLERS:
        response = filled.api(callers.get(caller, caller)).call(method, path)
        response.close()
        statuses.append(str(response.status_code))
        if method != "GET" and response.status_code < 400:
            api_site.undo_changes()
    return statuses


@pytest.mark.parametrize(
    ("method", "address"), [row for row in ENDPOINTS if not row[1].startswith(STREAMS)]
)
def test_every_token_may_do_what_the_table_says_and_nothing_else(method, address, settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, "")
    statuses = answers(api_site.restore(), method, address)
    assert statuses == ROWS.get((method, address)), f"{method} {address} {' '.join(statuses)}"


def test_every_line_of_the_table_is_of_an_endpoint():
    assert list(ROWS) == [row for row in ENDPOINTS if not row[1].startswith(STREAMS)]


def test_the_table_lets_nobody_in_who_should_stay_out():
    assert len(ROWS) > 100
    for row, (nobody, other, closed, *others) in ROWS.items():
        rules = ENDPOINTS[row]
        assert closed == "403", row
        assert (nobody == "401") is (rules.caller is not Caller.ANYONE), row
        assert other == "403" or not rules.scopes, row
        assert not any(answer >= "500" for answer in (nobody, other, *others)), row


def test_each_address_is_written_in_words_that_clients_know():
    assert all(
        re.match(r"/(api/v[12]|oauth)/[a-z0-9_/<>:]+$", address) for _method, address in ENDPOINTS
    )
