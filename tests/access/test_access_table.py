"""Every address of the site, asked by everybody, compared with ``table.txt``: what each may do.

A line is an address's name, GET or POST (with nothing in it), and an answer for each of ``VIEWERS``. What
is in the address is the owner's. 422: one may, and has to fill in the form first. A route without its lines
fails: add them, and look at them twice.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from .world import VIEWERS, World, routes

TABLE = Path(__file__).with_name("table.txt")
TO_LOG_IN = "/accounts/login/"
METHODS = ("GET", "POST")
NOT_DONE = ("login", "403", "404", "405", "422")


def rows() -> dict[tuple[str, str], list[str]]:
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    found = {}
    for line in lines[1:]:
        name, method, *answers = line.split()
        found[name, method] = answers
    return found


def answers_of(world: World, name: str, takes: tuple[str, ...], method: str) -> list[str]:
    """By everybody, one after the other. After something was done, it is made anew for the next."""
    answers, path = [], ""
    for viewer in VIEWERS:
        path = path or world.path(name, takes)
        client = world.client(viewer)
        response = client.get(path) if method == "GET" else client.post(path)
        response.close()
        answers.append(_said(response))
        if method == "POST" and answers[-1] not in NOT_DONE:
            world.forget(viewer)
            path = ""
    return answers


def _said(response: Any) -> str:
    if response.status_code == 302 and response["Location"].startswith(TO_LOG_IN):
        return "login"
    return str(response.status_code)


@pytest.mark.parametrize("method", METHODS)
def test_everybody_may_do_what_the_table_says_and_nothing_else(method, settings):
    settings.WEB_PUSH_PRIVATE_KEY = ""
    world, expected = World(), rows()
    seen = {
        (name, method): answers_of(world, name, takes, method) for name, takes in routes().items()
    }
    if os.environ.get("WRITE_ACCESS_TABLE"):
        _write(expected | seen)
        expected = rows()
    assert seen == {row: answers for row, answers in expected.items() if row[1] == method}


def test_no_answer_is_an_error_of_ours():
    assert not [
        row
        for row, answers in rows().items()
        if any(one >= "500" for one in answers if one.isdigit())
    ]


def _write(found: dict[tuple[str, str], list[str]]) -> None:
    widths = (34, 6, *(15 for _ in VIEWERS))
    lines = [("route", "", *VIEWERS), *((*row, *answers) for row, answers in sorted(found.items()))]
    TABLE.write_text(
        "".join(
            " ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            + "\n"
            for line in lines
        )
    )
