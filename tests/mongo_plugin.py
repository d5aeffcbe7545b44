"""Gives every test run a MongoDB of its own, before Django reads its settings.

Loaded by ``addopts`` in ``pyproject.toml``. The first process starts one throw-away server (or takes
``TEST_MONGODB_URI``); it dies with that process. Workers of pytest-xdist share the server, each with
its own database, broker and data folder. It also says how workers share the tests.
"""

import os
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling

from socialsite.local.address import with_database
from socialsite.local.errors import LocalError
from socialsite.local.with_mongodb import server_for_tests

FIXED = {
    "SECRET_KEY": "only-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz",
    "DEBUG": "false",
    "HTTPS": "false",
    "ALLOWED_HOSTS": "*",
    "SITE_URL": "http://testserver",
    "EMAIL_URL": "memorymail://",
    "REDIS_URL": "",
    "WEB_PUSH_PRIVATE_KEY": "",
    # Kept even where this says otherwise: tests start the program many times.
    "PYTHONDONTWRITEBYTECODE": "",
}
LONG = {
    "test_access",
    "test_access_table",
    "test_brokers",
    "test_demo_from_end_to_end",
    "test_erasing",
    "test_facebook_graph",
    "test_failover",
    "test_histories",
    "test_many_writers",
    "test_matrix",
    "test_mutations",
    "test_seed_demo",
    "test_while_publishing",
}
"""Modules that begin, so that in the end no worker waits for another that has just begun with one."""


@pytest.hookimpl(wrapper=True)  # a wrapper runs before pytest-django's hook of this name
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        running = ExitStack()
        early_config.add_cleanup(running.close)
        try:
            os.environ["MONGODB_URI"] = running.enter_context(server_for_tests())
        except LocalError as error:
            raise pytest.UsageError(str(error)) from None
        folder = tempfile.TemporaryDirectory(prefix="socialsite-tests-", ignore_cleanup_errors=True)
        os.environ["TEST_FOLDER"] = running.enter_context(folder)
    os.environ.update(FIXED, **_of_one_process(worker or "main"))
    return (yield)


def _of_one_process(name: str) -> dict[str, str]:
    """The settings in which the processes of one run differ."""
    data_dir = Path(os.environ["TEST_FOLDER"]) / name
    data_dir.mkdir()
    static = data_dir.with_name("static")
    static.mkdir(exist_ok=True)  # WhiteNoise warns where it is missing
    (data_dir / "static").symlink_to(static)  # the same for all
    database = f"socialsite_{name}"
    return {
        "DATA_DIR": str(data_dir),
        "MONGODB_NAME": database,
        "BROKER_URL": with_database(os.environ["MONGODB_URI"], f"{database}_jobs"),
    }


@pytest.hookimpl(tryfirst=True)  # before xdist's own
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: now and then every test waits for other processes."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling:
    """Who has done all takes of what another has yet to do."""
    return WorkStealingScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem not in LONG)
