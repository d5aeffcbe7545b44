"""``toot``, a client for the command line, as it is on PyPI: run as people run it, with own settings."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from accounts.models import User
from tests.api.api_client import token_of
from tests.api.authorization import code_for

PROGRAM = [sys.executable, "-m", "toot"]
SCOPES = "read write follow"
"""What it asks for when somebody logs in."""
SECONDS = 60
LINES = "4000"
"""Of its screen: it stops at the end of one and waits for a key."""


class Toot:
    """Calling it runs one command; ``home`` holds its settings and whom it is logged in as."""

    def __init__(self, *, home: Path, site: str, user: User | None = None) -> None:
        """With ``user`` it is logged in, without the way to it."""
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
        """As ``toot login`` writes it."""
        known = {"instance": self.domain}
        app = {**known, "base_url": self.site, "client_id": "", "client_secret": ""}
        person = {
            **known,
            "username": user.username,
            "access_token": token_of(user, SCOPES),
        }
        name = f"{user.username}@{self.domain}"
        return {"active_user": name, "apps": {self.domain: app}, "users": {name: person}}

    def __call__(self, *words: Any, stdin: str = "") -> str:
        """What it prints."""
        done = self._run(words, stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *words: Any) -> Any:
        return json.loads(self(*words, "--json"))

    def refused(self, *words: Any, stdin: str = "") -> str:
        """What it tells the person instead of doing it."""
        done = self._run(words, stdin)
        assert done.returncode == 1, done.stdout
        assert done.stderr.startswith("Error: "), done.stderr
        return done.stderr.removeprefix("Error: ").strip()

    def _run(self, words: tuple[Any, ...], stdin: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *map(str, words)],
            input=stdin,
            env=self._env,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def log_in(self, user: User) -> str:
        """By way of the page that it names, as a person. Returns what it prints."""
        text = ""
        with self._start("login", "-i", self.site, stdin=subprocess.PIPE) as running:
            assert running.stdout
            for line in running.stdout:
                text += line
                if line.startswith("http"):
                    break
            code = code_for(username=user.username, authorize_url=line.strip(), site=self.site)
            rest, _none = running.communicate(f"n\n{code}\n", timeout=SECONDS)
        return text + rest

    def at_terminal(self, *words: Any, keys: list[tuple[str, str]]) -> str:
        """What it shows at a terminal, where one text after the other is answered by its keys."""
        ours, its = pty.openpty()
        termios.tcsetwinsize(its, (40, 100))
        shown, answered = b"", 0
        waited = [(text.encode(), key.encode()) for text, key in keys]
        with self._start(*words, stdin=its, stdout=its, stderr=its) as running:
            os.close(its)
            while part := _read(ours):
                shown += part
                while waited and (place := shown.find(waited[0][0], answered)) >= 0:
                    answered = place + len(waited[0][0])
                    os.write(ours, waited.pop(0)[1])
            if waited:
                running.kill()
        os.close(ours)
        assert running.returncode == 0, shown.decode()
        return shown.decode()

    def _start(self, *words: Any, **pipes: Any) -> "subprocess.Popen[str]":
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **pipes}
        return subprocess.Popen([*PROGRAM, *words], env=self._env, text=True, **pipes)


def _read(terminal: int) -> bytes:
    """Nothing when the program has ended, or says nothing any more."""
    if not select.select([terminal], [], [], SECONDS)[0]:
        return b""
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so when nobody holds the other end any more
        return b""
