"""Static files for tests: collected by one process for all, and found once by each.

Both are what the site does when it starts. Tests start it thousands of times: every ``Client`` has
middleware of its own.
"""

import fcntl
from functools import partial
from pathlib import Path
from unittest import mock

import brotli
from django.core.management import call_command
from whitenoise.base import WhiteNoise

_found: dict[tuple[str, str], dict[str, object]] = {}
_look = WhiteNoise.update_files_dictionary


def collect_once(folder: Path) -> None:
    """By the first process, while the others wait. Packed quickly: twelve seconds less than the best."""
    quickly = partial(brotli.compress, quality=1)
    with (
        folder.with_suffix(".lock").open("w") as lock,
        mock.patch.object(brotli, "compress", quickly),
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "staticfiles.json").exists():
            call_command("collectstatic", interactive=False, verbosity=0)


def find_once() -> None:
    """What is in a folder is looked at by the first middleware: there are hundreds of files."""
    WhiteNoise.update_files_dictionary = _look_once


def _look_once(self: WhiteNoise, root: str, prefix: str) -> None:
    if (root, prefix) not in _found:
        _look(self, root, prefix)
        _found[root, prefix] = dict(self.files)
    self.files.update(_found[root, prefix])
