"""Child processes of a command: mongod, the web server, the worker.

Children write to log files. The command stops its children in a fixed order, so the children do not receive
the terminal's Ctrl-C. If the command is killed, its children end too (``parent_death_signal.py``).
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PARENT_DEATH_SCRIPT = Path(__file__).with_name("parent_death_signal.py")
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class ChildProcess:
    """A child process, which leads its own process group."""

    name: str
    process: "subprocess.Popen[bytes]"
    log: Path | None

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def stop(self, *, timeout_seconds: float) -> None:
        """Terminate the process and wait. Then kill the whole process group, including grandchildren."""
        try:
            if self.is_running:
                self.process.terminate()
                self.process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill the process and its own children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log_tail(self, *, lines: int = 8) -> str:
        """Return the end and the path of the log, or "" if the process writes to the terminal."""
        return f"{log_tail(self.log, lines=lines)}\nLog: {self.log}" if self.log else ""


def stop_children(children: Sequence[ChildProcess]) -> None:
    """Stop the children in reverse order. Another Ctrl-C kills them."""
    timeout_seconds = 10.0
    for child in reversed(children):
        try:
            child.stop(timeout_seconds=timeout_seconds)
        except KeyboardInterrupt:
            timeout_seconds = 0


def start_child(
    *,
    name: str,
    command: Sequence[str],
    log: Path | None,
    env: Mapping[str, str] | None = None,
    parent_death_signal: signal.Signals = signal.SIGTERM,
    niceness: int = 0,
) -> ChildProcess:
    """Start a command in the project's folder. Without ``log``, the command writes to the terminal.

    ``niceness`` lowers the priority of the command, up to 19.

    The command receives ``parent_death_signal`` if this process dies. Call this function from the main
    thread, because the kernel watches the thread that started the process.
    """
    wrapper = [
        sys.executable,
        "-I",
        "-S",
        str(PARENT_DEATH_SCRIPT),
        str(os.getpid()),
        str(int(parent_death_signal)),
        str(niceness),
    ]
    with contextlib.ExitStack() as files:
        output = None
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
            output = files.enter_context(log.open("wb"))
        process = subprocess.Popen(  # noqa: S603
            [*wrapper, *command],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if log else None,
            start_new_session=True,
        )
    return ChildProcess(name=name, process=process, log=log)


def log_tail(log: Path, *, lines: int) -> str:
    """Return the last lines of a log. If mongod logged errors, return only the errors."""
    log_lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    problems = [_problem(line) for line in log_lines]
    messages = [problem for problem in problems if problem] or log_lines
    return "\n".join(f"  {line[:300]}" for line in messages[-lines:])


def _problem(line: str) -> str:
    try:
        event = json.loads(line)
        severity, message, details = event["s"], event["msg"], event.get("attr", {})
    except (ValueError, KeyError, TypeError):
        return ""
    return f"{message} {json.dumps(details)}" if severity in ("E", "F") else ""
