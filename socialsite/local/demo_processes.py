"""Processes of the demo and their environment: ``manage.py`` commands, web server, streams and workers."""

import http.client
import os
import secrets
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import environ

from .errors import LocalError
from .ports import free_port, is_free
from .processes import ROOT, ChildProcess, start_child

COLLECT_STATIC = ("collectstatic", "--noinput", "--verbosity=0")
MIGRATE = ("migrate", "--verbosity=0")
SEED_DEMO = ("seed_demo", "--if-empty")
START_TIMEOUT_SECONDS = 60.0
NICENESS = 5
"""Pages come first: the workers and the streams process get a third of the time that others get."""


def read_env_file() -> None:
    """Read ``.env``, as the settings do. Existing environment variables take precedence."""
    environ.Env.read_env(ROOT / ".env")


def data_dir() -> Path:
    """Return the folder with all data of the demo. Create the folder if it is missing."""
    path = Path(os.environ.get("DATA_DIR") or ROOT / ".data").resolve()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def demo_environment(*, mongodb_uri: str, port: int, data_dir: Path) -> dict[str, str]:
    """Return the environment of all processes: production settings, for localhost without HTTPS."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        "SECRET_KEY": os.environ.get("SECRET_KEY") or _saved_secret(data_dir / "secret"),
        "DEBUG": "false",
        "HTTPS": "false",
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
        "SITE_URL": f"http://127.0.0.1:{port}",
        "STREAMING_URL": f"http://127.0.0.1:{streams_port(port)}",
        "EMAIL_URL": "consolemail://",
        "FETCH_LINKS": "false",
        "MONGODB_URI": mongodb_uri,
        "DATA_DIR": str(data_dir),
        "PYTHONUNBUFFERED": "1",
    }


def streams_port(port: int) -> int:
    """Return the port of event streams: the next one if it is free, else any free port."""
    return port + 1 if port < 65535 and is_free(port + 1) else free_port()


def start_command(
    children: list[ChildProcess], *command: str, env: Mapping[str, str], logs: Path | None
) -> ChildProcess:
    """Start a ``manage.py`` command, which writes to a file in ``logs``, or to the terminal if None."""
    child = start_child(
        name=f"manage.py {command[0]}",
        command=[sys.executable, "manage.py", *command],
        env=env,
        log=logs / f"{command[0]}.log" if logs else None,
    )
    children.append(child)
    return child


def wait_for_command(children: list[ChildProcess], command: ChildProcess) -> None:
    """Wait for a command to end. Raises LocalError if it fails."""
    if command.process.wait() != 0:
        raise LocalError(f"{command.name} failed.\n{command.log_tail(lines=20)}".rstrip())
    children.remove(command)


STREAMS_OPTIONS = (
    *("--ws", "websockets-sansio", "--ws-max-size", "16384", "--ws-per-message-deflate", "false"),
    *("--timeout-graceful-shutdown", "5"),
)
"""Without these limits, a few clients with large or compressed messages could fill the memory."""

CELERY = (
    *("celery", "-A", "socialsite", "worker", "--concurrency", "1"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat"),
)
SERVICES = {
    "worker": "The worker",
    "slow-worker": "The worker of slow jobs",
    "streams": "The streams process",
    "web": "The web server",
}
"""The processes of the site that keep running, in the order of their start."""


def start_service(service: str, *, env: Mapping[str, str], data_dir: Path) -> ChildProcess:
    """Start a process of ``SERVICES``, which writes to a file in ``logs`` of ``data_dir``."""
    if service == "web":
        bind = f"127.0.0.1:{urlsplit(env['SITE_URL']).port}"
        command = [sys.executable, "-m", "gunicorn", "socialsite.wsgi", "--bind", bind]
    elif service == "streams":
        command = streams_command(env["STREAMING_URL"])
    else:
        schedule = ("--beat", "--schedule", str(data_dir / "celerybeat-schedule"))
        slow = ("--queues", "slow", "--hostname", "slow@%h")
        command = [sys.executable, "-m", *CELERY, *(schedule if service == "worker" else slow)]
    # If this process is killed, the database ends too. After SIGTERM, a worker would wait for the missing
    # database. After SIGKILL, the scheduler, a child of the worker, would keep running. SIGQUIT ends both.
    return start_child(
        name=SERVICES[service],
        command=command,
        env=env,
        log=data_dir / "logs" / f"{service}.log",
        parent_death_signal=signal.SIGQUIT if "worker" in service else signal.SIGTERM,
        niceness=0 if service == "web" else NICENESS,
    )


def streams_command(url: str) -> list[str]:
    """Return the command that serves event streams at this address of this machine."""
    port = str(urlsplit(url).port)
    command = [sys.executable, "-m", "uvicorn", "socialsite.asgi:application", "--port", port]
    return [*command, *STREAMS_OPTIONS]


def wait_until_ready(children: Sequence[ChildProcess], *, urls: Sequence[str]) -> None:
    """Wait until the pages load. Raises LocalError after a timeout, or if a child process ends."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while any(_status_of(url) >= 500 for url in urls):
        raise_if_stopped(children)
        if time.monotonic() > deadline:
            raise LocalError(f"The site did not start in time.\n{children[-1].log_tail(lines=20)}")
        time.sleep(0.2)


def watch_children(children: Sequence[ChildProcess]) -> NoReturn:
    """Wait until a child process ends, then raise LocalError."""
    while True:
        raise_if_stopped(children)
        time.sleep(0.5)


def raise_if_stopped(children: Sequence[ChildProcess]) -> None:
    """Raise LocalError with the last log lines if a child process has ended."""
    for child in children:
        if not child.is_running:
            code = child.process.returncode
            cause = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            raise LocalError(f"{child.name} {cause}.\n{child.log_tail()}")


def ready_urls(env: Mapping[str, str]) -> list[str]:
    """Return the pages that show whether the web server and the streams process are ready."""
    return [f"{env['SITE_URL']}/", f"{env['STREAMING_URL']}/api/v1/streaming/health"]


def _status_of(url: str) -> int:
    # ``urllib`` would send the request to the proxy that environment variables may name.
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    try:
        connection.request("GET", parts.path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 503
    finally:
        connection.close()


def _saved_secret(path: Path) -> str:
    """Return the secret key of the demo. The key is saved, so that log-ins survive a restart."""
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        unfinished.touch(mode=0o600)
        unfinished.write_text(secrets.token_urlsafe(50))
        unfinished.rename(path)
    return path.read_text().strip()
