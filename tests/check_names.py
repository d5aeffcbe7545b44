"""Refuse vague names: ``python -m tests.check_names``, part of ``make check``.

Variables and arguments are named after their contents, and modules after a resource or a job. Only
``socialsite.api`` uses the words of Mastodon's API.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("accounts", "feed", "notifications", "socialsite", "tests", "docs")
VAGUE_NAMES = frozenset(
    {"one", "found", "made", "told", "said", "given", "there", "kept", "held", "came", "gone"}
    | {"item", "thing", "obj"}
)
FRAMEWORK_ARGUMENTS = frozenset({"obj", "item"})
"""Names of arguments that Django's admin and pytest define."""

PARTICIPLE = re.compile(r"(test_)?([a-z]+(ing|ed)|made|told|said|kept|found|gone|held|given)")
API_FOLDER = Path("socialsite/api")
API_WORDS = re.compile(
    r"\w*(reblog|favourite|spoiler_text|in_reply_to_id)\w*|\bacct\b", re.IGNORECASE
)
"""Names in Mastodon's API. This site says share, like, content warning, parent and username."""

SHIPPED_FOLDERS = ("accounts", "feed", "notifications", "socialsite", "templates")
NOUNS = frozenset({"sharding", "streaming", "test_sharding", "test_streaming", "speed"})


def vague_variables(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and name of every variable and argument with a vague name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.arg) and node.arg not in FRAMEWORK_ARGUMENTS:
            name = node.arg
        else:
            continue
        if name in VAGUE_NAMES:
            yield node.lineno, name


def is_participle(module: str) -> bool:
    """Return whether the name of a module is a participle without a noun, such as ``keeping``."""
    return module not in NOUNS and PARTICIPLE.fullmatch(module) is not None


def api_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every word that only the API may use."""
    for number, line in enumerate(text.splitlines(), start=1):
        for match in API_WORDS.finditer(line):
            yield number, match.group()


def words_outside_the_api() -> Iterator[str]:
    for folder in SHIPPED_FOLDERS:
        paths = (ROOT / folder).rglob("*")
        for path in sorted(path for path in paths if path.suffix in {".py", ".html", ".js"}):
            file = path.relative_to(ROOT)
            if API_FOLDER in file.parents or path == Path(__file__).resolve():
                continue
            for line, word in api_words(path.read_text()):
                yield f"{file}:{line}: {word!r} is a word of the API"


def main() -> int:
    failures = [*words_outside_the_api()]
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            file = path.relative_to(ROOT)
            if "migrations" in file.parts:
                continue
            if is_participle(path.stem):
                failures.append(f"{file}: name the module after a resource or a job")
            failures += [
                f"{file}:{line}: name what {name!r} holds"
                for line, name in vague_variables(ast.parse(path.read_text()))
            ]
    sys.stdout.write("\n".join([*failures, f"{len(failures)} vague names.\n"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
