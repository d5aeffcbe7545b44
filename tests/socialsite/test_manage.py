"""The command line explains what is missing, in a line and without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import OperationalError
from pymongo.errors import ServerSelectionTimeoutError

from manage import why_no_database
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
    explanation = why_no_database(error)
    assert f"No MongoDB can be reached at 127.0.0.1:{port}" in explanation
    assert "very-secret" not in explanation


@pytest.mark.slow
def test_an_unreachable_database_is_told_without_a_traceback_or_the_password():
    port = free_port()
    uri = f"mongodb://anna:very-secret@127.0.0.1:{port}/?replicaSet=x"
    result = manage("migrate", MONGODB_URI=uri)
    assert result.returncode == 1
    assert f"No MongoDB can be reached at 127.0.0.1:{port}" in result.stderr
    assert "Traceback" not in result.stderr
    assert "very-secret" not in result.stderr


def test_a_missing_secret_stops_a_production_site_with_a_sentence():
    # Set but empty: a developer's own .env must not lend its secret.
    result = manage("check", SECRET_KEY="", DEBUG="false")
    assert result.returncode == 1
    assert result.stderr.startswith("Error: SECRET_KEY is not set.")
    assert "Traceback" not in result.stderr


def test_a_missing_database_stops_the_site_with_a_sentence(tmp_path):
    result = manage("check", MONGODB_URI="", DATA_DIR=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("Error: MONGODB_URI is not set")
    assert "Traceback" not in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [("FEED_STRATEGY", "prayer"), ("FEED_INBOX_MAX", "10")])
def test_feed_settings_that_cannot_work_are_refused(name, value):
    result = manage("check", **{name: value})
    assert result.returncode == 1
    assert name in result.stderr
    assert "Traceback" not in result.stderr


def test_a_server_without_transactions_is_told_from_one_with_them():
    from socialsite.engine.validation import hello_problem

    alone = {"maxWireVersion": 17, "ok": 1}
    assert "stands alone" in hello_problem(alone)
    assert hello_problem({**alone, "setName": "rs0"}) == ""
    assert "MongoDB 6 or newer" in hello_problem({"maxWireVersion": 13, "setName": "rs0"})
