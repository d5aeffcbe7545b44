"""The way of a person who lets an app in: log in on the page, allow it, copy the code."""

import re

import requests

from tests.factories import PASSWORD

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?')
CODE = re.compile(r'<code[^>]* id="code">([^<]+)</code>')


def code_for(*, username: str, authorize_url: str, site: str) -> str:
    """The code that the page shows for ``urn:ietf:wg:oauth:2.0:oob``."""
    with requests.Session() as session:
        login = session.get(f"{site}/accounts/login/", timeout=10)
        sent = {"login": username, "password": PASSWORD, "csrfmiddlewaretoken": _csrf(login)}
        answer = session.post(f"{site}/accounts/login/", sent, timeout=10)
        assert answer.ok
        page = session.get(authorize_url, timeout=10)
        assert page.ok, page.text
        fields = dict(HIDDEN.findall(page.text))
        allowed = session.post(
            authorize_url, {**fields, "allow": "yes"}, headers={"Referer": site}, timeout=10
        )
        match = CODE.search(allowed.text)
        assert match, allowed.text
        return match[1]


def _csrf(answer: requests.Response) -> str:
    match = TOKEN.search(answer.text)
    assert match, answer.text
    return match[1]
