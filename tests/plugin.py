"""Gives every test run a MongoDB of its own, before Django reads its settings.

Loaded by ``addopts`` in ``pyproject.toml``. The first process starts one throw-away server (or takes
``TEST_MONGODB_URI``); it dies with that process. Workers of pytest-xdist share the server, each with
its own database, broker and data folder. It also says which tests are slow and how workers share them.
"""

import os
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling

from socialsite.local.errors import LocalError
from socialsite.local.mongodb_uri import with_database
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
    "STATS_FLUSH_SECONDS": "0",
    # Kept even where this says otherwise: tests start the program many times.
    "PYTHONDONTWRITEBYTECODE": "",
}
SLOW = (
    "api/clients",
    "api/test_schema.py",
    "browser",
    "erasing",
    "feed/test_brokers.py",
    "feed/test_facebook_graph.py",
    "feed/test_failover.py",
    "feed/test_feed_bench.py",
    "feed/test_histories.py",
    "feed/test_mutations.py",
    "feed/test_seed_demo.py",
    "feed/test_concurrent_publishing.py",
    "notifications/test_live_failover.py",
    "notifications/test_many_writers.py",
    "socialsite/test_demo_from_end_to_end.py",
    "socialsite/test_local_setup.py",
)
"""Files and folders of the slow tier. Other tests join it with ``@pytest.mark.slow``."""

TESTS = Path(__file__).parent
FIRST_TIER = "not slow"


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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Save the first tier from importing what it leaves out anyway."""
    is_left_out = config.option.markexpr == FIRST_TIER and _is_slow(collection_path)
    return True if is_left_out else None


def pytest_itemcollected(item: pytest.Item) -> None:
    if _is_slow(item.path):
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)  # after pytest-randomly has shuffled them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the slow tests, folder by folder: servers and browsers are shared by a folder.

    Otherwise a worker that has just begun with a long test keeps the others waiting in the end.
    """
    order: dict[Path, int] = {}
    for test in items:
        order.setdefault(test.path.parent, len(order))
    items.sort(key=lambda test: order[test.path.parent])
    items.sort(key=lambda test: test.get_closest_marker("slow") is None)


def _is_slow(path: Path) -> bool:
    return any(path.is_relative_to(TESTS / slow) for slow in SLOW)


@pytest.hookimpl(tryfirst=True)  # before xdist's own
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: now and then every test waits for other processes."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling:
    """Who has done all takes of what another has yet to do."""
    return WorkStealingScheduling(config, log)
