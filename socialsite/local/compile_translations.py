"""Compile the translations: write ``django.mo``, which Django reads, beside each ``django.po``.

    .venv/bin/python socialsite/local/compile_translations.py

``make setup``, ``make demo``, the image and the deploy guide run this. It needs only the package babel.
"""

import io
import sys
import tempfile
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE_FOLDER = Path(__file__).resolve().parents[1] / "locale"


def catalog_paths() -> list[Path]:
    """Return the ``django.po`` of each language."""
    return sorted(LOCALE_FOLDER.glob("*/LC_MESSAGES/django.po"))


def write_compiled(path: Path, catalog: Catalog) -> None:
    """Compile a catalogue. A process that reads the file meanwhile sees the old or the new one."""
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".mo", delete=False) as unfinished:
        unfinished.write(compiled.getvalue())
    Path(unfinished.name).chmod(0o644)
    Path(unfinished.name).replace(path.with_suffix(".mo"))


def main() -> int:
    for path in catalog_paths():
        with path.open("rb") as file:
            write_compiled(path, read_po(file, locale=path.parent.parent.name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
