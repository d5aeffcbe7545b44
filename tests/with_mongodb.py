"""Run a command with the URI of an empty, temporary MongoDB server in ``MONGODB_URI``.

    python -m tests.with_mongodb COMMAND...

If ``TEST_MONGODB_URI`` is set, the command uses that server instead of an embedded one.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from socialsite.local.errors import LocalError
from socialsite.local.mongod import temporary_server
from socialsite.local.server_check import check_server


def main(command: Sequence[str]) -> int:
    """Run the command. Returns its exit code, or 1 if there is no server."""
    try:
        with server_for_tests(durable=True) as uri:
            return subprocess.call(command, env={**os.environ, "MONGODB_URI": uri})
    except LocalError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1


@contextmanager
def server_for_tests(*, durable: bool = False) -> Iterator[str]:
    """Yield the URI of a server for tests. Raises LocalError if the server cannot be used."""
    if uri := os.environ.get("TEST_MONGODB_URI", ""):
        check_server(uri)
        yield uri
        return
    with temporary_server(is_durable=durable) as uri:
        yield uri


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
