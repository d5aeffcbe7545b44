"""What tests read off pages: their words, and the forms that people send from them."""

import re
from html import unescape


def words(html):
    """What is left for the eye, roughly: no tags, single blanks."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def forms(html, action):
    """The hidden fields of each form that is sent to this address."""
    result = re.findall(rf'<form[^>]* action="{re.escape(action)}".*?</form>', html, re.DOTALL)
    field = r'<input type="hidden" name="(\w+)" value="([^"]*)"'
    return [{name: unescape(value) for name, value in re.findall(field, form)} for form in result]


def send(client, html, action):
    """Press the button of the first such form; the answer."""
    return client.post(action, forms(html, action)[0])
