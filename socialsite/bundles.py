"""Join the parts of the style sheet and the script of all pages: ``css/site.css`` and ``js/site.js``.

The folder ``static_parts`` has a part for each component or purpose. Browsers load each bundle with one
request, because 70 small files would arrive later and compress worse. ``BundleFinder`` shows the bundles to
``collectstatic`` and to the development server. So they get hashes, compression and caching like other
files, without a build step.

The sources are plain CSS and JavaScript, so that editors and linters understand them:

* ``site.css`` imports parts into cascade layers, in the order of the cascade.
* ``site.js`` imports modules in the order in which they run. A module can import what earlier modules
  export with ``export const``. Each module becomes a function, so that no other module sees its names.

Comments on lines of their own are removed.
"""

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

PARTS_FOLDER = Path(__file__).parent / "static_parts"

_CSS_COMMENT = re.compile(r"^ */\*[^*]*\*/\n", re.MULTILINE)
_CSS_IMPORT = re.compile(r'^@import "(\w+\.css)" layer\((\w+)\);$', re.MULTILINE)
_JS_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
_JS_IMPORT = re.compile(r'^import (?:(\{.+\}) from )?"\./(\w+)\.js";\n', re.MULTILINE)
_JS_EXPORT = re.compile(r"^export (?=const (\w+) = )", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:@import|import|export)\b.*", re.MULTILINE)


class BundleError(Exception):
    """A part uses a form of import or export that bundles do not support."""


def join_styles(folder: Path) -> str:
    """Return the style sheet of the folder with its imported parts."""

    def part(match: re.Match[str]) -> str:
        css = _CSS_COMMENT.sub("", (folder / match[1]).read_text())
        return f"@layer {match[2]} {{\n{css}}}"

    index = _CSS_COMMENT.sub("", (folder / "site.css").read_text())
    return _refuse_unknown(_CSS_IMPORT.sub(part, index))


def join_scripts(folder: Path) -> str:
    """Return the modules that the script of the folder imports, as one classic script."""
    names = [name for _, name in _JS_IMPORT.findall((folder / "site.js").read_text())]
    functions = []
    for position, name in enumerate(names):
        js = _JS_COMMENT.sub("", (folder / f"{name}.js").read_text())
        if late := {imported for _, imported in _JS_IMPORT.findall(js)} - set(names[:position]):
            raise BundleError(f"{name}.js imports parts that do not run before it: {late}")
        exports = ", ".join(_JS_EXPORT.findall(js))
        body = _JS_EXPORT.sub("", _JS_IMPORT.sub(r"const \1 = $\2;\n", js)).lstrip("\n")
        start, end = (f"const ${name} = ", f"return {{ {exports} }};\n") if exports else ("", "")
        functions.append(f"{start}(() => {{\n{body}{end}}})();\n")
    return _refuse_unknown(f'"use strict";\n(() => {{\n{"".join(functions)}}})();\n')


def _refuse_unknown(text: str) -> str:
    if match := _UNKNOWN.search(text):
        raise BundleError(f"Bundles do not support: {match[0]}")
    return text


BUNDLES: dict[str, Callable[[Path], str]] = {
    "css/site.css": join_styles,
    "js/site.js": join_scripts,
}


class BundleFinder(BaseFinder):
    """Finds the bundles. It writes them to a folder in ``DATA_DIR``, because finders return paths."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.storage = FileSystemStorage(location=settings.DATA_DIR / "bundles")

    def check(self, **kwargs: Any) -> list[Any]:
        """Return no errors: there is nothing to configure."""
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        """Return the path of the current bundle, or an empty list for other files."""
        if path not in BUNDLES:
            return []
        file = str(self._write(path))
        return [file] if find_all else file

    def list(
        self, ignore_patterns: Iterable[str] | None
    ) -> Iterator[tuple[str, FileSystemStorage]]:
        """Yield all bundles, in their current state."""
        for path in BUNDLES:
            self._write(path)
            yield path, self.storage

    def _write(self, path: str) -> Path:
        """Write the bundle if it changed. Replace the file at once, for requests that are reading it."""
        file = Path(self.storage.path(path))
        text = BUNDLES[path](PARTS_FOLDER / Path(path).parent)
        if not file.exists() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as unfinished:
                unfinished.write(text)
            Path(unfinished.name).replace(file)
        return file
