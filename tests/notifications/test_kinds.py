"""Notification kinds, including the example in docs/notifications.md of a kind of another app."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines

from accounts.infra.ids import new_id
from notifications import kinds
from notifications.mail.sentence import render_sentence
from notifications.selectors.pages import notifications_page
from notifications.services.boxes import mark_seen
from notifications.services.delivery import notify
from notifications.store import boxes
from notifications.store.boxes import unread_counts
from notifications.store.rows import NotificationRow

PAGE = Path(settings.BASE_DIR) / "docs/notifications.md"


def example(language):
    """Return the first code block in this language from the docs."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]


@pytest.fixture
def birthdays(monkeypatch, tmp_path):
    """Register the example kind of the docs, with its class and template."""
    monkeypatch.setattr(kinds, "_registered", dict(kinds._registered))
    exec(example("python"), {"__name__": "birthdays"})  # noqa: S102 - our own code
    (tmp_path / "notifications/kinds").mkdir(parents=True)
    (tmp_path / "notifications/kinds/birthday.html").write_text(example("html"))
    loader = engines["django"].engine.template_loaders[0]
    folders = loader.loaders[0] if hasattr(loader, "loaders") else loader
    monkeypatch.setattr(folders, "dirs", [tmp_path, *folders.get_dirs()])


def test_a_kind_of_another_app_is_delivered_shown_grouped_and_burns(birthdays, alice, bob, carol):
    for user in (bob, carol):
        assert notify(kind="birthday", actor=user.pk, recipients=[alice.pk, user.pk]) == 1
    page = notifications_page(viewer=alice.pk)
    (row,) = page.notifications
    assert page.unread_count == len(row.row_ids) == 2
    assert row.kind.label == "Birthdays"
    sentence = render_sentence(notification=row)
    assert sentence.text == "Carol Clark and Bob Brown celebrated a birthday"
    mark_seen(recipient=alice.pk, ids=page.row_ids)
    assert notifications_page(viewer=alice.pk).notifications == ()
    assert unread_counts(recipient=alice.pk).notifications == 0


def test_an_unknown_kind_is_refused(alice, bob):
    with pytest.raises(ValueError, match="forgotten"):
        notify(kind="forgotten", actor=bob.pk, recipients=[alice.pk])
    assert unread_counts(recipient=alice.pk).notifications == 0


def test_notifications_of_a_removed_kind_are_hidden_and_can_be_marked_as_seen(alice, bob):
    boxes.deliver(
        row=NotificationRow(new_id(), "forgotten", bob.pk), classes_by_recipient={alice.pk: ()}
    )
    assert unread_counts(recipient=alice.pk).notifications == 1
    page = notifications_page(viewer=alice.pk)
    assert page.notifications == ()
    mark_seen(recipient=alice.pk, ids=page.hidden_ids)
    assert unread_counts(recipient=alice.pk).notifications == 0


def test_only_mentions_comments_and_moderator_messages_are_durable():
    moderator_kinds = ["notice", "decision", "decision_undone", "appeal_rejected", "report_closed"]
    assert kinds.kind_names_with_lifetime(kinds.DURABLE) == [
        "mention",
        "reply",
        "comment",
        *moderator_kinds,
    ]
    assert kinds.kind_names_with_lifetime(kinds.BURNING) == ["accepted"]
