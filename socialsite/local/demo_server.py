"""``make demo``: the whole site on one machine, from its database to its workers, until Ctrl-C.

The command checks the port, starts MongoDB (unless ``MONGODB_URI`` is set), creates collections and demo
users, and starts the workers, the streams process and the web server. The logs are in ``.data/logs``.
"""

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import NoReturn

from rich.console import Console
from rich.panel import Panel

from . import demo_processes
from .demo_processes import COLLECT_STATIC, MIGRATE, SEED_DEMO, start_command, wait_for_command
from .errors import LocalError
from .mongod import start_embedded
from .ports import is_free
from .processes import ChildProcess, stop_children
from .server_check import check_server

DEFAULT_PORT = 8000
WELCOME_TEXT = """\
The site is at [bold]{url}[/]
{condition}
Log in as    [bold]alice[/], [bold]bob[/] or [bold]carol[/]   password  [bold]socialsite-demo[/]
Moderate as  [bold]admin[/]   password  [bold]socialsite-demo[/]
         at  {url}/admin/

Mails and log files are in {logs}.
Ctrl-C stops everything and keeps the data."""

console = Console(highlight=False, soft_wrap=True)


def main() -> int:
    """Serve the demo until it is stopped. Returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    children: list[ChildProcess] = []
    try:
        _serve(children)
    except KeyboardInterrupt:
        _say("Stopping.")
        return 0
    except LocalError as error:
        _complain(str(error))
    except PermissionError as error:
        _complain(f"{error}. Check whether another user or sudo created it.")
    finally:
        console.show_cursor()
        stop_children(children)
    return 1


def _serve(children: list[ChildProcess]) -> NoReturn:
    """Start all processes in order. Append each process to ``children``, which the caller stops."""
    demo_processes.read_env_file()
    port, data_dir = parse_port(os.environ.get("PORT", "")), demo_processes.data_dir()
    mongodb_uri = _mongodb(children, data_dir)
    env = demo_processes.demo_environment(mongodb_uri=mongodb_uri, port=port, data_dir=data_dir)
    _prepare(children, env=env, logs=data_dir / "logs")
    with console.status("Starting the workers, the streams process and the web server"):
        children.extend(
            demo_processes.start_service(service, env=env, data_dir=data_dir)
            for service in demo_processes.SERVICES
        )
        demo_processes.wait_until_ready(children, urls=demo_processes.ready_urls(env))
    # With ``MONGODB_URI``, the database may already contain other users, and then has no demo accounts.
    condition = (
        "\nIf your database contains the demo accounts:" if "MONGODB_URI" in os.environ else ""
    )
    text = WELCOME_TEXT.format(
        url=f"http://127.0.0.1:{port}", logs=_short(data_dir / "logs"), condition=condition
    )
    console.print(Panel(text, expand=False, padding=(1, 2)))
    demo_processes.watch_children(children)


def _prepare(children: list[ChildProcess], *, env: Mapping[str, str], logs: Path) -> None:
    """Create collections and static files and, in an empty database, demo users and posts."""
    with console.status("Preparing collections and static files"):
        static = start_command(children, *COLLECT_STATIC, env=env, logs=logs)
        wait_for_command(children, start_command(children, *MIGRATE, env=env, logs=logs))
        wait_for_command(children, static)
    _done("Collections, indexes and static files")
    # Show no status, because this command prints its own progress.
    wait_for_command(children, start_command(children, *SEED_DEMO, env=env, logs=None))


def _mongodb(children: list[ChildProcess], data_dir: Path) -> str:
    """Return the URI of MongoDB. Starts the embedded server unless ``MONGODB_URI`` is set."""
    if uri := os.environ.get("MONGODB_URI", ""):
        with console.status("Checking the MongoDB server of MONGODB_URI"):
            check_server(uri)
        _done("MongoDB server of MONGODB_URI")
        return uri
    with console.status("Starting MongoDB"):
        mongod = start_embedded(data_dir=data_dir)
    if mongod.child:
        children.append(mongod.child)
    _done(f"MongoDB with its data in {_short(data_dir / 'mongod')}")
    return mongod.uri


def parse_port(text: str) -> int:
    """Return the port to serve on. Raises LocalError if it is invalid or taken."""
    text = text or str(DEFAULT_PORT)
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise LocalError(
            f"PORT is {text!r}, which is no port number. Choose a number from 1024 to 65535."
        )
    port = int(text)
    if port < 1024 and os.geteuid() != 0:
        raise LocalError(f"Port {port} requires root. Choose a port from 1024 to 65535.")
    if not is_free(port):
        raise LocalError(
            f"Port {port} is taken by another program (perhaps another demo). Stop it, or choose "
            f"another port: make demo PORT={port + 1 if port < 65535 else DEFAULT_PORT}"
        )
    return port


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _short(path: Path) -> str:
    """Return the path relative to the current folder if the path is in this folder."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _done(step: str) -> None:
    console.print(f"[green]✓[/] {step}")


def _say(text: str) -> None:
    console.print(text, markup=False)


def _complain(text: str) -> None:
    console.print("[bold red]Error:[/]", end=" ")
    console.print(text, markup=False)


if __name__ == "__main__":
    sys.exit(main())
