"""Appeal against an action, and decide appeals."""

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.http import Http404
from django.utils import timezone

from accounts.models import User
from accounts.refusals import Refused
from accounts.transactions import transactional
from socialsite.moderation import notices
from socialsite.moderation.models import Action, Appeal
from socialsite.moderation.roles import demand

from . import auditing
from .acting import undo_action

OPEN, APPROVED, REFUSED = Appeal.State.OPEN, Appeal.State.APPROVED, Appeal.State.REFUSED


class CannotAppeal(Refused):
    """There is an appeal already, or nothing is in force any more."""


def appeal(*, action_id: int, person: User, text: str) -> Appeal:
    """Once for each action. Raises Http404 unless it is about this person, CannotAppeal."""
    action = Action.objects.filter(pk=action_id, person=person.pk, is_told=True).first()
    if action is None:
        raise Http404("No such decision.")
    if action.state not in (Action.State.BEGUN, Action.State.IN_FORCE):
        raise CannotAppeal
    try:
        return _appeal(action, text)
    except IntegrityError as error:
        raise CannotAppeal from error


@transactional()
def _appeal(action: Action, text: str) -> Appeal:
    made = Appeal.objects.create(action=action, person=action.person, text=text)
    auditing.note(actor=None, verb="appealed", person=action.person, action=action.pk)
    return made


def decide_appeal(*, appeal: Appeal, moderator: User, is_approved: bool, answer: str) -> bool:
    """Approving undoes the action. False if it is decided already.

    Raises PermissionDenied, also where the moderator's own decision is appealed against (a superuser may),
    and ``acting.CannotAct`` where the action cannot be undone any more.
    """
    action = appeal.action
    demand(moderator=moderator, permission="moderation.decide_appeals", person=action.person)
    if action.moderator == moderator.pk and not moderator.is_superuser:
        raise PermissionDenied
    if is_approved:
        # First of the two: should this stop in between, the appeal is still open and is decided again.
        undo_action(action=action, moderator=moderator, words=answer)
    if not _decide(appeal, moderator, APPROVED if is_approved else REFUSED, answer):
        return False
    if not is_approved:
        notices.tell_of_action(action=action, kind=notices.AppealRefused, words=answer)
    return True


@transactional()
def _decide(appeal: Appeal, moderator: User, state: str, answer: str) -> bool:
    decided = Appeal.objects.filter(pk=appeal.pk, state=OPEN).update(
        state=state, answer=answer, decided_by=moderator.pk, decided_at=timezone.now()
    )
    if decided:
        auditing.note(
            actor=moderator,
            verb=f"appeal:{state}",
            person=appeal.person,
            action=appeal.action_id,
            words=answer,
        )
    return bool(decided)
