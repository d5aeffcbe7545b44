"""Become a command that the kernel ends when the process that started it dies, however it dies.

    python parent_death_signal.py PARENT_PID SIGNAL COMMAND...

A script of its own, because to do this between fork and exec of a process with threads is not safe.
Used by ``children.start_child``.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, signal_number, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
        if os.getppid() != parent:  # it died before we asked
            sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606 - to be that command is the purpose


if __name__ == "__main__":
    main()
