"""The units of systemd are valid, and their processes restart and may write only their own data."""

import os
import re
import shutil
import subprocess

import pytest

from socialsite.local.demo_processes import STREAMS_OPTIONS
from socialsite.local.processes import ROOT

FOLDER = ROOT / "docs" / "deploy" / "systemd"
UNITS = sorted(FOLDER.glob("*.service"))


def test_systemd_accepts_the_units(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        if os.environ.get("SOCIALSITE_REQUIRE_NGINX") == "1":
            pytest.fail("systemd-analyze is not installed.")
        pytest.skip("systemd-analyze is not installed (Debian: systemd).")
    # The programs are not installed here.
    for unit in FOLDER.iterdir():
        text = re.sub(r"/opt/socialsite/\.venv/bin/\w+", "/bin/true", unit.read_text())
        (tmp_path / unit.name).write_text(text)
    command = [analyze, "verify", "--man=no", "--recursive-errors=no"]
    result = subprocess.run(
        [*command, *tmp_path.iterdir()], capture_output=True, text=True, timeout=60
    )
    assert (result.returncode, result.stderr) == (0, "")


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
