"""All that a moderator needs to decide a case, on one page: a bounded number of commands.

What was done is told with its appeal, and whether it can be undone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.ids import time_of
from accounts.models import User
from socialsite.moderation.actions import STATES_IN_FORCE, UNDO_FOR, action_kind, kinds_for
from socialsite.moderation.models import Action, Appeal, Case, Note, Report, Rule, SubjectKind
from socialsite.moderation.roles import may_act_on
from socialsite.moderation.subjects import subject_of

from .content import Content, Reported, reported
from .names import Named, Names, named

LISTED = 100
EARLIER = 30
MOST_STRIKES = 100

State = Action.State


@dataclass(frozen=True, slots=True)
class Said:
    """A report or a note."""

    by: Named
    it: Any
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """``until``: when it can be undone no more, None where it always can."""

    action: Action
    label: str
    undo_label: str
    by: Named
    about: Named
    appeal: Appeal | None
    until: datetime | None

    @property
    def days_left(self) -> int | None:
        return None if self.until is None else max(0, (self.until - timezone.now()).days)

    @property
    def can_be_undone(self) -> bool:
        return self.action.state in (State.BEGUN, State.IN_FORCE)


@dataclass(frozen=True, slots=True)
class Choice:
    """A button: ``value`` is the name of the action, with ``person:`` before it where it is done to the
    author of what the case is about."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePage:
    case: Case
    reported: Reported
    names: Names
    reports: Sequence[Said]
    notes: Sequence[Said]
    done: Sequence[Done]
    earlier_actions: Sequence[Done]
    earlier_cases: Sequence[Case]
    strikes: int
    choices: Sequence[Choice]
    choices_of_person: Sequence[Choice]
    may_act: bool

    @property
    def person(self) -> Named:
        return self.names[self.case.person]

    @property
    def joined(self) -> datetime | None:
        """Accounts have ids that tell when they were made."""
        return time_of(id=self.case.person) if self.person.username else None

    @property
    def assignee(self) -> Named | None:
        return self.names[self.case.assignee] if self.case.assignee else None

    @property
    def by_answered(self) -> Named | None:
        answered = self.reported.answered
        return self.names[answered.by] if answered else None

    @property
    def by_post(self) -> Named | None:
        post = self.reported.post
        return self.names[post.by] if post and post.by else None

    @property
    def url_on_site(self) -> str:
        """Empty where there is nothing to be seen."""
        now = self.reported.now
        if now.is_closed or now.is_hidden or now.is_gone:
            return ""
        post: Content | None = self.reported.post or self.reported.now
        if self.case.subject_kind == SubjectKind.PERSON:
            name = self.person.username
            return reverse("profile", args=[name]) if name else ""
        name = self.names[post.by].username if post else ""
        return reverse("post", args=[name, post.id]) if post and name else ""


def case_page(*, case: Case, moderator: User) -> CasePage:
    subject = subject_of(about=case)
    shown = reported(subject=subject, moderator=moderator, evidence=case.evidence)
    reports = list(Report.objects.filter(case=case).order_by("pk")[:LISTED])
    notes = list(Note.objects.filter(case=case).order_by("pk")[:LISTED])
    here = Q(case=case) | Q(subject=subject.id, subject_kind=subject.kind)
    done = list(Action.objects.filter(here).order_by("-pk")[:LISTED])
    of_person = Action.objects.filter(person=case.person).order_by("-pk")
    known = {one.pk for one in done}
    earlier = [one for one in of_person[: EARLIER + len(known)] if one.pk not in known][:EARLIER]
    strikes = of_person.filter(is_strike=True, state__in=STATES_IN_FORCE).values_list("pk")
    cases = Case.objects.filter(person=case.person).exclude(pk=case.pk).order_by("-pk")
    rules = {one.rule for one in reports if one.rule}
    texts = dict(Rule.objects.filter(pk__in=rules).values_list("pk", "text")) if rules else {}
    names = named(
        uids={
            case.person,
            case.assignee,
            *shown.people,
            *(one.reporter for one in reports),
            *(one.moderator for one in notes),
            *(uid for one in (*done, *earlier) for uid in (one.moderator, one.person)),
        }
    )
    may_act = may_act_on(moderator=moderator, person=case.person)
    of_subject, of_author = _choices(case, moderator, done, earlier) if may_act else ([], [])
    appeals = _appeals((*done, *earlier))
    return CasePage(
        case=case,
        reported=shown,
        names=names,
        reports=[Said(names[one.reporter], one, texts.get(one.rule or 0, "")) for one in reports],
        notes=[Said(names[one.moderator], one) for one in notes],
        done=[_done(one, names, appeals) for one in done],
        earlier_actions=[_done(one, names, appeals) for one in earlier],
        earlier_cases=list(cases[:EARLIER]),
        strikes=len(strikes[:MOST_STRIKES]),
        choices=of_subject,
        choices_of_person=of_author,
        may_act=may_act,
    )


def action_page(*, action: Action) -> Done:
    """One action, with its appeal."""
    names = named(uids=[action.moderator, action.person])
    return _done(action, names, _appeals([action]))


def _done(action: Action, names: Names, appeals: dict[int, Appeal]) -> Done:
    kind = action_kind(action.kind)
    return Done(
        action=action,
        label=str(kind.label),
        undo_label=str(kind.undo_label),
        by=names[action.moderator],
        about=names[action.person],
        appeal=appeals.get(action.pk),
        until=action.at + UNDO_FOR if kind.is_deleted_in_the_end else None,
    )


def _appeals(actions: Iterable[Action]) -> dict[int, Appeal]:
    ids = [one.pk for one in actions]
    return {one.action_id: one for one in Appeal.objects.filter(action__in=ids)} if ids else {}


def _choices(
    case: Case, moderator: User, done: Sequence[Action], earlier: Sequence[Action]
) -> tuple[list[Choice], list[Choice]]:
    """Those that are not in force already, and that the moderator may."""
    holds = {
        (one.subject_kind, one.subject, one.kind)
        for one in (*done, *earlier)
        if one.state in STATES_IN_FORCE and not action_kind(one.kind).can_repeat
    }

    def of(kind: str, subject: int, prefix: str) -> list[Choice]:
        return [
            Choice(prefix + one.name, str(one.label))
            for one in kinds_for(subject_kind=kind)
            if moderator.has_perm(one.permission) and (kind, subject, one.name) not in holds
        ]

    person = SubjectKind.PERSON
    if case.subject_kind == person:
        return of(person, case.person, ""), []
    return of(case.subject_kind, case.subject, ""), of(person, case.person, "person:")
