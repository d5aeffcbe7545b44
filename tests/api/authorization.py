"""Authorize an app as a user would: log in on the site, allow the app and copy the code."""

import re

import requests

from tests.factories import PASSWORD

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?')
CODE = re.compile(r'<code[^>]* id="code">([^<]+)</code>')


def code_for(*, username: str, authorize_url: str, site: str) -> str:
    """Open ``authorize_url`` as this user and allow the app. Return the code that the page shows."""
    with requests.Session() as session:
        login = session.get(f"{site}/accounts/login/", timeout=10)
        credentials = {"login": username, "password": PASSWORD, "csrfmiddlewaretoken": _csrf(login)}
        response = session.post(f"{site}/accounts/login/", credentials, timeout=10)
        assert response.ok
        page = session.get(authorize_url, timeout=10)
        assert page.ok, page.text
        fields = dict(HIDDEN.findall(page.text))
        result = session.post(
            authorize_url, {**fields, "allow": "yes"}, headers={"Referer": site}, timeout=10
        )
        match = CODE.search(result.text)
        assert match, result.text
        return match[1]


def _csrf(response: requests.Response) -> str:
    match = TOKEN.search(response.text)
    assert match, response.text
    return match[1]
