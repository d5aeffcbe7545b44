"""The units of systemd are valid, and their processes restart and may write only their own data."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from socialsite.local.demo_processes import STREAMS_OPTIONS
from socialsite.local.processes import ROOT

FOLDER = ROOT / "docs" / "deploy" / "systemd"
UNITS = sorted(FOLDER.glob("*.service"))


COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
MAX_EXPOSURE = 3.0


@pytest.fixture
def analyze():
    """Return the path of ``systemd-analyze``."""
    path = shutil.which("systemd-analyze")
    if path is None:
        if os.environ.get("SOCIALSITE_REQUIRE_NGINX") == "1":
            pytest.fail("systemd-analyze is not installed.")
        pytest.skip("systemd-analyze is not installed (Debian: systemd).")
    return path


def test_systemd_accepts_the_units(tmp_path, analyze):
    # The programs are not installed here.
    for unit in FOLDER.iterdir():
        text = re.sub(r"/opt/socialsite/\.venv/bin/\w+", "/bin/true", unit.read_text())
        (tmp_path / unit.name).write_text(text)
    command = [analyze, "verify", "--man=no", "--recursive-errors=no"]
    result = subprocess.run(
        [*command, *tmp_path.iterdir()], capture_output=True, text=True, timeout=60
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_units_can_do_little_besides_their_work(unit, analyze):
    command = [analyze, "security", "--offline=true", "--no-pager", str(unit)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    exposure = re.search(r"Overall exposure level for \S+: ([0-9.]+)", result.stdout)
    assert float(exposure[1]) <= MAX_EXPOSURE


def test_each_queue_has_a_worker():
    units = {unit.stem: unit.read_text() for unit in UNITS}
    commands = {name: service.get("command", "") for name, service in COMPOSE["services"].items()}
    for worker, slow_worker in (
        (units["socialsite-worker"], units["socialsite-slow-worker"]),
        (commands["worker"], commands["slow-worker"]),
    ):
        assert "celery -A socialsite worker" in worker
        assert "--queues" not in worker
        assert f"celery -A socialsite worker --queues {settings.SLOW_QUEUE}" in slow_worker
        assert "--concurrency 1" in slow_worker


def test_databases_in_containers_have_passwords_and_networks_of_their_own():
    services = COMPOSE["services"]
    site = {name for name, service in services.items() if service.get("image") == "socialsite"}
    assert site == {"prepare", "web", "streams", "worker", "slow-worker", "beat"}
    for name in ("mongodb", "redis"):
        assert "ports" not in services[name]
        assert services[name]["networks"] == [name]
        assert COMPOSE["networks"][name] == {"internal": True}
    assert "--keyFile" in services["mongodb"]["command"]
    assert "--requirepass ${REDIS_PASSWORD:?}" in services["redis"]["command"]
    for name in site:
        environment = services[name]["environment"]
        assert ":${MONGODB_PASSWORD:?}@" in environment["MONGODB_URI"]
        for variable in ("REDIS_URL", "BROKER_URL"):
            assert ":${REDIS_PASSWORD:?}@" in environment[variable]
    names = set(re.findall(r"\$\{(\w+):\?\}", (ROOT / "compose.yaml").read_text()))
    guide = (ROOT / "docs" / "deploy.md").read_text()
    assert all(name in guide for name in names)


def test_other_users_of_the_machine_cannot_read_files():
    path = default_storage.save("archives/of-somebody.zip", ContentFile(b"private"))
    try:
        file = Path(default_storage.path(path))
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        assert settings.FILE_UPLOAD_DIRECTORY_PERMISSIONS == 0o750
    finally:
        default_storage.delete(path)
    guide = (ROOT / "docs" / "deploy.md").read_text()
    assert "--groups socialsite www-data" not in guide
    assert "--mode 0400 docs/deploy/socialsite.env" in guide
    assert all("StateDirectoryMode=0711" in unit.read_text() for unit in UNITS)


@pytest.mark.parametrize("path", ["compose.yaml", "docs/deploy/systemd/socialsite-streams.service"])
def test_the_streams_process_limits_messages_like_that_of_the_demo(path):
    assert " ".join(STREAMS_OPTIONS) in " ".join((ROOT / path).read_text().split())


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_all_units_are_hardened_and_restart(unit):
    lines = unit.read_text().splitlines()
    for line in (
        "User=socialsite",
        "Restart=always",
        "StartLimitIntervalSec=0",
        "StateDirectory=socialsite",
        "ProtectSystem=strict",
        "PrivateTmp=yes",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
    ):
        assert line in lines
