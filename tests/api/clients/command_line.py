"""Run ``toot``, a command line client from PyPI, with its own settings folder."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from click.testing import CliRunner, Result

from accounts.models import User
from tests.api.api_client import token_of
from tests.api.authorization import code_for

PROGRAM = [sys.executable, "-m", "toot"]
SCOPES = "read write follow"
"""Scopes that ``toot`` requests at log-in."""
TIMEOUT_SECONDS = 60
LINES = "4000"
"""Height of the screen in lines. ``toot`` waits for a key after each screen, so the screen is very tall."""


class Toot:
    """A ``toot`` program with its own home folder. Calling an instance runs a command."""

    def __init__(self, *, home: Path, site: str, user: User | None = None) -> None:
        """Prepare the home folder. ``user`` is logged in without the OAuth flow."""
        self.site = site
        self.domain = urlsplit(site).netloc
        self._env = {
            **os.environ,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "PYTHONUTF8": "1",
            "TERM": "xterm",
            "COLUMNS": "80",
            "LINES": LINES,
        }
        if user is not None:
            folder = home / "config" / "toot"
            folder.mkdir(parents=True)
            (folder / "config.json").write_text(json.dumps(self._config(user)))

    def _config(self, user: User) -> dict[str, Any]:
        """Return the settings that ``toot login`` would write."""
        instance = {"instance": self.domain}
        app = {**instance, "base_url": self.site, "client_id": "", "client_secret": ""}
        settings = {
            **instance,
            "username": user.username,
            "access_token": token_of(user, SCOPES),
        }
        name = f"{user.username}@{self.domain}"
        return {"active_user": name, "apps": {self.domain: app}, "users": {name: settings}}

    def __call__(self, *arguments: Any, stdin: str = "") -> str:
        """Run a command that succeeds. Return its output."""
        result = self._run(arguments, stdin)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    def json(self, *arguments: Any) -> Any:
        return json.loads(self(*arguments, "--json"))

    def refused(self, *arguments: Any, stdin: str = "") -> str:
        """Run a command that fails. Return its error message."""
        result = self._run(arguments, stdin)
        assert result.exit_code == 1, result.stdout
        assert result.stderr.startswith("Error: "), result.stderr
        return result.stderr.removeprefix("Error: ").strip()

    def _run(self, arguments: tuple[Any, ...], stdin: str) -> Result:
        """Run a command in this process, because a new process imports ``toot`` for a second."""
        with patch.dict(os.environ, self._env, clear=True):
            from toot.cli import cli  # reads the settings of the home folder

            command = ["--no-color", *map(str, arguments)]
            result = CliRunner().invoke(cli, command, input=stdin)
        if not isinstance(result.exception, SystemExit | None):
            raise result.exception
        return result

    def log_in(self, user: User) -> str:
        """Log in through the page that ``toot`` names. Return the output."""
        text = ""
        with self._start("login", "-i", self.site, stdin=subprocess.PIPE) as running:
            assert running.stdout
            for line in running.stdout:
                text += line
                if line.startswith("http"):
                    break
            code = code_for(username=user.username, authorize_url=line.strip(), site=self.site)
            rest, _errors = running.communicate(f"n\n{code}\n", timeout=TIMEOUT_SECONDS)
        return text + rest

    def at_terminal(self, *arguments: Any, keys: list[tuple[str, str]]) -> str:
        """Run a command in a terminal and return its output.

        Args:
            keys: (text, keys) pairs. When the text appears, the keys are sent. Texts appear in order.
        """
        our_end, program_end = pty.openpty()
        termios.tcsetwinsize(program_end, (40, 100))
        output, position = b"", 0
        pending = [(text.encode(), key.encode()) for text, key in keys]
        with self._start(
            *arguments, stdin=program_end, stdout=program_end, stderr=program_end
        ) as running:
            os.close(program_end)
            while chunk := _read(our_end):
                output += chunk
                while pending and (text_start := output.find(pending[0][0], position)) >= 0:
                    position = text_start + len(pending[0][0])
                    os.write(our_end, pending.pop(0)[1])
            if pending:
                running.kill()
        os.close(our_end)
        assert running.returncode == 0, output.decode()
        return output.decode()

    def _start(self, *arguments: Any, **pipes: Any) -> "subprocess.Popen[str]":
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **pipes}
        return subprocess.Popen([*PROGRAM, *arguments], env=self._env, text=True, **pipes)


def _read(terminal: int) -> bytes:
    """Read from the terminal. Return nothing if the program has ended or is silent."""
    if not select.select([terminal], [], [], TIMEOUT_SECONDS)[0]:
        return b""
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux raises this when the other end is closed
        return b""
