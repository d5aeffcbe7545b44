"""Start the process that holds idle streams open, and wait for it."""

import json
import sys
import time
from pathlib import Path

from socialsite.local.processes import start_child
from tests.load.site import Site

OPEN_SECONDS = 600.0


class IdleStreams:
    """A process with ``count`` open streams. It writes its state to ``idle.json`` each second."""

    def __init__(self, site: Site, report: Path, *, count: int):
        self._state_file, self._count = report / "idle.json", count
        arguments = [str(site.folder / "sessions.json"), site.streams_url, str(self._state_file)]
        self.child = start_child(
            name="The idle streams",
            command=[sys.executable, "-m", "tests.load.idle_streams", *arguments],
            log=report / "idle.log",
        )

    def wait_until_open(self) -> None:
        deadline = time.monotonic() + OPEN_SECONDS
        while self._state().get("open", 0) < self._count:
            if not self.child.is_running or time.monotonic() > deadline:
                raise SystemExit(
                    f"Not all streams opened: {self._state()}\n{self.child.log_tail()}"
                )
            time.sleep(0.5)

    def summary(self) -> str:
        state = self._state()
        received = f"{state['bytes'] / 1e6:.1f} MB received"
        closed = f"{state['closed']} closed by the server, {state['refused']} refused"
        return f"Idle streams: {state['open']} open at the end, {closed}, {received}."

    def _state(self) -> dict[str, int]:
        return json.loads(self._state_file.read_text()) if self._state_file.exists() else {}
