"""Request every route of the site as every viewer and compare the responses with ``table.txt``.

Each line of the table contains a route's name, a method and the response to each of ``VIEWERS``. POST
requests have an empty body, so 422 means that the viewer is allowed to submit the form. Every path names
an object of the owner.

The test fails for a route that is missing in the table and prints the missing line. Review that line and
add it to the table.

Viewers whom a route cannot tell apart are requested once: users without a role in the admin, followers and
strangers where the URL names nobody, and moderators and administrators outside the admin.
"""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.database import command_log

from .world import VIEWERS, Site, routes, site

TABLE = Path(__file__).with_name("table.txt")
TO_LOG_IN = "/accounts/login/"
METHODS = ("GET", "POST")
GROUPS = 12

ROUTES = routes()


def rows() -> dict[tuple[str, str], list[str]]:
    lines = TABLE.read_text().splitlines()[1:]
    return {(name, method): answers for name, method, *answers in map(str.split, lines)}


ROWS = rows()


def response_in_table(name: str, method: str, viewer: str) -> str:
    return ROWS[name, method][VIEWERS.index(viewer)]


def equal_viewer(name: str, viewer: str) -> str:
    """Return a viewer whom this route cannot tell from ``viewer``, or ``viewer`` itself."""
    if name.startswith("admin:"):
        return "stranger" if viewer in ("follower", "owner") else viewer
    if viewer == "administrator":
        return "moderator"
    return "stranger" if viewer == "follower" and not ROUTES[name] else viewer


def responses_of(filled: Site, name: str, method: str) -> list[str]:
    """Return the response to each viewer. Undo the changes of each request before the next request."""
    path = filled.path(name, ROUTES[name])
    answers: dict[str, str] = {}
    for viewer in VIEWERS:
        equal = equal_viewer(name, viewer)
        if equal != viewer:
            answers[viewer] = answers[equal]
        elif answers.get("nobody") == "405" and viewer in ("stranger", "follower", "owner"):
            answers[viewer] = "405"  # refused before the view asks who it is
        else:
            answers[viewer] = _response_to(filled.client(viewer), method, path)
    return list(answers.values())


def _response_to(client: Client, method: str, path: str) -> str:
    response = client.get(path) if method == "GET" else client.post(path)
    response.close()
    site.undo_changes()
    return _response_code(response)


def _response_code(response: Any) -> str:
    if response.status_code == 302 and response["Location"].startswith(TO_LOG_IN):
        return "login"
    return str(response.status_code)


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_viewer_gets_the_response_in_the_table(group, settings):
    """Request the routes of one group on one restored site, because restoring it costs more than a page."""
    settings.WEB_PUSH_PRIVATE_KEY = ""
    # Pages that ask for a recent log-in must accept the sessions of the world, which may be hours old.
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 24 * 60 * 60
    filled = site.restore()
    wrong_lines = []
    with command_log.uncounted():
        for name in list(ROUTES)[group::GROUPS]:
            for method in METHODS:
                answers = responses_of(filled, name, method)
                if answers != ROWS.get((name, method)):
                    wrong_lines.append(f"{name} {method} {' '.join(answers)}")
    assert wrong_lines == []


def test_the_table_lists_every_route_and_no_other():
    assert list(ROWS) == sorted((name, method) for name in ROUTES for method in METHODS)


def test_no_response_is_a_server_error():
    # Beat and workers do not run, so the site is not ready.
    assert not [
        row
        for row, answers in ROWS.items()
        if row != ("health_ready", "GET")
        and any(answer >= "500" for answer in answers if answer.isdigit())
    ]
