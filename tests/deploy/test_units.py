"""The units of systemd are valid, and their processes restart and may write only their own data."""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

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
    switched_off = set(re.findall(r"✗ (\w+)=", result.stdout))
    guide = (ROOT / "docs" / "deploy.md").read_text()
    assert {name for name in switched_off if f"`{name}" not in guide} == set()


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


SITE_USER, NGINX_USER = 12345, 33
PUBLIC = ("static/css/site.css", "media/avatars/1.webp", "media/headers/1.webp")
PRIVATE = (
    "media/archives/1.zip",
    "media/pictures/1.webp",
    "media/uploads/1",
    "media/withheld/avatars/1.webp",
    "socialsite.env",
)


@pytest.fixture
def installed_folder():
    """Run the ``install`` commands of the guide in a temporary folder, and let the site save files."""
    if os.geteuid() != 0:
        pytest.skip("Only root can give files to other users.")
    guide = (ROOT / "docs" / "deploy.md").read_text().partition("## Containers")[0]
    commands = "\n".join(re.findall(r"^    install .*?(?:\\\n.*)?$", guide, re.MULTILINE)[:5])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        for name, value in (
            ("/var/lib/socialsite", folder),
            ("/etc/socialsite", folder),
            ("--owner socialsite", f"--owner {SITE_USER}"),
            ("--group socialsite", f"--group {SITE_USER}"),
            ("--group www-data", f"--group {NGINX_USER}"),
            ("--mode 0500", "--mode 0711"),  # here, both folders are the same
        ):
            assert name in commands
            commands = commands.replace(name, value)
        subprocess.run(["bash", "-euc", commands], cwd=ROOT, check=True)
        _save_as_the_site(Path(folder), {*PUBLIC, *PRIVATE} - {"socialsite.env"})
        yield Path(folder)


def _save_as_the_site(folder, names):
    if (child := os.fork()) == 0:
        try:
            os.setgroups([])
            os.setgid(SITE_USER)
            os.setuid(SITE_USER)
            os.umask(0o027)
            for name in names:  # as for the two storages of the site
                part, _, rest = name.partition("/")
                FileSystemStorage(location=folder / part).save(rest, ContentFile(b"content"))
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def _can_read(file, user):
    command = ["head", "-c1", str(file)]
    result = subprocess.run(
        command, user=user, group=user, extra_groups=[], capture_output=True, timeout=60
    )
    return result.returncode == 0


def test_nginx_can_read_only_static_files_and_profile_pictures(installed_folder):
    names = [*PUBLIC, *PRIVATE]
    assert [name for name in names if _can_read(installed_folder / name, NGINX_USER)] == [*PUBLIC]
    assert [name for name in names if _can_read(installed_folder / name, SITE_USER)] == names
    assert not any(_can_read(installed_folder / name, 54321) for name in names)
    settings_file = installed_folder / "socialsite.env"
    assert stat.S_IMODE(settings_file.stat().st_mode) == 0o400
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
