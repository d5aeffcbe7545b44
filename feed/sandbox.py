"""Run a program that may open only some files: ``python -I -S sandbox.py FOLDER FILE... -- COMMAND...``.

The program may read the files of the system and the named ones, and may read and write in FOLDER. It may
not connect anywhere. The kernel enforces this (Landlock). On a kernel without Landlock, the program runs
anyway, and ``manage.py check_site`` says so. This file imports nothing of the site, so that it starts
quickly.
"""

import ctypes
import os
import shutil
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # numbers of the system calls
GET_VERSION = 1
RULE_FOR_PATH = 1
NO_NEW_PRIVILEGES = 38

READ = 0b1101  # execute programs, read files and folders
READ_FILE = 0b0101
RIGHTS_OF_FOLDER = (1 << 13) - 1  # all rights of version 1
TRUNCATE = 1 << 14
TCP = 0b11  # bind and connect

SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/nix", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")


def landlock_version() -> int:
    """Return the version of Landlock in this kernel, or less than 1 if it has none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION))


def confine(*, folder: str, files: Iterable[str], program: str) -> bool:
    """Confine this process and the programs that it starts. Return False if the kernel cannot do it."""
    libc, version = ctypes.CDLL(None, use_errno=True), landlock_version()
    if version < 1:
        return False
    rights = RIGHTS_OF_FOLDER | (TRUNCATE if version >= 3 else 0)
    attributes = struct.pack("=QQ", rights, TCP if version >= 4 else 0)
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    # A program elsewhere has its libraries beside it.
    elsewhere = str(Path(shutil.which(program) or program).resolve().parent.parent)
    for path, allowed in (
        *((path, READ) for path in (*SYSTEM, elsewhere)),
        *((path, READ_FILE) for path in files),
        (folder, rights),
    ):
        if not Path(path).exists():
            continue
        if not Path(path).is_dir():
            allowed &= READ_FILE
        handle = os.open(path, os.O_PATH)
        libc.syscall(ADD_RULE, ruleset, RULE_FOR_PATH, struct.pack("=Qi", allowed, handle), 0)
        os.close(handle)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.syscall(RESTRICT_SELF, ruleset, 0) == 0)


def main() -> None:
    end = sys.argv.index("--")
    folder, *files = sys.argv[1:end]
    command = sys.argv[end + 1 :]
    confine(folder=folder, files=files, program=command[0])
    os.execvp(command[0], command)  # noqa: S606 - the caller chooses the program


if __name__ == "__main__":
    main()
