"""Every address of the site, requested by everybody, compared with ``table.txt``: what each may do.

A line is an address's name, GET or POST (with an empty body), and an answer for each of ``VIEWERS``. The
address names what belongs to the owner. 422: the viewer may, and has to fill in the form first.

A route without its lines fails. Add the lines that the failure prints, and look at them twice.
"""

from pathlib import Path
from typing import Any

import pytest

from .world import VIEWERS, Site, routes, site

TABLE = Path(__file__).with_name("table.txt")
TO_LOG_IN = "/accounts/login/"
METHODS = ("GET", "POST")
UNCHANGED = ("login", "403", "404", "405", "422")
"""Answers after which the site is as it was."""

ROUTES = routes()


def rows() -> dict[tuple[str, str], list[str]]:
    lines = TABLE.read_text().splitlines()[1:]
    return {(name, method): answers for name, method, *answers in map(str.split, lines)}


ROWS = rows()


def answers_of(filled: Site, name: str, method: str) -> list[str]:
    """The answer to each viewer, all on the same site: what one did is undone for the next."""
    path = filled.path(name, ROUTES[name])
    answers = []
    for viewer in VIEWERS:
        client = filled.client(viewer)
        response = client.get(path) if method == "GET" else client.post(path)
        response.close()
        answers.append(_answer(response))
        if method == "POST" and answers[-1] not in UNCHANGED:
            site.undo_changes()
    return answers


def _answer(response: Any) -> str:
    if response.status_code == 302 and response["Location"].startswith(TO_LOG_IN):
        return "login"
    return str(response.status_code)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ROUTES)
def test_everybody_may_do_what_the_table_says_and_nothing_else(name, method, settings):
    settings.WEB_PUSH_PRIVATE_KEY = ""
    # The users of a restored site logged in when it was built, perhaps long ago.
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 24 * 60 * 60
    answers = answers_of(site.restore(), name, method)
    assert answers == ROWS.get((name, method)), f"{name} {method} {' '.join(answers)}"


def test_every_line_of_the_table_is_of_a_route():
    assert list(ROWS) == sorted((name, method) for name in ROUTES for method in METHODS)


def test_no_answer_is_an_error_of_ours():
    assert not [
        row
        for row, answers in ROWS.items()
        if any(answer >= "500" for answer in answers if answer.isdigit())
    ]
