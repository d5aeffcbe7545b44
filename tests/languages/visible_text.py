"""The texts of a page that people see or hear."""

import json
import re
from html.parser import HTMLParser

SPOKEN_ATTRIBUTES = frozenset(
    {"alt", "aria-label", "aria-description", "placeholder", "title", "label", "data-busy-label"}
)
HIDDEN_TAGS = frozenset({"script", "style", "svg", "template", "code", "pre"})
SENTENCE_FAULTS = re.compile(
    r"(?<!\.)\.\.(?!\.)|\S\u00b7|\u00b7\S|(?<=\w) [.,](?= |$)|[,:;] ?[.,;]|(?<=[a-z]{2})[.!?][A-Z][a-z]"
)
"""Doubled and lacking characters where parts of a sentence meet."""

VOID_TAGS = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr", "source", "use", "path"})
BUTTON_TYPES = frozenset({"submit", "button", "reset"})

# Elements within a sentence. Their text belongs to the text around them.
INLINE_TAGS = frozenset({"a", "bdi", "b", "strong", "em", "i", "kbd", "time", "abbr"})


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in INLINE_TAGS:
            self.flush()
        if "data-saved-at" in values:
            self._parts.append("1:15")  # the service worker inserts the time
        if tag in HIDDEN_TAGS or (self._hidden and tag not in VOID_TAGS):
            self._hidden.append(tag)
        if self._hidden:
            return
        self.texts += [values[name] for name in SPOKEN_ATTRIBUTES & values.keys()]
        if tag == "input" and values.get("type") in BUTTON_TYPES:
            self.texts.append(values.get("value", ""))
        if tag == "meta" and values.get("name") == "description":
            self.texts.append(values.get("content", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag not in INLINE_TAGS:
            self.flush()
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._parts.append(data)

    def flush(self) -> None:
        self.texts.append("".join(self._parts))
        self._parts.clear()


def visible_texts(html: str) -> list[str]:
    """Return the texts and the spoken attributes of a page, without repeated white space."""
    parser = _Texts()
    parser.feed(html)
    parser.close()
    parser.flush()
    return [text for text in (re.sub(r"\s+", " ", text).strip() for text in parser.texts) if text]


def json_texts(content: str) -> list[str]:
    """Return the values of JSON that are sentences: the errors of the API, and the manifest."""
    value = json.loads(content)
    fields = value.values() if isinstance(value, dict) else []
    return [field for field in fields if isinstance(field, str) and " " in field]


def sentence_faults(text: str) -> list[str]:
    """Return the places in a text where a character is doubled or lacks."""
    return SENTENCE_FAULTS.findall(text)
