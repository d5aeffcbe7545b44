"""``make check``: find long lines in templates, and visible text that is not marked for translation.

    python -m tests.check_templates

Texts and spoken attributes may contain letters only inside of a translation, such as
``{{ _("Save") }}`` or ``{% trans %}...{% endtrans %}``. ``socialsite.jinja.WithoutIndentation`` says how
to wrap a line without a larger page.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from socialsite.local.processes import ROOT

TEMPLATES = ROOT / "templates"
SPOKEN_ATTRIBUTES = frozenset({"alt", "aria-label", "aria-description", "placeholder", "title"})
MAX_LINE_LENGTH = 160
NOT_SHOWN = frozenset({"script", "style", "code", "kbd", "svg"})

# Jinja's "{{ }}", "{# #}" and "{% %}" tags, and Django's.
TRANSLATIONS = re.compile(
    r"\{%-?\+?\s*trans\b.*?endtrans\s*-?\+?%\}"
    r"|\{%\s*blocktranslate\b.*?endblocktranslate\s*%\}"
    r"|\{#.*?#\}"
    r"|\{%-?\+?\s*comment\b.*?endcomment\s*-?\+?%\}",
    re.DOTALL,
)
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
LETTERS = re.compile(r"[^\W\d_]{2,}")

ALLOWED = {
    "django/admin/moderation/base.html": "the name of a layout of Django's admin",
    "feed/_search_help.html": "examples of what people type into the search field",
}
"""Templates with texts that are not translated, and why."""


def main() -> int:
    problems = [
        f"{path.relative_to(ROOT)}{problem}"
        for path in sorted(path for path in TEMPLATES.rglob("*") if path.is_file())
        for problem in problems_of(path)
    ]
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


def problems_of(path: Path) -> Iterator[str]:
    """Yield each problem of a template, to be written behind its path."""
    source = path.read_text()
    for number, line in enumerate(source.splitlines(), start=1):
        if len(line) > MAX_LINE_LENGTH:
            yield f":{number}: {len(line)} characters, more than {MAX_LINE_LENGTH}"
    if str(path.relative_to(TEMPLATES)) not in ALLOWED:
        yield from (f": {text}" for text in unmarked_texts(source))


def unmarked_texts(source: str) -> Iterator[str]:
    """Yield each visible text of a template that is not marked for translation."""
    without_tags = TAGS.sub(_as_blank, TRANSLATIONS.sub(_as_blank, source))
    parser = _Texts()
    parser.feed(without_tags)
    parser.close()
    for text in parser.texts:
        if LETTERS.search(text):
            yield " ".join(text.split())


def _as_blank(match: re.Match[str]) -> str:
    return " "


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in NOT_SHOWN
        self.texts += [value or "" for name, value in attrs if name in SPOKEN_ATTRIBUTES]

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in NOT_SHOWN

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.texts.append(data)


if __name__ == "__main__":
    sys.exit(main())
