"""Create and decide appeals against moderation actions."""

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation import notification_kinds
from socialsite.moderation.models import Action, Appeal
from socialsite.moderation.roles import require_permission

from . import audit_log
from .actions import finish_action, start_undo

OPEN, APPROVED, REJECTED = Appeal.State.OPEN, Appeal.State.APPROVED, Appeal.State.REJECTED


class CannotAppeal(Refused):
    """The action already has an appeal, or is no longer in force."""


def create_appeal(*, action_id: int, user: User, text: str) -> Appeal:
    """Create an appeal. Each action has at most one appeal.

    Raises Http404 if the action is against another user, and CannotAppeal.
    """
    action = get_object_or_404(Action, pk=action_id, user_id=user.pk, is_user_notified=True)
    if action.state not in (Action.State.APPLYING, Action.State.IN_FORCE):
        raise CannotAppeal
    try:
        return _save_appeal(action, text)
    except IntegrityError as error:
        raise CannotAppeal from error


@transactional()
def _save_appeal(action: Action, text: str) -> Appeal:
    appeal = Appeal.objects.create(action=action, user_id=action.user_id, text=text)
    audit_log.record_event(
        actor=None, event="appealed", user_id=action.user_id, action_id=action.pk
    )
    return appeal


def decide_appeal(*, appeal: Appeal, moderator: User, is_approved: bool, response: str) -> bool:
    """Approve or reject an appeal. Approving undoes the action. Return False for decided appeals.

    Raises PermissionDenied. Only superusers may decide appeals against their own actions. Raises
    ``actions.CannotAct`` if the action can no longer be undone.
    """
    action = appeal.action
    require_permission(
        moderator=moderator, permission="moderation.decide_appeals", user_id=action.user_id
    )
    if action.moderator == moderator.pk and not moderator.is_superuser:
        raise PermissionDenied
    state = APPROVED if is_approved else REJECTED
    is_saved, undoing_action = _save_decision(appeal, moderator, state, response)
    if not is_saved:
        return False
    if undoing_action is not None:
        finish_action(action=undoing_action)
    if not is_approved:
        notification_kinds.notify_user(
            action=action, kind=notification_kinds.APPEAL_REJECTED, text=response
        )
    return True


@transactional()
def _save_decision(
    appeal: Appeal, moderator: User, state: str, response: str
) -> tuple[bool, Action | None]:
    """Save the decision and, if the appeal is approved, the beginning of the undo.

    Return whether the appeal was open, and the action to finish. Both are saved together, so an appeal is
    approved exactly if its action is undone. If the process dies afterwards, a periodic job finishes the
    action.
    """
    updated_count = Appeal.objects.filter(pk=appeal.pk, state=OPEN).update(
        state=state, answer=response, decided_by=moderator.pk, decided_at=timezone.now()
    )
    if not updated_count:
        return False, None
    audit_log.record_event(
        actor=moderator,
        event=f"appeal:{state}",
        user_id=appeal.user_id,
        action_id=appeal.action_id,
        details=response,
    )
    if state == REJECTED:
        return True, None
    return True, start_undo(action=appeal.action, moderator=moderator, reason=response)
