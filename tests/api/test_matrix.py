"""Every endpoint of the API, asked with every kind of token, compared with ``matrix.txt``.

A line is a method and an address, and an answer for each of ``CALLERS``. What is in the address is alice's
(her posts are for her followers). 422: one may, and has to say more. An endpoint without its line fails:
write them with ``WRITE_API_MATRIX=1``, and look at them twice.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from accounts.api.endpoints import Rules, Who
from accounts.oauth.scopes import includes
from tests.api.calling import EVERYTHING, Api
from tests.api.world import ApiWorld

CALLERS = ("nobody", "other scope", "closed", "stranger", "owner", "moderator")
TABLE = Path(__file__).with_name("matrix.txt")
ALL = f"{EVERYTHING} admin:read admin:write"
STREAMS = "/api/v1/streaming/"  # they do not end; ``test_streaming`` asks them


def endpoints() -> dict[tuple[str, str], Rules]:
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


def rows() -> dict[tuple[str, str], list[str]]:
    lines = TABLE.read_text().splitlines()[1:] if TABLE.exists() else []
    return {(parts[0], parts[1]): parts[2:] for parts in map(str.split, lines)}


def scope_beside(rules: Rules) -> str:
    """One that does not let in here."""
    for one in ("push", "profile", "read:blocks", "admin:write"):
        if not any(includes(given=[one], wanted=wanted) for wanted in rules.scopes):
            return one
    raise AssertionError(rules)


def answers(world: ApiWorld, method: str, address: str, rules: Rules) -> list[str]:
    found = []
    for caller in CALLERS:
        path = world.filled(address)
        response = _api(world, caller, rules).call(method, path)
        response.close()
        found.append(str(response.status_code))
    return found


def _api(world: ApiWorld, caller: str, rules: Rules) -> Api:
    if caller == "nobody":
        return Api()
    if caller == "other scope":
        return Api(world.owner, scope_beside(rules))
    people = {
        "closed": lambda: world.closed,
        "stranger": world.stranger,
        "owner": lambda: world.owner,
        "moderator": world.moderator,
    }
    return Api(people[caller](), ALL)


def test_every_token_may_do_what_the_table_says_and_nothing_else(settings):
    settings.LIMITS = dict.fromkeys(settings.LIMITS, "")
    world, expected = ApiWorld(), rows()
    seen = {
        row: answers(world, *row, rules)
        for row, rules in endpoints().items()
        if not row[1].startswith(STREAMS)
    }
    if os.environ.get("WRITE_API_MATRIX"):
        _write(seen)
        expected = rows()
    assert seen == expected


def test_the_table_lets_nobody_in_who_should_stay_out():
    rules = endpoints()
    assert len(rows()) > 100
    for row, (nobody, other, closed, *others) in rows().items():
        one = rules[row]
        assert closed == "403", row
        assert (nobody == "401") is (one.who is not Who.ANYBODY), row
        assert other == "403" or not one.scopes, row
        assert not any(answer >= "500" for answer in (nobody, other, *others)), row


def _write(found: dict[tuple[str, str], list[str]]) -> None:
    lines = [("", "", *(one.replace(" ", "_") for one in CALLERS))]
    lines += [(*row, *answers) for row, answers in found.items()]
    widths = (7, 62, *(12 for _ in CALLERS))
    TABLE.write_text(
        "".join(
            " ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            + "\n"
            for line in lines
        )
    )


def test_each_address_is_written_in_words_that_clients_know():
    assert all(
        re.match(r"/(api/v[12]|oauth)/[a-z0-9_/<>:]+$", address) for _method, address in endpoints()
    )
