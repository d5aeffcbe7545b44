"""Read texts and forms from HTML pages."""

import re
from html import unescape


def words(html):
    """Return the text of the page without tags and with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def forms(html, action):
    """Return the hidden fields of each form that posts to ``action``."""
    result = re.findall(rf'<form[^>]* action="{re.escape(action)}".*?</form>', html, re.DOTALL)
    field = r'<input type="hidden" name="(\w+)" value="([^"]*)"'
    return [{name: unescape(value) for name, value in re.findall(field, form)} for form in result]


def send(client, html, action):
    """Submit the first form that posts to ``action`` and return the response."""
    return client.post(action, forms(html, action)[0])
