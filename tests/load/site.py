"""The processes of the site under load, with seeded users and without rate limits.

``Site`` also starts processes again that have died, as systemd would.
"""

import sys
import time
from pathlib import Path

from socialsite.local.demo_processes import (
    COLLECT_STATIC,
    MIGRATE,
    SERVICES,
    demo_environment,
    ready_urls,
    start_command,
    start_service,
    wait_for_command,
    wait_until_ready,
)
from socialsite.local.mongod import start_embedded
from socialsite.local.ports import free_port
from socialsite.local.processes import ChildProcess, start_child, stop_children
from tests.feed.chaos.replica_set import ReplicaSet
from tests.rate_limits import rate_limit_variables

RESTART_SECONDS = 1.0
"""The pause of the supervisor before it starts a dead process again (``RestartSec`` of systemd)."""


class Site:
    """A running site in ``folder``.

    Attributes:
        url, streams_url: origins of pages and of streams.
        env: the environment of the processes.
        children: the processes by role: "mongod", "web", "streams", "worker", "slow-worker".
    """

    def __init__(self, folder: Path, *, has_replica_set: bool, max_streams: int):
        self.folder = folder
        self.children: dict[str, ChildProcess] = {}
        self.replica_set: ReplicaSet | None = None
        self._port = free_port()
        self._restarts: dict[str, float] = {}
        if has_replica_set:
            self.replica_set = ReplicaSet(folder)
            uri = self.replica_set.uri
        else:
            server = start_embedded(data_dir=folder)
            self.children["mongod"], uri = server.child, server.uri
        self.url = f"http://127.0.0.1:{self._port}"
        self.env = {
            **demo_environment(mongodb_uri=uri, port=self._port, data_dir=folder),
            **dict.fromkeys(rate_limit_variables(), ""),
            "LIVE_MAX_STREAMS": str(max_streams),
            "LOG_LEVEL": "WARNING",
        }
        self.streams_url = self.env["STREAMING_URL"]

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        stop_children(list(self.children.values()))
        if self.replica_set:
            self.replica_set.__exit__()

    def prepare(self, *, people: int, posts: int) -> None:
        """Create the collections, the static files and the users, and write the list of usernames."""
        seed = ("seed_demo", "--if-empty", "--people", str(people), "--posts", str(posts))
        for command in (COLLECT_STATIC, MIGRATE, seed):
            self.run(*command)
        self.run_script("tests.load.sessions", "0")

    def run(self, *command: str) -> None:
        """Run a ``manage.py`` command."""
        children: list[ChildProcess] = []
        started = start_command(children, *command, env=self.env, logs=self.folder / "logs")
        wait_for_command(children, started)

    def run_script(self, module: str, *arguments: str) -> None:
        """Run a module of these tests with the settings of the site. It writes to ``folder``."""
        child = start_child(
            name=module,
            command=[sys.executable, "-m", module, str(self.folder), *arguments],
            env=self.env,
            log=self.folder / "logs" / f"{module}.log",
        )
        if child.process.wait():
            raise SystemExit(f"{module} failed.\n{child.log_tail(lines=20)}")

    def start(self) -> None:
        for role in SERVICES:
            self._start(role)
        wait_until_ready(list(self.children.values()), urls=ready_urls(self.env))

    def restart_dead(self) -> list[str]:
        """Start processes again that have died a second ago. Return their roles."""
        restarted = []
        for role, child in self.children.items():
            if child.is_running:
                continue
            due_at = self._restarts.setdefault(role, time.monotonic() + RESTART_SECONDS)
            if time.monotonic() >= due_at:
                del self._restarts[role]
                self._start(role)
                restarted.append(role)
        return restarted

    def _start(self, role: str) -> None:
        if role not in SERVICES:
            raise SystemExit(f"{role} has died.\n{self.children[role].log_tail()}")
        self.children[role] = start_service(role, env=self.env, data_dir=self.folder)
