"""Run the tests of the first tier that a change can affect.

    make test-map       # once, and again when the map is old: records which test executes which line
    make test-changed   # runs the tests that the change since then can affect

The map is the data of ``coverage``, with one context for each test. It contains templates, too. The change
is the difference between the commit of the map and the files in the working tree:

- a line in a function: the tests that executed the function;
- a line outside functions: the tests that executed the file or a file that imports it. If the line is an
  import, only the tests that executed the file;
- a template: the tests that rendered it;
- a test file: all of its tests;
- another file: the test files that name it, or all tests if it configures them.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".test-map"
DATA, COMMIT, SELECTED = FOLDER / "data", FOLDER / "commit", FOLDER / "selected"
MEASURED = ("accounts", "feed", "notifications", "socialsite", "templates", "tests")
CONFIGURATION = re.compile(r"pyproject\.toml|requirements.*|tests/(conftest|plugin|database)\.py")
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)
PYTEST = (sys.executable, "-m", "pytest", "-n", "auto", "--maxprocesses", "4", "-m", "not slow")
OPTIONS = ("--timeout", "60", "-p", "no:playwright", "-p", "no:schemathesis")


class NoMap(Exception):
    """There is no map, or its commit has been deleted."""


def record_map() -> int:
    """Run the whole first tier and record the map. Returns the exit code of pytest."""
    FOLDER.mkdir(exist_ok=True)
    commit = _git("stash", "create").strip() or _git("rev-parse", "HEAD").strip()
    measured = [f"--cov={package}" for package in MEASURED]
    command = [*PYTEST, *OPTIONS, *measured, "--cov-context=test", "--cov-report="]
    env = {**os.environ, "COVERAGE_FILE": str(DATA)}
    result = subprocess.call(command, cwd=ROOT, env=env)
    COMMIT.write_text(f"{commit}\n")
    return result


def run_changed(arguments: list[str]) -> int:
    """Run the affected tests. Returns the exit code of pytest."""
    tests = affected_tests()
    if tests is not None and not tests:
        sys.stdout.write("The change affects no test of the first tier.\n")
        return 0
    chosen = []
    if tests is not None:
        SELECTED.write_text("\n".join(sorted(tests)))
        chosen = [f"@{SELECTED}"]
    return subprocess.call([*PYTEST, *OPTIONS, *arguments, *chosen], cwd=ROOT)


def affected_tests() -> set[str] | None:
    """Return the affected tests and test files, or None for all tests. Raises NoMap."""
    if not (DATA.exists() and COMMIT.exists()):
        raise NoMap("There is no map of the tests. Record it with 'make test-map'.")
    commit = COMMIT.read_text().strip()
    tests: set[str] = set()
    for path, lines in _changed_lines(commit).items():
        if CONFIGURATION.fullmatch(path):
            return None
        if Path(path).name.startswith("test_") and path.endswith(".py"):
            tests |= {path} if (ROOT / path).exists() else set()
        elif path.startswith(MEASURED) and path.endswith(".py"):
            tests |= _tests_of_module(commit, path, lines)
        elif path.startswith("templates/"):
            tests |= _tests_of_lines(path)
        else:
            tests |= _test_files_naming(Path(path).name)
    return {test for test in tests if (ROOT / test.partition("::")[0]).exists()}


def _changed_lines(commit: str) -> dict[str, set[int]]:
    """Return the changed lines of each file, as numbers of the old file. New files have none."""
    try:
        difference = _git("diff", "--unified=0", "--no-renames", "--no-color", commit)
    except subprocess.CalledProcessError:
        raise NoMap(
            "The commit of the map is gone. Record it again with 'make test-map'."
        ) from None
    lines_by_file: dict[str, set[int]] = {}
    for part in re.split(r"^diff --git ", difference, flags=re.MULTILINE)[1:]:
        path = part.partition("\n")[0].rpartition(" b/")[2]
        lines = lines_by_file[path] = set()
        for start, count in HUNK.findall(part):
            first, length = int(start), int(count or 1)
            # Lines that are only inserted change the lines around them.
            lines |= set(range(first, first + length)) if length else {first, first + 1}
    for path in _git("ls-files", "--others", "--exclude-standard").splitlines():
        lines_by_file[path] = set()
    return lines_by_file


def _tests_of_module(commit: str, path: str, lines: set[int]) -> set[str]:
    try:
        tree = ast.parse(_git("show", f"{commit}:{path}"))
    except (
        subprocess.CalledProcessError
    ):  # a new module affects the tests of the modules that use it
        return set()
    tests: set[str] = set()
    is_in_function = set()
    for first, last in _functions(tree):
        inside = lines & set(range(first, last + 1))
        is_in_function |= inside
        if inside:
            tests |= _tests_of_lines(path, range(first, last + 1))
    outside = lines - is_in_function
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    outside &= _lines_of(tree.body)  # without empty lines and comments between statements
    if outside:
        tests |= _tests_of_lines(path)
    if outside - _lines_of(imports):
        for importer in _importers(path):
            tests |= _tests_of_lines(importer)
    return tests


def _lines_of(statements: Iterable[ast.stmt]) -> set[int]:
    return {
        line
        for statement in statements
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    }


def _functions(node: ast.AST) -> Iterator[tuple[int, int]]:
    """Return the first and last line of each function that is not in another function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield first, child.end_lineno or child.lineno
        else:
            yield from _functions(child)


def _tests_of_lines(path: str, lines: Iterable[int] | None = None) -> set[str]:
    """Return the tests that executed these lines of a file. ``lines``: all if None."""
    contexts_by_line = _data().contexts_by_lineno(str(ROOT / path))
    chosen = contexts_by_line if lines is None else contexts_by_line.keys() & set(lines)
    contexts = {context for line in chosen for context in contexts_by_line[line]}
    return {context.rpartition("|")[0] for context in contexts} - {""}


@cache
def _data() -> CoverageData:
    data = CoverageData(str(DATA))
    data.read()
    return data


def _importers(path: str) -> list[str]:
    """Return the files that import this module or a name from it."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    name = module.rpartition(".")[2]
    return [
        file
        for file, text in _sources().items()
        if name in text and module in _imported_names(file, text)
    ]


def _imported_names(file: str, text: str) -> Iterator[str]:
    """Return the modules that a file imports, and ``a.b.c`` for ``from a.b import c``, module or not."""
    folders = Path(file).parent.parts
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = folders[: len(folders) + 1 - node.level] if node.level else ()
            module = ".".join([*package, *(node.module or "").split(".")]).rstrip(".")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@cache
def _sources() -> dict[str, str]:
    """Return the text of each Python file."""
    files = _git("ls-files", "*.py").splitlines()
    return {file: (ROOT / file).read_text() for file in files if (ROOT / file).exists()}


def _test_files_naming(name: str) -> set[str]:
    return {
        file
        for file, text in _sources().items()
        if name in text and Path(file).name.startswith("test_")
    }


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    try:
        sys.exit(record_map() if sys.argv[1:] == ["--map"] else run_changed(sys.argv[1:]))
    except NoMap as error:
        sys.exit(str(error))
