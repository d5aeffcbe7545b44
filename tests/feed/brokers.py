"""Real message brokers for tests, each on a free port and with data in the test's folder."""

import gc
import os
import shutil
import signal
import socket
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection

from socialsite.celery import app
from socialsite.local.ports import free_port
from socialsite.local.processes import start_child

REQUIRED = os.environ.get("SOCIALSITE_REQUIRE_BROKERS") == "1"
# The script of the same name in PATH would switch to the system user of RabbitMQ.
RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
START_SECONDS = 90.0


class BuiltIn:
    """The default broker: a database on the site's MongoDB."""

    def __init__(self, folder):
        self.url = os.environ["BROKER_URL"]

    def start(self):
        pass

    def stop(self):
        connection.database.client.drop_database(f"{connection.settings_dict['NAME']}_jobs")
        connection.database.client.drop_database(f"{os.environ['MONGODB_NAME']}_jobs")


class Redis:
    def __init__(self, folder):
        self.program = _program("redis-server")
        self.folder, self.port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self):
        folder = _empty_folder(self.folder / "redis")
        command = [self.program, "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no", "--dir", str(folder)]
        self.child = start_child(
            name="Redis",
            command=command,
            log=self.folder / "redis.log",
            parent_death_signal=signal.SIGKILL,
        )
        _wait_for_answer(self.child, self.port, b"PING\r\n", b"+PONG")

    def stop(self):
        self.child.kill()

    def lose_everything(self):
        self.stop()
        self.start()


class RabbitMQ:
    """A RabbitMQ server with its own epmd, the port mapper of Erlang.

    Otherwise, Erlang would start an epmd that outlives the server."""

    def __init__(self, folder):
        self.program, self.epmd = _program(str(RABBITMQ)), _program("epmd")
        self.folder = folder
        self.port, self.dist_port, self.epmd_port = free_port(), free_port(), free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def start(self):
        home = _empty_folder(self.folder / "rabbitmq")
        (home / "plugins").write_text("[].")
        (home / "conf.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{self.port}\n")
        env = {
            **os.environ,
            "HOME": str(home),
            "ERL_EPMD_PORT": str(self.epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"test{self.port}@localhost",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.dist_port),
            "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
            "RABBITMQ_LOG_BASE": str(home / "log"),
            "RABBITMQ_PID_FILE": str(home / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(home / "conf.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(home / "advanced.config"),
            "RABBITMQ_CONF_ENV_FILE": str(home / "env.conf"),
            # Two Erlang schedulers without busy waiting leave CPU time for other tests.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none",
        }
        epmd = [self.epmd, "-address", "127.0.0.1", "-port", str(self.epmd_port)]
        self.children = [
            start_child(
                name="epmd", command=epmd, log=home / "epmd.log", parent_death_signal=signal.SIGKILL
            )
        ]
        child = start_child(
            name="RabbitMQ",
            command=[self.program],
            env=env,
            log=self.folder / "rabbitmq.log",
            parent_death_signal=signal.SIGKILL,
        )
        self.children.append(child)
        try:
            _wait_for_answer(child, self.port, b"AMQP\x00\x00\x09\x01", b"\x01\x00\x00")
        except BaseException:
            self.stop()
            raise

    def stop(self):
        for child in reversed(self.children):
            child.kill()

    def lose_everything(self):
        """Empty the queue and end the connection of this process, as a restart does that takes long."""
        with app.connection_for_write() as other:
            other.default_channel.queue_purge(app.conf.task_default_queue)
        with app.producer_pool.acquire(block=True) as producer:
            producer.connection.connection.transport.sock.shutdown(socket.SHUT_RDWR)


BROKERS = {"built-in": BuiltIn, "redis": Redis, "rabbitmq": RabbitMQ}


@contextmanager
def publishing_through(url):
    """Let this process enqueue tasks through the broker at ``url``."""
    before = app.conf.broker_write_url
    _set_broker(url)
    try:
        yield
    finally:
        _set_broker(before)


def _set_broker(url):
    app.conf.broker_write_url = url
    app.amqp._producer_pool = None
    app._pool = None
    with warnings.catch_warnings():
        # The MongoDB transport does not close its client after a failed connection.
        warnings.filterwarnings("ignore", "Unclosed MongoClient", ResourceWarning)
        gc.collect()


def _program(name):
    path = shutil.which(name)
    if path is None:
        if REQUIRED:
            pytest.fail(f"{name} is not installed.")
        pytest.skip(f"{name} is not installed (Debian: redis-server, rabbitmq-server).")
    return path


def _empty_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _wait_for_answer(child, port, question, answer):
    deadline = time.monotonic() + START_SECONDS
    while not _is_answering(port, question, answer):
        assert child.is_running, child.log_tail(lines=30)
        assert time.monotonic() < deadline, child.log_tail(lines=30)
        time.sleep(0.05)


def _is_answering(port, question, answer):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connected:
            connected.sendall(question)
            return connected.recv(16).startswith(answer)
    except OSError:
        return False
