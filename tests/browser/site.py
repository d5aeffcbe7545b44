"""Run the site for tests: gunicorn and the streams process, with the database of the test."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from socialsite.local import ports
from socialsite.local.demo_processes import streams_command, wait_until_ready
from socialsite.local.errors import LocalError
from socialsite.local.processes import ChildProcess, start_child


@contextmanager
def served_site(
    *, database: str, data_dir: Path, workers: int = 1, threads: int = 4, **environment: str
) -> Iterator[str]:
    """Start the site with its streams, and yield its URL. Stop the processes at the end of the block.

    The processes start at the same time, because each of them loads the site.
    """
    port = ports.free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "gunicorn", "socialsite.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", f"{workers}", "--threads", f"{threads}", "--graceful-timeout", "1"]
    with served_streams(
        database=database,
        data_dir=data_dir,
        wait=False,
        **{"SITE_URL": address, **environment},
    ) as streams:
        children = [streams.child]
        log = data_dir / "logs" / "browser-tests.log"
        web = start_child(name="The web server", command=command, env=streams.env, log=log)
        children.append(web)
        try:
            wait_until_ready(children, urls=[f"{address}/", streams.health_url])
            yield address
        finally:
            web.stop(timeout_seconds=5)


@dataclass
class RunningStreams:
    """A streams process. ``url`` has no path."""

    url: str
    env: dict[str, str]
    log: Path
    child: ChildProcess

    @property
    def health_url(self) -> str:
        return f"{self.url}/api/v1/streaming/health"

    def restart(self) -> None:
        """Kill the process and start it again."""
        self.child.kill()
        self.start()

    def start(self) -> None:
        self.child = start_streams_process(self.url, self.env, self.log)
        self.wait()

    def wait(self) -> None:
        """Wait until the process is ready."""
        try:
            wait_until_ready([self.child], urls=[self.health_url])
        except LocalError:
            self.child.kill()
            raise


@contextmanager
def served_streams(
    *, database: str, data_dir: Path, wait: bool = True, **environment: str
) -> Iterator[RunningStreams]:
    """Start the streams process, and yield it. With ``wait``, it is ready then."""
    port = ports.free_port()
    url = f"http://127.0.0.1:{port}"
    env = {
        **os.environ,
        "MONGODB_NAME": database,
        "DATA_DIR": str(data_dir),
        "SITE_URL": "http://127.0.0.1:1",
        "STREAMING_URL": url,
        "ALLOWED_HOSTS": "127.0.0.1",
        **environment,
    }
    log = data_dir / "logs" / f"streams-{port}.log"
    streams = RunningStreams(url, env, log, start_streams_process(url, env, log))
    try:
        if wait:
            streams.wait()
        yield streams
    finally:
        streams.child.stop(timeout_seconds=10)


def start_streams_process(url: str, env: dict[str, str], log: Path) -> ChildProcess:
    """Start a streams process at this address, without waiting for it."""
    return start_child(name="The streams process", command=streams_command(url), env=env, log=log)
