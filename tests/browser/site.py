"""Run the site for tests: gunicorn in its own process, with the database of the test."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from socialsite.local import ports
from socialsite.local.demo_processes import wait_until_ready
from socialsite.local.processes import start_child


def pid_file(*, data_dir: Path, port: int) -> Path:
    return data_dir / f"gunicorn-{port}.pid"


@contextmanager
def served_site(
    *,
    database: str,
    data_dir: Path,
    workers: int = 1,
    threads: int = 104,
    graceful_timeout: int = 1,
    **environment: str,
) -> Iterator[str]:
    """Start the site and yield its URL. Stop the site at the end of the block."""
    port = ports.free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "gunicorn", "socialsite.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", f"{workers}", "--worker-class", "gthread", "--threads", f"{threads}"]
    command += ["--graceful-timeout", f"{graceful_timeout}", "--no-control-socket"]
    command += ["--pid", str(pid_file(data_dir=data_dir, port=port))]
    env = {
        **os.environ,
        "MONGODB_NAME": database,
        "DATA_DIR": str(data_dir),
        "SITE_URL": address,
        "ALLOWED_HOSTS": "127.0.0.1",
        **environment,
    }
    log = data_dir / "logs" / "browser-tests.log"
    child = start_child(name="The web server", command=command, env=env, log=log)
    try:
        wait_until_ready([child], port=port)
        yield address
    finally:
        child.stop(timeout_seconds=5)
