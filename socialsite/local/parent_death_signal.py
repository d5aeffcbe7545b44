"""Run a command that the kernel stops if its parent process dies for any reason.

    python parent_death_signal.py PARENT_PID SIGNAL COMMAND...

``processes.start_child`` runs this script. It is a separate script because Python code that runs between
fork and exec can deadlock if the process has threads.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, signal_number, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the call
            sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606 - replacing this process is intended


if __name__ == "__main__":
    main()
