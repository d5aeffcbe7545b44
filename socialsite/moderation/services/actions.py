"""Take and undo moderation actions against users, posts and comments.

The state of an action is saved before and after the action is applied. If a process dies in between, a
periodic job applies the action again (``resume_unfinished_actions``). Applying is idempotent
(``action_kinds``).
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation import notification_kinds
from socialsite.moderation.action_kinds import action_kind
from socialsite.moderation.models import Action, Case
from socialsite.moderation.roles import require_permission
from socialsite.moderation.subjects import Subject, subject_from_record

from . import audit_log

logger = logging.getLogger(__name__)

STALLED_AFTER = timedelta(seconds=30)
"""Actions that are unfinished after this time count as interrupted."""

State = Action.State


class CannotAct(Refused):
    """The action is not possible. The message is for the moderator."""


@contextmanager
def log_errors(message: str, *args: Any) -> Iterator[None]:
    """Log an exception, so that a periodic job continues. The next run of the job retries the failure."""
    try:
        yield
    except Exception:
        logger.exception(message, *args)


def take_action(
    *,
    moderator: User | None,
    kind: str,
    subject: Subject,
    reason: str = "",
    case: Case | None = None,
    expires_at: datetime | None = None,
    is_strike: bool | None = None,
    should_notify: bool = True,
) -> Action:
    """Take an action and return it. If the same action is already in force, return that action.

    If the user has meanwhile replaced the name or picture that the action in force removed, a new action is
    taken. Each of the two can be undone.

    Args:
        moderator: None if the site itself takes the action.
        kind: the name of an action kind.
        reason: a text for the affected user.
        is_strike: whether the action counts as a strike, or None for the default of the kind.

    Raises PermissionDenied, CannotAct, and KeyError for an unknown kind.
    """
    action_type = action_kind(kind)
    if moderator is not None:
        require_permission(
            moderator=moderator, permission=action_type.permission, user_id=subject.user_id
        )
    if subject.kind not in action_type.results:
        raise CannotAct(_("This action is not possible for this user or content."))
    if expires_at is not None and not action_type.can_expire:
        raise CannotAct(
            _("“%(action)s” cannot have an end date. Take it without a duration.")
            % {"action": action_type.label}
        )
    if expires_at is not None and expires_at <= timezone.now():
        raise CannotAct(_("The end date must be in the future."))
    action = Action(
        case=case,
        kind=kind,
        active_key=None if action_type.can_repeat else f"{kind}:{subject.key}",
        moderator=moderator.pk if moderator else 0,
        reason=reason,
        expires_at=expires_at,
        is_strike=action_type.is_strike if is_strike is None else is_strike,
        is_user_notified=should_notify,
        **subject.record_fields,
    )
    saved_action = _save_action(action, moderator)
    if saved_action.pk == action.pk or saved_action.state == State.APPLYING:
        finish_action(action=saved_action)
    elif saved_action.state == State.IN_FORCE and saved_action.before is None:
        # The effect may have been lifted in another way. Kinds without undo data derive it from all actions
        # in force, so repeating it is harmless.
        action_type.apply(saved_action)
    return saved_action


@transactional(retry_duplicate_keys=True)
def _save_action(action: Action, moderator: User | None) -> Action:
    """Save and return the action. If the same action is already in force, return that action."""
    active_action = (
        Action.objects.filter(active_key=action.active_key).first() if action.active_key else None
    )
    kind, subject = action_kind(action.kind), subject_from_record(record=action)
    if active_action is not None:
        if active_action.state != State.IN_FORCE or not kind.has_replacement(subject):
            return active_action
        Action.objects.filter(pk=active_action.pk).update(active_key=None)
    # Read in this transaction, so that of two equal requests the second sees the effect of the first.
    action.before = kind.undo_data(subject)
    action.save(force_insert=True)
    audit_log.record_event(
        actor=moderator,
        event=action.kind,
        user_id=action.user_id,
        case_id=action.case_id,
        action_id=action.pk,
        details=action.reason,
    )
    return action


def undo_action(*, action: Action, moderator: User | None, reason: str = "") -> bool:
    """Undo an action. Return False if the action was already undone.

    ``moderator`` is None when the action expires. Raises PermissionDenied, and CannotAct if the removed
    content has been deleted (after ``UNDO_PERIOD``).
    """
    undoing_action = start_undo(action=action, moderator=moderator, reason=reason)
    if undoing_action is None:
        return False
    finish_action(action=undoing_action)
    return True


@transactional()
def start_undo(*, action: Action, moderator: User | None, reason: str = "") -> Action | None:
    """Record that an action is undone, and return the action for ``finish_action``.

    Return None if the action was already undone. Raises the exceptions of ``undo_action``.
    """
    if moderator is not None:
        permission = action_kind(action.kind).permission
        require_permission(moderator=moderator, permission=permission, user_id=action.user_id)
    current = Action.objects.get(pk=action.pk)
    if current.state == State.FINAL:
        raise CannotAct(_("This action is more than 30 days old and can no longer be undone."))
    if current.state in (State.UNDOING, State.UNDONE):
        return None
    current.state, current.active_key = State.UNDOING, None
    current.undone_at = timezone.now()
    current.undone_by = moderator.pk if moderator else 0
    current.save(update_fields=["state", "active_key", "undone_at", "undone_by"])
    audit_log.record_event(
        actor=moderator,
        event=f"undo:{current.kind}",
        user_id=current.user_id,
        case_id=current.case_id,
        action_id=current.pk,
        details=reason,
    )
    return current


def finish_action(*, action: Action) -> None:
    """Apply or undo a saved action, and notify the user. Safe to repeat."""
    kind = action_kind(action.kind)
    # The state changes last, so that an interrupted notification is repeated. Nobody gets it twice.
    if action.state == State.APPLYING:
        kind.apply(action)
        notification_kinds.notify_user(
            action=action, kind=notification_kinds.ACTION_TAKEN, text=action.reason
        )
        _change_state(action, State.APPLYING, State.IN_FORCE)
    elif action.state == State.UNDOING:
        kind.undo(action)
        notification_kinds.notify_user(
            action=action, kind=notification_kinds.ACTION_UNDONE, text=""
        )
        _change_state(action, State.UNDOING, State.UNDONE)


def _change_state(action: Action, old_state: str, new_state: str) -> None:
    """Change the state, unless another process has already changed it."""
    action.state = new_state
    Action.objects.filter(pk=action.pk, state=old_state).update(state=new_state)


def resume_unfinished_actions() -> int:
    """Finish interrupted actions. Return the number of actions, including those that failed again."""
    stalled = Action.objects.filter(
        state__in=[State.APPLYING, State.UNDOING], at__lt=timezone.now() - STALLED_AFTER
    )
    actions = list(stalled.order_by("pk")[:100])
    for action in actions:
        with log_errors("Action %s was not finished", action.pk):
            finish_action(action=action)
    return len(actions)


def undo_expired_actions() -> int:
    """Undo expired actions. Return the number of actions, including those that failed."""
    expired = Action.objects.filter(state=State.IN_FORCE, expires_at__lte=timezone.now())
    actions = list(expired.order_by("expires_at")[:100])
    for action in actions:
        with log_errors("The expired action %s was not undone", action.pk):
            undo_action(action=action, moderator=None)
    return len(actions)
