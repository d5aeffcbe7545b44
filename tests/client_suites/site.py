"""A site with its own database and worker, in a temporary folder and without rate limits."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from notifications.push.keys import new_private_key
from socialsite.local.demo_processes import (
    COLLECT_STATIC,
    MIGRATE,
    SERVICES,
    demo_environment,
    ready_urls,
    start_command,
    start_service,
    streams_port,
    wait_for_command,
    wait_until_ready,
)
from socialsite.local.mongod import temporary_server
from socialsite.local.ports import free_port
from socialsite.local.processes import ChildProcess, stop_children
from tests.rate_limits import rate_limit_variables

PUSH_HOST = "push.example"
"""Host of the push subscriptions that the clients make. Nothing is sent to this host."""

ANNOUNCE = """
from socialsite.moderation.models import Announcement
Announcement.objects.create(text="Hello")
"""


@contextmanager
def running_site(*, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Start a site without users. Yield its URL. With port 0, the port is any free one."""
    children: list[ChildProcess] = []
    with (
        temporary_server() as mongodb_uri,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        data_dir, port = Path(folder), port or free_port()
        env = {
            **demo_environment(mongodb_uri=mongodb_uri, port=port, data_dir=data_dir),
            **dict.fromkeys(rate_limit_variables(), ""),
            "SITE_URL": f"http://{host}:{port}",
            "STREAMING_URL": f"http://{host}:{streams_port(port)}",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "WEB_PUSH_PRIVATE_KEY": new_private_key(),
            "WEB_PUSH_CONTACT": "mailto:admin@example.org",
            "WEB_PUSH_HOSTS": PUSH_HOST,
        }
        try:
            for command in (COLLECT_STATIC, MIGRATE, ("shell", "-c", ANNOUNCE)):
                started = start_command(children, *command, env=env, logs=data_dir / "logs")
                wait_for_command(children, started)
            children.extend(
                start_service(service, env=env, data_dir=data_dir) for service in SERVICES
            )
            wait_until_ready(children, urls=ready_urls(env))
            yield env["SITE_URL"]
        finally:
            stop_children(children)
