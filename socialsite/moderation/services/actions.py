"""Do something about a person, post or comment, and undo it.

An action is written down before it is done and again after it, so that one whose process dies in between is
finished by the sweeper (``finish_begun``). Doing is safe to repeat (``actions``).
"""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation import notification_kinds
from socialsite.moderation.action_kinds import ActionKind, action_kind
from socialsite.moderation.models import Action, Case
from socialsite.moderation.roles import require_permission
from socialsite.moderation.subjects import Subject

from . import audit_log

STALLED_AFTER = timedelta(seconds=30)
"""What is under way longer than this has stopped."""

State = Action.State


class CannotAct(Refused):
    """The message is for the moderator."""


def take_action(
    *,
    moderator: User,
    kind: str,
    subject: Subject,
    reason: str = "",
    case: Case | None = None,
    expires_at: datetime | None = None,
    is_strike: bool | None = None,
    should_notify: bool = True,
) -> Action:
    """Do it at once. What is in force already is not done again: then that action is returned.

    ``reason``: the person reads it. Raises PermissionDenied, CannotAct, and KeyError for an unknown kind.
    """
    what = action_kind(kind)
    require_permission(moderator=moderator, permission=what.permission, user_id=subject.user_id)
    return _take(what, subject, reason, case, expires_at, is_strike, should_notify, moderator)


def record_pending_review(*, subject: Subject, case: Case) -> Action:
    """A post was held when it was published; from now on that is an action as others are."""
    return _take(action_kind("hold"), subject, "", case, None, False, False, None)


def _take(
    what: ActionKind,
    subject: Subject,
    reason: str,
    case: Case | None,
    expires_at: datetime | None,
    is_strike: bool | None,
    is_told: bool,
    moderator: User | None,
) -> Action:
    if subject.kind not in what.subject_kinds:
        raise CannotAct(_("That cannot be done here."))
    if expires_at is not None and not what.can_expire:
        raise CannotAct(_("“%(action)s” cannot be for a time only.") % {"action": what.label})
    if expires_at is not None and expires_at <= timezone.now():
        raise CannotAct(_("It has to end in the future, or not by itself."))
    action = Action(
        case=case,
        kind=what.name,
        active_key=None if what.can_repeat else f"{what.name}:{subject.key}",
        moderator=moderator.pk if moderator else 0,
        reason=reason,
        expires_at=expires_at,
        before=what.undo_data(subject),
        is_strike=what.is_strike if is_strike is None else is_strike,
        is_told=is_told,
        **subject.record_fields,
    )
    taken = _begin(action, moderator)
    if taken.pk == action.pk or taken.state == State.APPLYING:
        finish_action(action=taken)
    return taken


@transactional(retry_duplicate_keys=True)
def _begin(action: Action, moderator: User | None) -> Action:
    there = (
        Action.objects.filter(active_key=action.active_key).first() if action.active_key else None
    )
    if there is not None:
        return there
    action.save(force_insert=True)
    audit_log.record_event(
        actor=moderator,
        event=action.kind,
        user_id=action.person,
        case_id=action.case_id,
        action_id=action.pk,
        details=action.reason,
    )
    return action


def undo_action(*, action: Action, moderator: User | None, reason: str = "") -> bool:
    """Take it back, exactly; False if it is undone already. ``moderator`` None: it has come to its end.

    Raises PermissionDenied, and CannotAct after ``UNDO_FOR``, when what was removed is deleted.
    """
    if moderator is not None:
        permission = action_kind(action.kind).permission
        require_permission(moderator=moderator, permission=permission, user_id=action.person)
    begun = _begin_undoing(action, moderator, reason)
    if begun is None:
        return False
    finish_action(action=begun)
    return True


@transactional()
def _begin_undoing(action: Action, moderator: User | None, words: str) -> Action | None:
    current = Action.objects.get(pk=action.pk)
    if current.state == State.FINAL:
        raise CannotAct(_("After 30 days this cannot be undone."))
    if current.state in (State.UNDOING, State.UNDONE):
        return None
    current.state, current.active_key = State.UNDOING, None
    current.undone_at = timezone.now()
    current.undone_by = moderator.pk if moderator else 0
    current.save(update_fields=["state", "active_key", "undone_at", "undone_by"])
    audit_log.record_event(
        actor=moderator,
        event=f"undo:{current.kind}",
        user_id=current.person,
        case_id=current.case_id,
        action_id=current.pk,
        details=words,
    )
    return current


def finish_action(*, action: Action) -> None:
    """Do or undo what was written down, and say so to the person. Safe to repeat."""
    what = action_kind(action.kind)
    if action.state == State.APPLYING:
        what.apply(action)
        if _settle(action, State.APPLYING, State.IN_FORCE):
            notification_kinds.notify_user(
                action=action, kind=notification_kinds.ActionTaken, text=action.reason
            )
    elif action.state == State.UNDOING:
        what.undo(action)
        if _settle(action, State.UNDOING, State.UNDONE):
            notification_kinds.notify_user(
                action=action, kind=notification_kinds.ActionUndone, text=""
            )


def _settle(action: Action, before: str, after: str) -> bool:
    action.state = after
    return bool(Action.objects.filter(pk=action.pk, state=before).update(state=after))


def resume_unfinished_actions() -> int:
    """Finish what stopped halfway; returns how many were."""
    stopped = Action.objects.filter(
        state__in=[State.APPLYING, State.UNDOING], at__lt=timezone.now() - STALLED_AFTER
    )
    found = list(stopped.order_by("pk")[:100])
    for action in found:
        finish_action(action=action)
    return len(found)


def undo_expired_actions() -> int:
    """Undo what was to last until now; returns how many were."""
    over = Action.objects.filter(state=State.IN_FORCE, expires_at__lte=timezone.now())
    found = list(over.order_by("expires_at")[:100])
    for action in found:
        undo_action(action=action, moderator=None)
    return len(found)
