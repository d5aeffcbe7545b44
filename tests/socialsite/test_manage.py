"""The command line explains missing settings and servers in one line, without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError
from pymongo.errors import ServerSelectionTimeoutError

from manage import connection_problem
from socialsite.local.ports import free_port

ROOT = Path(__file__).resolve().parents[2]


def manage(*command, cwd=ROOT, **environment):
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command],
        env={**os.environ, **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_unreachable_database_is_explained_without_the_password(settings):
    port = free_port()
    settings.MONGODB_URI = f"mongodb://anna:very-secret@127.0.0.1:{port}/?replicaSet=x"
    error = OperationalError("no server")
    error.__cause__ = ServerSelectionTimeoutError(f"127.0.0.1:{port}: connection refused")
    explanation = connection_problem(error)
    assert f"No MongoDB can be reached at 127.0.0.1:{port}" in explanation
    assert "very-secret" not in explanation


@pytest.mark.slow
def test_an_unreachable_database_causes_no_traceback():
    port = free_port()
    uri = f"mongodb://anna:very-secret@127.0.0.1:{port}/?serverSelectionTimeoutMS=100"
    result = manage("migrate", MONGODB_URI=uri)
    assert result.returncode == 1
    assert f"No MongoDB can be reached at 127.0.0.1:{port}" in result.stderr
    assert "Traceback" not in result.stderr
    assert "very-secret" not in result.stderr


def test_a_missing_secret_stops_a_production_site():
    # Set the variable to an empty text, because a developer's .env would define an unset variable.
    result = manage("check", SECRET_KEY="", DEBUG="false")
    assert result.returncode == 1
    assert result.stderr.startswith("Error: SECRET_KEY is not set.")
    assert "Traceback" not in result.stderr


def test_a_missing_database_stops_the_site(tmp_path):
    result = manage("check", MONGODB_URI="", DATA_DIR=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("Error: MONGODB_URI is not set")
    assert "Traceback" not in result.stderr


def test_invalid_feed_settings_are_refused(settings):
    settings.FEED_STRATEGY, settings.FEED_INBOX_MAX = "prayer", 10
    with pytest.raises(SystemCheckError) as refused:
        call_command("check")
    assert "FEED_STRATEGY is 'prayer'" in str(refused.value)
    assert "FEED_INBOX_MAX is 10" in str(refused.value)


def test_servers_without_transactions_are_refused():
    from socialsite.local.server_check import hello_problem

    standalone = {"maxWireVersion": 17, "ok": 1}
    assert "standalone server" in hello_problem(standalone)
    assert hello_problem({**standalone, "setName": "rs0"}) == ""
    assert "MongoDB 6 or newer" in hello_problem({"maxWireVersion": 13, "setName": "rs0"})
