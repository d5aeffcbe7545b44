"""The demo's own parts: how its settings differ, what is prepared, and the two servers of the site."""

import http.client
import os
import secrets
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import environ

from .errors import LocalError
from .processes import ROOT, ChildProcess, start_child

COLLECT_STATIC = ("collectstatic", "--noinput", "--verbosity=0")
MIGRATE = ("migrate", "--verbosity=0")
SEED_DEMO = ("seed_demo", "--if-empty")
START_TIMEOUT_SECONDS = 60.0


def read_env_file() -> None:
    """Take what ``.env`` sets and the environment does not, as the settings do."""
    environ.Env.read_env(ROOT / ".env")


def data_dir() -> Path:
    """Where the demo keeps everything."""
    path = Path(os.environ.get("DATA_DIR") or ROOT / ".data").resolve()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def demo_environment(*, mongodb_uri: str, port: int, data_dir: Path) -> dict[str, str]:
    """The variables of all parts: a site as in production, but for this machine and without HTTPS."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "socialsite.settings",
        "SECRET_KEY": os.environ.get("SECRET_KEY") or _kept_secret(data_dir / "secret"),
        "DEBUG": "false",
        "HTTPS": "false",
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
        "SITE_URL": f"http://127.0.0.1:{port}",
        "EMAIL_URL": "consolemail://",
        "MONGODB_URI": mongodb_uri,
        "DATA_DIR": str(data_dir),
        "PYTHONUNBUFFERED": "1",
    }


def start_command(
    children: list[ChildProcess], *command: str, env: Mapping[str, str], logs: Path | None
) -> ChildProcess:
    """Begin a command of ``manage.py``, quietly if there is a folder for its log; then ``finish`` it."""
    child = start_child(
        name=f"manage.py {command[0]}",
        command=[sys.executable, "manage.py", *command],
        env=env,
        log=logs / f"{command[0]}.log" if logs else None,
    )
    children.append(child)
    return child


def wait_for_command(children: list[ChildProcess], command: ChildProcess) -> None:
    """Wait for a command's end. Raises LocalError when it failed."""
    if command.process.wait() != 0:
        raise LocalError(f"{command.name} failed.\n{command.log_tail(lines=20)}".rstrip())
    children.remove(command)


def start_worker(children: list[ChildProcess], *, env: Mapping[str, str], data_dir: Path) -> None:
    """Celery: deliveries to larger audiences, and the clock that resumes what stopped."""
    command = [sys.executable, "-m", "celery", "-A", "socialsite", "worker", "--beat"]
    command += ["--schedule", str(data_dir / "celerybeat-schedule"), "--concurrency", "1"]
    command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    log = data_dir / "logs" / "worker.log"
    # If we are killed, the database goes too, and a polite end (SIGTERM) would wait for it. SIGKILL
    # would leave the clock behind, which is the worker's own child.
    worker = start_child(
        name="The worker", command=command, env=env, log=log, parent_death_signal=signal.SIGQUIT
    )
    children.append(worker)


def start_web(
    children: list[ChildProcess], *, env: Mapping[str, str], data_dir: Path, port: int
) -> None:
    """Gunicorn, which loads the site after forking: a database client must not be shared."""
    command = [sys.executable, "-m", "gunicorn", "socialsite.wsgi", "--bind", f"127.0.0.1:{port}"]
    # An open page may hold a thread (LIVE_MAX_STREAMS); these are four more.
    command += ["--workers", "2", "--worker-class", "gthread", "--threads", "104"]
    command += ["--graceful-timeout", "5", "--no-control-socket"]
    log = data_dir / "logs" / "web.log"
    children.append(start_child(name="The web server", command=command, env=env, log=log))


def wait_until_ready(children: Sequence[ChildProcess], *, port: int) -> None:
    """Return when the first page is there. Raises LocalError when it does not come."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while _status_of_first_page(port) >= 500:
        raise_if_stopped(children)
        if time.monotonic() > deadline:
            raise LocalError(f"The site shows no page.\n{children[-1].log_tail(lines=20)}")
        time.sleep(0.2)


def watch_children(children: Sequence[ChildProcess]) -> NoReturn:
    """Wait for ever. Raises LocalError when one of them ends."""
    while True:
        raise_if_stopped(children)
        time.sleep(0.5)


def raise_if_stopped(children: Sequence[ChildProcess]) -> None:
    """Raise LocalError with the last words of one that ended by itself."""
    for child in children:
        if not child.is_running:
            code = child.process.returncode
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            raise LocalError(f"{child.name} {how}.\n{child.log_tail()}")


def _status_of_first_page(port: int) -> int:
    # Not urllib: that would ask a proxy where the environment names one.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 503
    finally:
        connection.close()


def _kept_secret(path: Path) -> str:
    """The secret of this demo, made once, so that a restart logs nobody out."""
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        unfinished.touch(mode=0o600)
        unfinished.write_text(secrets.token_urlsafe(50))
        unfinished.rename(path)
    return path.read_text().strip()
