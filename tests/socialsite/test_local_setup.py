"""``make setup`` with a real virtual environment and no packages."""

import ast
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from socialsite.local import setup
from socialsite.local.setup import PythonCandidate, SetupError, choose_python

SCRIPT = Path(setup.__file__)
EMPTY = "# nothing to install\n"


@pytest.fixture
def folder(tmp_path):
    """A project that contains only the setup script and two empty lock files."""
    script = tmp_path / "socialsite" / "local" / "setup.py"
    script.parent.mkdir(parents=True)
    shutil.copy(SCRIPT, script)
    (tmp_path / "requirements-demo.lock").write_text(EMPTY)
    (tmp_path / "requirements-dev.lock").write_text(EMPTY + "# for tests\n")
    return tmp_path


@pytest.fixture
def bare_environment(monkeypatch):
    """Create environments without pip, which takes a tenth of the time, and install nothing."""
    commands = []

    def run(command, *, output=None):
        commands.append([Path(command[0]).name, *command[1:3]])
        if command[1:3] == ["-m", "pip"]:
            return True
        without_pip = ["--without-pip"] if command[1:3] == ["-m", "venv"] else []
        return subprocess.call([*command, *without_pip], stdout=output, stderr=output) == 0

    monkeypatch.setattr(setup, "_run", run)
    return commands


def installs(commands):
    return [command for command in commands if command == ["python", "-m", "pip"]]


def test_an_old_python_is_reported_with_a_command():
    with pytest.raises(SetupError) as error:
        choose_python([PythonCandidate("/usr/bin/python3", (3, 10), True)])
    assert "needs Python 3.11 or newer. Found 3.10." in str(error.value)
    assert re.search(r"sudo apt-get install (python3\.\d+) \1-venv$", str(error.value))


def test_a_newer_python_is_preferred():
    old = PythonCandidate("/usr/bin/python3", (3, 10), True)
    assert (
        choose_python([old, PythonCandidate("/usr/bin/python3.11", (3, 11), True)])
        == "/usr/bin/python3.11"
    )


@pytest.mark.parametrize(
    ("candidates", "package"),
    [
        ([PythonCandidate("/usr/bin/python3", (3, 11), False)], "python3-venv"),
        (
            [
                PythonCandidate("/usr/bin/python3", (3, 10), True),
                PythonCandidate("/usr/bin/python3.11", (3, 11), False),
            ],
            "python3.11-venv",
        ),
    ],
)
def test_a_python_without_venv_is_reported_with_the_package(candidates, package):
    with pytest.raises(SetupError) as error:
        choose_python(candidates)
    assert str(error.value).endswith(
        f"without its venv module. Run:\n  sudo apt-get install {package}"
    )


def test_the_named_interpreter_is_used(folder, bare_environment, tmp_path, monkeypatch, capsys):
    other = tmp_path / "bin" / "python3"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho 3.14; echo venv\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    setup.install(folder, dev=False)
    assert f"Creating .venv with {sys._base_executable}." in capsys.readouterr().out


def test_the_script_can_be_read_by_python_3_8():
    ast.parse(SCRIPT.read_text(), feature_version=(3, 8))


def test_two_concurrent_setups_with_the_system_python_succeed(folder):
    command = [sys.executable, "-I", folder / "socialsite" / "local" / "setup.py"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(text.count("Creating .venv") for text in outputs) == [0, 1]
    assert (folder / ".venv" / "bin" / "pip").exists()


def test_the_env_file_is_private_and_never_overwritten(folder):
    path = folder / ".env"
    setup.write_env_file(path)
    first_text = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert re.search(r"^DEBUG=true$", first_text, re.MULTILINE)
    assert len(re.search(r"^SECRET_KEY=([\w-]+)$", first_text, re.MULTILINE)[1]) >= 50
    setup.write_env_file(path)
    assert path.read_text() == first_text


def test_packages_are_installed_again_only_after_the_lock_changes(folder, bare_environment):
    setup.install(folder, dev=False)
    bare_environment.clear()
    setup.install(folder, dev=False)
    assert installs(bare_environment) == []
    (folder / "requirements-demo.lock").write_text("# something else\n")
    setup.install(folder, dev=False)
    assert installs(bare_environment)


def test_an_installation_for_development_includes_the_demo(folder, bare_environment):
    setup.install(folder, dev=True)
    bare_environment.clear()
    setup.install(folder, dev=False)
    assert installs(bare_environment) == []


def test_an_installation_for_the_demo_lacks_development_packages(folder, bare_environment):
    setup.install(folder, dev=False)
    bare_environment.clear()
    setup.install(folder, dev=True)
    assert installs(bare_environment)


def test_a_failed_installation_is_retried(folder, bare_environment, monkeypatch):
    setup.install(folder, dev=False)
    (folder / "requirements-demo.lock").write_text("# something else\n")
    working_run = setup._run
    monkeypatch.setattr(setup, "_run", lambda command, **options: "install" not in command)
    with pytest.raises(SetupError, match="could not be installed"):
        setup.install(folder, dev=False)
    monkeypatch.setattr(setup, "_run", working_run)
    bare_environment.clear()
    setup.install(folder, dev=False)
    assert installs(bare_environment)


def test_a_moved_folder_gets_a_new_environment(folder, bare_environment):
    setup.install(folder, dev=False)
    moved_folder = folder.parent / (folder.name + "-moved")
    folder.rename(moved_folder)
    setup.install(moved_folder, dev=False)
    assert str(moved_folder) in (moved_folder / ".venv" / "bin" / "activate").read_text()


def test_a_linked_environment_is_not_changed(folder, bare_environment):
    shared_env = folder.parent / "shared_env"
    setup.install(folder, dev=False)
    (folder / ".venv").rename(shared_env)
    (folder / ".venv").symlink_to(shared_env)
    with pytest.raises(SetupError, match="is a link"):
        setup.install(folder, dev=False)
    assert (shared_env / "installed").exists()
