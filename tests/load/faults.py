"""Kill processes of the site during the steady phase, one after the other, and look for lost writes."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from tests.load.report import Fault
from tests.load.site import Site

PRIMARY_RESTART_SECONDS = 5.0
SETTLE_SECONDS = 120.0


class Plan:
    """The kills of a run, at equal distances in the steady phase."""

    def __init__(self, site: Site, *, seconds: float):
        self._site = site
        kills: list[tuple[str, Callable[[], Callable[[], bool]]]] = [
            ("a web worker process", self._kill_web_worker),
            ("the worker", lambda: self._kill("worker")),
            ("the streams process", lambda: self._kill("streams")),
            ("the primary", self._kill_primary),
        ]
        self._kills = kills
        self._pause = seconds / (len(kills) + 1)
        self._begins_at = 0.0
        self._is_back: Callable[[], bool] | None = None
        self._faults: list[Fault] = []

    def begin(self) -> None:
        """Start the clock. Called when the steady phase begins."""
        self._begins_at = self._begins_at or time.monotonic()

    def step(self) -> None:
        """Kill the next process if its time has come, and notice when the last one is back."""
        if not self._begins_at:
            return
        if self._is_back and self._is_back():
            self._is_back = None
            fault = self._faults[-1]
            self._faults[-1] = Fault(fault.name, fault.at, time.time())
        number = len(self._faults)
        due_at = self._begins_at + self._pause * (number + 1)
        if number < len(self._kills) and time.monotonic() >= due_at:
            name, kill = self._kills[number]
            at = time.time()
            self._is_back = kill()
            self._faults.append(Fault(name, at, at))

    def end(self) -> list[Fault]:
        return self._faults

    def _kill(self, role: str) -> Callable[[], bool]:
        child = self._site.children[role]
        child.kill()
        return lambda: self._site.children[role] is not child

    def _kill_web_worker(self) -> Callable[[], bool]:
        master = psutil.Process(self._site.children["web"].process.pid)
        count = len(master.children())
        os.kill(master.children()[0].pid, signal.SIGKILL)
        return lambda: sum(child.is_running() for child in master.children()) >= count

    def _kill_primary(self) -> Callable[[], bool]:
        replica_set = self._site.replica_set
        killed = replica_set.kill_primary()
        due_at = time.monotonic() + PRIMARY_RESTART_SECONDS

        def is_back() -> bool:
            if time.monotonic() < due_at:
                return False
            replica_set.restart(killed)
            return True

        return is_back


def verify(site: Site, report: Path) -> str:
    """Wait until the deliveries are done. Return a paragraph about lost and repeated writes."""
    site.run_script("tests.load.verify", str(report), str(SETTLE_SECONDS))
    return (site.folder / "verified.txt").read_text()
