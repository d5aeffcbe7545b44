"""Wrapped templates give the same HTML as unwrapped ones."""

import pytest
from jinja2 import DictLoader

from socialsite.jinja import environment


def render(source: str) -> str:
    env = environment(loader=DictLoader({"page.html": source}), autoescape=True)
    return env.get_template("page.html").render()


@pytest.mark.parametrize(
    ("source", "html"),
    [
        (
            '<a href="/"\n   rel="prev\n        nofollow">x</a>',
            '<a href="/" rel="prev nofollow">x</a>',
        ),
        ('<a title="{{ "1 > 0" }}"\n   lang="en">x</a>', '<a title="1 &gt; 0" lang="en">x</a>'),
        (
            "<a{% if 2 > 1 %}\n   id='>'{% endif %}\n   href=\"/\"\n   hidden>x</a>",
            "<a id='>' href=\"/\" hidden>x</a>",
        ),
    ],
)
def test_line_breaks_in_a_tag_become_one_space(source, html):
    assert render(source) == html


def test_line_breaks_between_tags_stay_without_indentation():
    assert render("<b>1</b>\n    <i>2</i>") == "<b>1</b>\n <i>2</i>"


def test_a_backslash_joins_lines():
    source = "<li>\\\n  <b>1</b> \\\n  {% if true %}\\\n    <i>2</i>\\\n  {% endif %}\\\n</li>"
    assert render(source) == "<li><b>1</b> <i>2</i></li>"


def test_lines_are_joined_when_texts_are_collected():
    # Babel gives no name to the template.
    assert environment().preprocess("One \\\n  text") == "One text"
