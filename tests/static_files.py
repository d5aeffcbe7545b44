"""Collect the static files once per test run, and scan their folder once per process.

Without this module, every ``Client`` would scan the folder, because every ``Client`` creates its own
WhiteNoise middleware. Tests create thousands of clients.
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
    """Collect the static files in the first process, while the other processes wait.

    Compression at the lowest quality makes this twelve seconds faster.
    """
    quickly = partial(brotli.compress, quality=1)
    with (
        folder.with_suffix(".lock").open("w") as lock,
        mock.patch.object(brotli, "compress", quickly),
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "staticfiles.json").exists():
            call_command("collectstatic", interactive=False, verbosity=0)


def find_once() -> None:
    """Scan each folder for the first middleware only. The folder has hundreds of files."""
    WhiteNoise.update_files_dictionary = _look_once


def _look_once(self: WhiteNoise, root: str, prefix: str) -> None:
    if (root, prefix) not in _found:
        _look(self, root, prefix)
        _found[root, prefix] = dict(self.files)
    self.files.update(_found[root, prefix])
