"""Files in which the clients record requests, acknowledged writes and phases, as lines of JSON.

The folder is the variable ``LOAD_FOLDER``. ``report`` and ``verify`` read the files.

    requests.jsonl   [seconds, page, milliseconds, status (0: no response), error ("" if none)]
    writes.jsonl     {"kind": "post", "text"} | {"kind": "status", "id"}
                     | {"kind": "comment", "post", "id"} | {"kind": "like", "post", "username"}
    phases.jsonl     [seconds, phase, factor of the rate]
"""

import json
import os
import time
from pathlib import Path
from typing import Any

REQUESTS, WRITES, PHASES = "requests.jsonl", "writes.jsonl", "phases.jsonl"


class Record:
    """Append to the files of a run. Lines reach the file once a second at the latest (``flush``)."""

    def __init__(self, folder: Path):
        self._files = {name: (folder / name).open("a") for name in (REQUESTS, WRITES, PHASES)}

    def add(self, name: str, line: Any) -> None:
        self._files[name].write(json.dumps(line, separators=(",", ":")) + "\n")

    def flush(self) -> None:
        for file in self._files.values():
            file.flush()

    def add_write(self, **fields: Any) -> None:
        """Record a write that the site has acknowledged."""
        self.add(WRITES, fields)

    def add_request(
        self, *, page: str, milliseconds: float, status: int, error: str, at: float
    ) -> None:
        line = [round(at, 3), page, round(milliseconds, 1), status, error]
        self.add(REQUESTS, line)

    def add_phase(self, name: str, *, factor: float = 1.0) -> None:
        self.add(PHASES, [round(time.time(), 3), name, factor])
        self.flush()


def read_lines(path: Path) -> list[Any]:
    """Return the complete lines of a file, [] if there is no file."""
    if not path.exists():
        return []
    return [
        json.loads(line) for line in path.read_text().splitlines(keepends=True) if line[-1] == "\n"
    ]


def load_folder() -> Path:
    return Path(os.environ["LOAD_FOLDER"])
