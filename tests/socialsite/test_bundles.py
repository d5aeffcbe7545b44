"""Bundles: the parts of ``css/site.css`` and ``js/site.js`` in one file each."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from socialsite import bundles
from socialsite.bundles import BUNDLES, PARTS_FOLDER, BundleError, join_scripts, join_styles

INDEXES = [PARTS_FOLDER / path for path in BUNDLES]


@pytest.fixture
def folder(tmp_path):
    """A folder with the parts ``first`` and ``second``."""
    (tmp_path / "site.css").write_text(
        '/* The order. */\n@layer base, components;\n@import "first.css" layer(base);\n'
        '@import "second.css" layer(components);\n'
    )
    (tmp_path / "first.css").write_text("/* Links. */\na { color: red; }\n")
    (tmp_path / "second.css").write_text(".b { color: blue; } /* kept */\n")
    (tmp_path / "site.js").write_text(
        '// The order.\nimport "./first.js";\nimport "./second.js";\n'
    )
    (tmp_path / "first.js").write_text(
        "// Greet.\nconst text = 'hello';\nexport const greet = () => text;\n"
    )
    (tmp_path / "second.js").write_text(
        '// Say it.\nimport { greet } from "./first.js";\n\n  // A reason.\ngreet(); // kept\n'
    )
    return tmp_path


def test_styles_are_joined_in_their_layers(folder):
    assert join_styles(folder) == (
        "@layer base, components;\n"
        "@layer base {\na { color: red; }\n}\n"
        "@layer components {\n.b { color: blue; } /* kept */\n}\n"
    )


def test_modules_become_functions_that_share_only_their_exports(folder):
    assert join_scripts(folder) == (
        '"use strict";\n(() => {\n'
        "const $first = (() => {\nconst text = 'hello';\nconst greet = () => text;\n"
        "return { greet };\n})();\n"
        "(() => {\nconst { greet } = $first;\n\ngreet(); // kept\n})();\n"
        "})();\n"
    )


def test_modules_cannot_import_what_runs_later(folder):
    (folder / "site.js").write_text('import "./second.js";\nimport "./first.js";\n')
    with pytest.raises(BundleError, match=r"second\.js imports .*first"):
        join_scripts(folder)


@pytest.mark.parametrize(
    "line",
    [
        "export default 1;",
        "export function greet() {}",
        "export let text = 1;",
        'import * as all from "./first.js";',
        'import "../first.js";',
        'export { greet } from "./first.js";',
    ],
)
def test_other_imports_and_exports_are_refused(folder, line):
    (folder / "second.js").write_text(f"{line}\n")
    with pytest.raises(BundleError):
        join_scripts(folder)


def test_other_imports_of_styles_are_refused(folder):
    (folder / "second.css").write_text('@import "third.css";\n')
    with pytest.raises(BundleError, match=r"third\.css"):
        join_styles(folder)


@pytest.mark.parametrize("index", INDEXES, ids=lambda path: path.name)
def test_each_part_is_in_its_bundle_once(index):
    names = re.findall(r'import "(?:\./)?([\w.]+)"', index.read_text())
    parts = {path.name for path in index.parent.iterdir()} - {index.name}
    assert sorted(names) == sorted(parts)


@pytest.mark.parametrize("path", BUNDLES)
def test_the_development_server_finds_the_current_bundle(monkeypatch, settings, tmp_path, path):
    settings.DATA_DIR = tmp_path
    finder = bundles.BundleFinder()
    file = finder.find(path)
    assert file.startswith(str(tmp_path))
    assert finder.find(path, find_all=True) == [file]
    for text in ("new", "newer"):
        monkeypatch.setitem(BUNDLES, path, lambda folder, text=text: text)
        assert Path(finder.find(path)).read_text() == text
    assert [child.name for child in (tmp_path / "bundles" / path).parent.iterdir()] == [
        path.split("/")[1]
    ]


def test_parts_are_not_published():
    assert finders.find("css/tokens.css") is None
    assert finders.find("js/menus.js") is None
    assert finders.find("css/composer.css")
