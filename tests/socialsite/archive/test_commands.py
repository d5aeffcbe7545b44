"""The management commands ``export_archive`` and ``import_archive``."""

import pytest
from django.core.management import CommandError, call_command

from feed.models import Post
from socialsite.archive.models import Archive
from tests.factories import publish

from .zips import names, note, zipped


def test_commands_export_and_import_a_user(alice, bob, tmp_path, capsys):
    publish(alice, "Hello")
    file = tmp_path / "alice.zip"
    call_command("export_archive", "Alice", str(file))
    assert "outbox.json" in names(file.read_bytes())
    call_command("import_archive", "bob", str(file), "--dry-run")
    assert "Dry run" in capsys.readouterr().out
    assert not Post.objects.filter(author=bob).exists()
    for _ in range(2):
        call_command("import_archive", "bob", str(file))
    assert "1  existing posts" in capsys.readouterr().out
    assert Post.objects.get(author=bob).text == "Hello"
    assert not Archive.objects.exists()


def test_commands_report_errors(alice, tmp_path):
    file = tmp_path / "archive.zip"
    for name in ("nobody", "alice"):
        with pytest.raises(CommandError):
            call_command("import_archive", name, str(file))
    with pytest.raises(CommandError):
        call_command("export_archive", "nobody", str(file))
    file.write_bytes(zipped(note(1))[:-40])
    with pytest.raises(CommandError, match="incomplete"):
        call_command("import_archive", "alice", str(file))
    with pytest.raises(CommandError):
        call_command("export_archive", "alice", str(tmp_path / "none" / "a.zip"))
