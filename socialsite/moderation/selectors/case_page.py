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

from accounts.infra.ids import time_of
from accounts.models import User
from socialsite.moderation.action_kinds import (
    STATES_IN_FORCE,
    UNDO_PERIOD,
    action_kind,
    action_kinds_for,
)
from socialsite.moderation.models import Action, Appeal, Case, Note, Report, Rule, SubjectKind
from socialsite.moderation.roles import can_act_on
from socialsite.moderation.subjects import subject_from_record

from .reported_content import ReportedContent, ReportedSubject, reported_subject
from .user_names import UserName, UserNames, names_by_uid

MAX_LISTED = 100
MAX_EARLIER = 30
MOST_STRIKES = 100

State = Action.State


@dataclass(frozen=True, slots=True)
class ReportOrNote:
    """A report or a note."""

    author: UserName
    record: Any
    rule_text: str = ""


@dataclass(frozen=True, slots=True)
class ActionRow:
    """``until``: when it can be undone no more, None where it always can."""

    action: Action
    label: str
    undo_label: str
    moderator: UserName
    user: UserName
    appeal: Appeal | None
    undo_until: datetime | None

    @property
    def days_left(self) -> int | None:
        return None if self.undo_until is None else max(0, (self.undo_until - timezone.now()).days)

    @property
    def can_undo(self) -> bool:
        return self.action.state in (State.APPLYING, State.IN_FORCE)


@dataclass(frozen=True, slots=True)
class ActionChoice:
    """A button: ``value`` is the name of the action, with ``person:`` before it where it is done to the
    author of what the case is about."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePage:
    case: Case
    reported: ReportedSubject
    user_names: UserNames
    reports: Sequence[ReportOrNote]
    notes: Sequence[ReportOrNote]
    actions: Sequence[ActionRow]
    earlier_actions: Sequence[ActionRow]
    earlier_cases: Sequence[Case]
    strike_count: int
    subject_choices: Sequence[ActionChoice]
    author_choices: Sequence[ActionChoice]
    can_act: bool

    @property
    def user(self) -> UserName:
        return self.user_names[self.case.person]

    @property
    def joined_at(self) -> datetime | None:
        """Accounts have ids that tell when they were made."""
        return time_of(id=self.case.person) if self.user.username else None

    @property
    def assignee(self) -> UserName | None:
        return self.user_names[self.case.assignee] if self.case.assignee else None

    @property
    def parent_author(self) -> UserName | None:
        answered = self.reported.parent_comment
        return self.user_names[answered.author_id] if answered else None

    @property
    def post_author(self) -> UserName | None:
        post = self.reported.post
        return self.user_names[post.author_id] if post and post.author_id else None

    @property
    def site_url(self) -> str:
        """Empty where there is nothing to be seen."""
        now = self.reported.current
        if now.is_restricted or now.is_hidden or now.is_deleted:
            return ""
        post: ReportedContent | None = self.reported.post or self.reported.current
        if self.case.subject_kind == SubjectKind.USER:
            name = self.user.username
            return reverse("profile", args=[name]) if name else ""
        name = self.user_names[post.author_id].username if post else ""
        return reverse("post", args=[name, post.id]) if post and name else ""


def case_page(*, case: Case, moderator: User) -> CasePage:
    subject = subject_from_record(record=case)
    shown = reported_subject(subject=subject, moderator=moderator, evidence=case.evidence)
    reports = list(Report.objects.filter(case=case).order_by("pk")[:MAX_LISTED])
    notes = list(Note.objects.filter(case=case).order_by("pk")[:MAX_LISTED])
    here = Q(case=case) | Q(subject=subject.id, subject_kind=subject.kind)
    done = list(Action.objects.filter(here).order_by("-pk")[:MAX_LISTED])
    of_person = Action.objects.filter(person=case.person).order_by("-pk")
    known = {one.pk for one in done}
    earlier = [one for one in of_person[: MAX_EARLIER + len(known)] if one.pk not in known][
        :MAX_EARLIER
    ]
    strikes = of_person.filter(is_strike=True, state__in=STATES_IN_FORCE).values_list("pk")
    cases = Case.objects.filter(person=case.person).exclude(pk=case.pk).order_by("-pk")
    rules = {one.rule for one in reports if one.rule}
    texts = dict(Rule.objects.filter(pk__in=rules).values_list("pk", "text")) if rules else {}
    names = names_by_uid(
        uids={
            case.person,
            case.assignee,
            *shown.author_ids,
            *(one.reporter for one in reports),
            *(one.moderator for one in notes),
            *(uid for one in (*done, *earlier) for uid in (one.moderator, one.person)),
        }
    )
    may_act = can_act_on(moderator=moderator, user_id=case.person)
    of_subject, of_author = _choices(case, moderator, done, earlier) if may_act else ([], [])
    appeals = _appeals((*done, *earlier))
    return CasePage(
        case=case,
        reported=shown,
        user_names=names,
        reports=[
            ReportOrNote(names[one.reporter], one, texts.get(one.rule or 0, "")) for one in reports
        ],
        notes=[ReportOrNote(names[one.moderator], one) for one in notes],
        actions=[_done(one, names, appeals) for one in done],
        earlier_actions=[_done(one, names, appeals) for one in earlier],
        earlier_cases=list(cases[:MAX_EARLIER]),
        strike_count=len(strikes[:MOST_STRIKES]),
        subject_choices=of_subject,
        author_choices=of_author,
        can_act=may_act,
    )


def action_row(*, action: Action) -> ActionRow:
    """One action, with its appeal."""
    names = names_by_uid(uids=[action.moderator, action.person])
    return _done(action, names, _appeals([action]))


def _done(action: Action, names: UserNames, appeals: dict[int, Appeal]) -> ActionRow:
    kind = action_kind(action.kind)
    return ActionRow(
        action=action,
        label=str(kind.label),
        undo_label=str(kind.undo_label),
        moderator=names[action.moderator],
        user=names[action.person],
        appeal=appeals.get(action.pk),
        undo_until=action.at + UNDO_PERIOD if kind.should_delete_content else None,
    )


def _appeals(actions: Iterable[Action]) -> dict[int, Appeal]:
    ids = [one.pk for one in actions]
    return {one.action_id: one for one in Appeal.objects.filter(action__in=ids)} if ids else {}


def _choices(
    case: Case, moderator: User, done: Sequence[Action], earlier: Sequence[Action]
) -> tuple[list[ActionChoice], list[ActionChoice]]:
    """Those that are not in force already, and that the moderator may."""
    holds = {
        (one.subject_kind, one.subject, one.kind)
        for one in (*done, *earlier)
        if one.state in STATES_IN_FORCE and not action_kind(one.kind).can_repeat
    }

    def of(kind: str, subject: int, prefix: str) -> list[ActionChoice]:
        return [
            ActionChoice(prefix + one.name, str(one.label))
            for one in action_kinds_for(subject_kind=kind)
            if moderator.has_perm(one.permission) and (kind, subject, one.name) not in holds
        ]

    person = SubjectKind.USER
    if case.subject_kind == person:
        return of(person, case.person, ""), []
    return of(case.subject_kind, case.subject, ""), of(person, case.person, "person:")
