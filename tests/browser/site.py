"""Run the site for tests: gunicorn and the streams process, with the database of the test."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from socialsite.local import ports
from socialsite.local.demo_processes import streams_command, wait_until_ready
from socialsite.local.errors import LocalError
from socialsite.local.processes import ChildProcess, start_child


@contextmanager
def served_site(
    *,
    database: str,
    data_dir: Path,
    workers: int = 1,
    threads: int = 4,
    has_streams: bool = True,
    **environment: str,
) -> Iterator[str]:
    """Start the site, by default with its streams, and yield its URL. Stop the processes at the end.

    The processes start at the same time, because each of them loads the site.
    """
    port = ports.free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "gunicorn", "socialsite.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", f"{workers}", "--threads", f"{threads}", "--graceful-timeout", "1"]
    environment = {"SITE_URL": address, **environment}
    children, urls = [], [f"{address}/"]
    with ExitStack() as running:
        env = site_environment(database=database, data_dir=data_dir, **environment)
        if has_streams:
            streams = running.enter_context(
                served_streams(database=database, data_dir=data_dir, wait=False, **environment)
            )
            env, children, urls = streams.env, [streams.child], [*urls, streams.health_url]
        log = data_dir / "logs" / "browser-tests.log"
        web = start_child(name="The web server", command=command, env=env, log=log)
        running.callback(web.stop, timeout_seconds=5)
        wait_until_ready([*children, web], urls=urls)
        yield address


def site_environment(*, database: str, data_dir: Path, **environment: str) -> dict[str, str]:
    return {
        **os.environ,
        "MONGODB_NAME": database,
        "DATA_DIR": str(data_dir),
        "SITE_URL": "http://127.0.0.1:1",
        "ALLOWED_HOSTS": "127.0.0.1",
        **environment,
    }


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
    environment = {"STREAMING_URL": url, **environment}
    env = site_environment(database=database, data_dir=data_dir, **environment)
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
