"""Give every test run its own MongoDB server, define the slow tests and distribute all tests.

``addopts`` in ``pyproject.toml`` loads this plugin before Django reads its settings. The first process of
a test run starts a temporary server, or uses ``TEST_MONGODB_URI``. The temporary server stops together with
that process. The workers of pytest-xdist share the server, but each worker has its own database, broker
and data folder.
"""

import gc
import os
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling

from socialsite.local.errors import LocalError
from socialsite.local.mongodb_uri import with_database
from tests.with_mongodb import server_for_tests

FIXED = {
    "SECRET_KEY": "only-for-tests-0123456789-abcdefghijklmnopqrstuvwxyz",
    "DEBUG": "false",
    "HTTPS": "false",
    "ALLOWED_HOSTS": "*",
    "SITE_URL": "http://testserver",
    "EMAIL_URL": "memorymail://",
    "REDIS_URL": "",
    "S3_BUCKET": "",
    "FETCH_LINKS": "false",
    "WEB_PUSH_PRIVATE_KEY": "",
    "STATS_FLUSH_SECONDS": "0",
    # Only the conversion needs ffmpeg.
    "CLIPS_ENABLED": "true",
    # Let Python write bytecode files, because tests start many processes, which then start faster.
    "PYTHONDONTWRITEBYTECODE": "",
}
SLOW = (
    "api/clients",
    "api/test_schema.py",
    "browser",
    "deploy",
    "erasing",
    "feed/test_brokers.py",
    "feed/test_facebook_graph.py",
    "feed/test_failover.py",
    "feed/test_feed_bench.py",
    "feed/test_histories.py",
    "feed/test_mutations.py",
    "feed/test_object_storage.py",
    "feed/test_seed_demo.py",
    "feed/test_concurrent_publishing.py",
    "languages/test_marked_texts.py",
    "languages/test_translated_pages.py",
    "notifications/test_live_failover.py",
    "notifications/test_many_writers.py",
    "socialsite/test_demo_from_end_to_end.py",
    "socialsite/test_local_backup.py",
    "socialsite/test_shared_cache.py",
    "socialsite/test_local_setup.py",
)
"""Files and folders whose tests are slow. ``@pytest.mark.slow`` marks single slow tests elsewhere."""

LONG = {
    "test_changes_show_in_both_processes",
    "test_every_page_is_accessible_and_never_scrolls_sideways",
    "test_ready_notices_each_failure_and_each_recovery",
    "test_the_drill",
}
"""Tests of minutes. They start first, so that no worker begins one when the others are finished."""

TESTS = Path(__file__).parent
FIRST_TIER = "not slow"


@pytest.hookimpl(wrapper=True)  # set the environment before pytest-django loads the settings
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    gc.disable()  # until ``conftest.py`` has frozen the heap
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
    """Return the settings that differ between the processes of a test run."""
    data_dir = Path(os.environ["TEST_FOLDER"]) / name
    data_dir.mkdir()
    static = data_dir.with_name("static")
    static.mkdir(exist_ok=True)  # WhiteNoise warns if this folder is missing
    (data_dir / "static").symlink_to(static)  # all processes share the collected files
    database = f"socialsite_{name}"
    return {
        "DATA_DIR": str(data_dir),
        "MONGODB_NAME": database,
        "BROKER_URL": with_database(os.environ["MONGODB_URI"], f"{database}_jobs"),
    }


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import slow test files if the option ``-m 'not slow'`` excludes their tests."""
    is_left_out = config.option.markexpr == FIRST_TIER and _is_slow(collection_path)
    return True if is_left_out else None


def pytest_itemcollected(item: pytest.Item) -> None:
    if _is_slow(item.path):
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)  # sort the tests after pytest-randomly has shuffled them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the long tests first, then the slow ones, and the tests of each folder together.

    The tests of a folder run together because they share servers and browsers. A slow test that fails is
    repeated once, and ``run_report`` names it. A fast test has no excuse.
    """
    for test in items:
        if test.get_closest_marker("slow"):
            test.add_marker(pytest.mark.flaky(reruns=1))
    order: dict[Path, int] = {}
    for test in items:
        order.setdefault(test.path.parent, len(order))
    items.sort(key=lambda test: order[test.path.parent])
    items.sort(key=_start_order)


def _start_order(test: pytest.Item) -> int:
    if getattr(test, "originalname", test.name) in LONG:
        return 0
    return 1 if test.get_closest_marker("slow") else 2


@cache
def _is_slow(path: Path) -> bool:
    return any(path.is_relative_to(TESTS / slow) for slow in SLOW)


@pytest.hookimpl(tryfirst=True)  # run before pytest-xdist's hook, because the first result counts
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of cores plus one, to use all cores while a test waits for another process."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling:
    """Let idle workers take tests from busy workers."""
    return WorkStealingScheduling(config, log)
