"""Kinds: what they promise, and the one from outside that docs/notifications.md adds."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines
from django.template.loader import render_to_string

from accounts.infra.ids import new_id
from notifications import kinds
from notifications.selectors.pages import notifications_page
from notifications.services.boxes import mark_seen
from notifications.services.delivery import notify
from notifications.store import boxes
from notifications.store.boxes import unread_count
from notifications.store.rows import NotificationRow

PAGE = Path(settings.BASE_DIR) / "docs/notifications.md"


def example(language):
    """The first piece of the documented example in this language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]


@pytest.fixture
def birthdays(monkeypatch, tmp_path):
    """The documented kind, as long as the test lasts: one class and one template."""
    monkeypatch.setattr(kinds, "_registered", dict(kinds._registered))
    exec(example("python"), {"__name__": "birthdays"})  # noqa: S102 - it is ours
    (tmp_path / "notifications/kinds").mkdir(parents=True)
    (tmp_path / "notifications/kinds/birthday.html").write_text(example("html"))
    loader = engines["django"].engine.template_loaders[0]
    folders = loader.loaders[0] if hasattr(loader, "loaders") else loader
    monkeypatch.setattr(folders, "dirs", [tmp_path, *folders.get_dirs()])


def test_a_kind_from_outside_is_told_shown_grouped_and_burns(birthdays, alice, bob, carol):
    for born in (bob, carol):
        assert notify(kind="birthday", actor=born.pk, recipients=[alice.pk, born.pk]) == 1
    page = notifications_page(viewer=alice.pk)
    (row,) = page.notifications
    assert page.unread_count == len(row.row_ids) == 2
    assert row.kind.label == "Birthdays"
    shown = render_to_string(row.kind.template, {"one": row})
    assert shown.strip() == "Carol Clark has a birthday"
    mark_seen(recipient=alice.pk, ids=page.row_ids)
    assert notifications_page(viewer=alice.pk).notifications == ()
    assert unread_count(recipient=alice.pk) == 0


def test_nobody_is_told_of_a_kind_that_there_is_not(alice, bob):
    with pytest.raises(ValueError, match="forgotten"):
        notify(kind="forgotten", actor=bob.pk, recipients=[alice.pk])
    assert unread_count(recipient=alice.pk) == 0


def test_what_is_of_a_kind_that_is_gone_is_not_shown_and_can_be_counted_off(alice, bob):
    boxes.deliver(
        row=NotificationRow(new_id(), "forgotten", bob.pk), classes_by_recipient={alice.pk: ()}
    )
    assert unread_count(recipient=alice.pk) == 1
    page = notifications_page(viewer=alice.pk)
    assert page.notifications == ()
    mark_seen(recipient=alice.pk, ids=page.hidden_ids)
    assert unread_count(recipient=alice.pk) == 0


def test_only_what_reaches_one_by_name_or_from_moderators_lasts():
    of_moderators = ["notice", "moderated", "unmoderated", "appeal_refused", "report_answered"]
    assert kinds.kind_names_with_lifetime(kinds.DURABLE) == [
        "mention",
        "reply",
        "comment",
        *of_moderators,
    ]
    assert kinds.kind_names_with_lifetime(kinds.BURNING) == ["accepted"]
