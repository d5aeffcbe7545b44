"""Processes that one command starts and answers for: mongod, the web server, the worker.

They write to a log file, do not hear the terminal's Ctrl-C (we stop them in order), and die with us
even when we are killed (``parent_death_signal.py``).
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
    """A process we started, the leader of its own process group."""

    name: str
    process: "subprocess.Popen[bytes]"
    log: Path | None

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def stop(self, *, timeout_seconds: float) -> None:
        """Ask it to end, wait, then kill what is left of it and of its own children."""
        try:
            if self.is_running:
                self.process.terminate()
                self.process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """End it and its own children at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log_tail(self, *, lines: int = 8) -> str:
        """The end of its log and where to find all of it; "" if it writes to the terminal."""
        return f"{log_tail(self.log, lines=lines)}\nLog: {self.log}" if self.log else ""


def stop_children(children: Sequence[ChildProcess]) -> None:
    """Stop them, the last started first; another Ctrl-C meanwhile kills them."""
    patience = 10.0
    for child in reversed(children):
        try:
            child.stop(timeout_seconds=patience)
        except KeyboardInterrupt:
            patience = 0


def start_child(
    *,
    name: str,
    command: Sequence[str],
    log: Path | None,
    env: Mapping[str, str] | None = None,
    parent_death_signal: signal.Signals = signal.SIGTERM,
) -> ChildProcess:
    """Start a command in the project's folder; ``farewell`` is the signal it gets when we die.

    It writes to the terminal when ``log`` is None. Call this from the main thread: the kernel watches
    the thread that started the process.
    """
    wrapper = [
        sys.executable,
        "-I",
        "-S",
        str(PARENT_DEATH_SCRIPT),
        str(os.getpid()),
        str(int(parent_death_signal)),
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
    """The last lines of a log; of mongod's JSON lines only what tells of a problem, if any does."""
    written = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    problems = [_problem(line) for line in written]
    messages = [problem for problem in problems if problem] or written
    return "\n".join(f"  {line[:300]}" for line in messages[-lines:])


def _problem(line: str) -> str:
    try:
        event = json.loads(line)
        severity, message, details = event["s"], event["msg"], event.get("attr", {})
    except (ValueError, KeyError, TypeError):
        return ""
    return f"{message} {json.dumps(details)}" if severity in ("E", "F") else ""
