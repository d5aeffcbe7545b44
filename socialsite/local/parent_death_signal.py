"""Run a command that the kernel stops if its parent process dies for any reason.

    python parent_death_signal.py PARENT_PID SIGNAL NICENESS COMMAND...

``processes.start_child`` runs this script. It is a separate script because Python code that runs between
fork and exec can deadlock if the process has threads.

NICENESS lowers the priority of the command. Linux often compares the niceness only between processes of a
session, and each command has its own session, which therefore gets the same niceness (sched(7), "The
autogroup feature").
"""

import contextlib
import ctypes
import os
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, signal_number, niceness = map(int, sys.argv[1:4])
    command = sys.argv[4:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
        if os.getppid() != parent:  # the parent died before the call
            sys.exit(1)
    if niceness:
        os.nice(niceness)
        with contextlib.suppress(OSError):  # not Linux, or a kernel without this feature
            Path("/proc/self/autogroup").write_text(str(niceness))
    os.execvp(command[0], command)  # noqa: S606 - replacing this process is intended


if __name__ == "__main__":
    main()
