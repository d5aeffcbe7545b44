"""Appeal against an action, and decide appeals."""

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.http import Http404
from django.utils import timezone

from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation import notification_kinds
from socialsite.moderation.models import Action, Appeal
from socialsite.moderation.roles import require_permission

from . import audit_log
from .actions import undo_action

OPEN, APPROVED, REFUSED = Appeal.State.OPEN, Appeal.State.APPROVED, Appeal.State.REJECTED


class CannotAppeal(Refused):
    """There is an appeal already, or nothing is in force any more."""


def create_appeal(*, action_id: int, user: User, text: str) -> Appeal:
    """Once for each action. Raises Http404 unless it is about this person, CannotAppeal."""
    action = Action.objects.filter(pk=action_id, person=user.pk, is_told=True).first()
    if action is None:
        raise Http404("No such decision.")
    if action.state not in (Action.State.APPLYING, Action.State.IN_FORCE):
        raise CannotAppeal
    try:
        return _appeal(action, text)
    except IntegrityError as error:
        raise CannotAppeal from error


@transactional()
def _appeal(action: Action, text: str) -> Appeal:
    made = Appeal.objects.create(action=action, person=action.person, text=text)
    audit_log.record_event(actor=None, event="appealed", user_id=action.person, action_id=action.pk)
    return made


def decide_appeal(*, appeal: Appeal, moderator: User, is_approved: bool, response: str) -> bool:
    """Approving undoes the action. False if it is decided already.

    Raises PermissionDenied, also where the moderator's own decision is appealed against (a superuser may),
    and ``acting.CannotAct`` where the action cannot be undone any more.
    """
    action = appeal.action
    require_permission(
        moderator=moderator, permission="moderation.decide_appeals", user_id=action.person
    )
    if action.moderator == moderator.pk and not moderator.is_superuser:
        raise PermissionDenied
    if is_approved:
        # First of the two: should this stop in between, the appeal is still open and is decided again.
        undo_action(action=action, moderator=moderator, reason=response)
    if not _decide(appeal, moderator, APPROVED if is_approved else REFUSED, response):
        return False
    if not is_approved:
        notification_kinds.notify_user(
            action=action, kind=notification_kinds.AppealRejected, text=response
        )
    return True


@transactional()
def _decide(appeal: Appeal, moderator: User, state: str, answer: str) -> bool:
    decided = Appeal.objects.filter(pk=appeal.pk, state=OPEN).update(
        state=state, answer=answer, decided_by=moderator.pk, decided_at=timezone.now()
    )
    if decided:
        audit_log.record_event(
            actor=moderator,
            event=f"appeal:{state}",
            user_id=appeal.person,
            action_id=appeal.action_id,
            details=answer,
        )
    return bool(decided)
