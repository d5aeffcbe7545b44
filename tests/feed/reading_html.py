"""Read texts and forms from HTML pages."""

import re
from html import unescape


def words(html):
    """Return the text of the page without tags and with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def forms(html, action):
    """Return the fields of each form, or button of a form, that posts to ``action``."""
    hidden = r'<input type="hidden" name="(\w+)" value="([^"]*)"'
    bodies = re.findall(rf'<form[^>]* action="{re.escape(action)}".*?</form>', html, re.DOTALL)
    result = [dict(re.findall(hidden, body)) for body in bodies]
    for button in re.findall(rf'<button [^>]*formaction="{re.escape(action)}"[^>]*>', html):
        form_id = re.search(r' form="([^"]*)"', button)[1]
        body = re.search(rf'<form id="{form_id}".*?</form>', html, re.DOTALL)[0]
        result.append(dict(re.findall(hidden, body)))
        if named := re.search(r' name="([^"]*)" value="([^"]*)"', button):
            result[-1][named[1]] = named[2]
    return [{name: unescape(value) for name, value in fields.items()} for fields in result]


def send(client, html, action):
    """Submit the first form that posts to ``action`` and return the response."""
    return client.post(action, forms(html, action)[0])
