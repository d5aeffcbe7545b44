"""The page of a case: reports, content, history and possible actions.

The page costs a bounded number of database commands.
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
from accounts.selectors.user_names import UserName, UserNames, names_by_uid
from socialsite.moderation.action_kinds import (
    STATES_IN_FORCE,
    UNDO_PERIOD,
    action_kind,
    action_kinds_for,
)
from socialsite.moderation.models import Action, Appeal, Case, Note, Report, Rule, SubjectKind
from socialsite.moderation.roles import can_act_on
from socialsite.moderation.subjects import Subject, subject_from_record

from .reported_content import ReportedContent, ReportedSubject, reported_subject

MAX_LISTED = 100
MAX_EARLIER = 30
MAX_STRIKES = 100

State = Action.State


@dataclass(frozen=True, slots=True)
class ReportOrNote:
    """A report or a note."""

    author: UserName
    record: Any
    rule_text: str = ""


@dataclass(frozen=True, slots=True)
class ActionRow:
    """An action with its appeal. ``undo_until`` is the end of the undo period, or None if it has no end."""

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
    """A button. ``value`` is the action kind. The prefix ``person:`` directs the action at the author."""

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
        return self.user_names[self.case.user_id]

    @property
    def joined_at(self) -> datetime | None:
        """Return when the account was created. The uid contains this time."""
        return time_of(id=self.case.user_id) if self.user.username else None

    @property
    def assignee(self) -> UserName | None:
        return self.user_names[self.case.assignee] if self.case.assignee else None

    @property
    def parent_author(self) -> UserName | None:
        parent_comment = self.reported.parent_comment
        return self.user_names[parent_comment.author_id] if parent_comment else None

    @property
    def post_author(self) -> UserName | None:
        post = self.reported.post
        return self.user_names[post.author_id] if post and post.author_id else None

    @property
    def site_url(self) -> str:
        """Return the URL of the content on the site, or "" if the site does not show the content."""
        content = self.reported.current
        if content.is_restricted or content.is_hidden or content.is_deleted:
            return ""
        post: ReportedContent | None = self.reported.post or self.reported.current
        if self.case.subject_kind == SubjectKind.USER:
            username = self.user.username
            return reverse("profile", args=[username]) if username else ""
        username = self.user_names[post.author_id].username if post else ""
        return reverse("post", args=[username, post.id]) if post and username else ""


def case_page(*, case: Case, moderator: User) -> CasePage:
    subject = subject_from_record(record=case)
    reported = reported_subject(subject=subject, moderator=moderator, evidence=case.evidence)
    reports = list(Report.objects.filter(case=case).order_by("pk")[:MAX_LISTED])
    notes = list(Note.objects.filter(case=case).order_by("pk")[:MAX_LISTED])
    in_case = Q(case=case) | Q(subject=subject.id, subject_kind=subject.kind)
    actions = list(Action.objects.filter(in_case).order_by("-pk")[:MAX_LISTED])
    action_ids = {action.pk for action in actions}
    user_actions = Action.objects.filter(user_id=case.user_id).order_by("-pk")
    earlier_actions = [
        action
        for action in user_actions[: MAX_EARLIER + len(action_ids)]
        if action.pk not in action_ids
    ][:MAX_EARLIER]
    strikes = user_actions.filter(is_strike=True, state__in=STATES_IN_FORCE).values_list("pk")
    cases = Case.objects.filter(user_id=case.user_id).exclude(pk=case.pk).order_by("-pk")
    rule_ids = {report.rule for report in reports if report.rule}
    rule_texts = (
        dict(Rule.objects.filter(pk__in=rule_ids).values_list("pk", "text")) if rule_ids else {}
    )
    all_actions = (*actions, *earlier_actions)
    names = names_by_uid(
        uids={
            case.user_id,
            case.assignee,
            *reported.author_ids,
            *(report.reporter for report in reports),
            *(note.moderator for note in notes),
            *(uid for action in all_actions for uid in (action.moderator, action.user_id)),
        }
    )
    can_act = can_act_on(moderator=moderator, user_id=case.user_id)
    subject_choices, author_choices = (
        _available_choices(case, moderator, all_actions) if can_act else ([], [])
    )
    appeals = _appeals_by_action_id(all_actions)
    return CasePage(
        case=case,
        reported=reported,
        user_names=names,
        reports=[
            ReportOrNote(names[report.reporter], report, rule_texts.get(report.rule or 0, ""))
            for report in reports
        ],
        notes=[ReportOrNote(names[note.moderator], note) for note in notes],
        actions=[_build_action_row(action, names, appeals) for action in actions],
        earlier_actions=[_build_action_row(action, names, appeals) for action in earlier_actions],
        earlier_cases=list(cases[:MAX_EARLIER]),
        strike_count=len(strikes[:MAX_STRIKES]),
        subject_choices=subject_choices,
        author_choices=author_choices,
        can_act=can_act,
    )


def action_row(*, action: Action) -> ActionRow:
    """Return an action with its appeal."""
    names = names_by_uid(uids=[action.moderator, action.user_id])
    return _build_action_row(action, names, _appeals_by_action_id([action]))


def _build_action_row(action: Action, names: UserNames, appeals: dict[int, Appeal]) -> ActionRow:
    kind = action_kind(action.kind)
    is_deleted_later = kind.should_delete_content and action.expires_at is None
    return ActionRow(
        action=action,
        label=str(kind.label),
        undo_label=str(kind.undo_label),
        moderator=names[action.moderator],
        user=names[action.user_id],
        appeal=appeals.get(action.pk),
        undo_until=action.at + UNDO_PERIOD if is_deleted_later else None,
    )


def _appeals_by_action_id(actions: Iterable[Action]) -> dict[int, Appeal]:
    action_ids = [action.pk for action in actions]
    if not action_ids:
        return {}
    appeals = Appeal.objects.filter(action__in=action_ids)
    return {appeal.action_id: appeal for appeal in appeals}


def _available_choices(
    case: Case, moderator: User, actions: Iterable[Action]
) -> tuple[list[ActionChoice], list[ActionChoice]]:
    """Return the actions that the moderator may take against the subject and its author.

    Actions that are already in force are omitted, unless the user has replaced what they removed.
    """
    in_force = {
        (action.subject_kind, action.subject, action.kind)
        for action in actions
        if action.state in STATES_IN_FORCE and not action_kind(action.kind).can_repeat
    }

    def list_choices(subject: Subject, prefix: str) -> list[ActionChoice]:
        return [
            ActionChoice(prefix + kind.name, str(kind.label))
            for kind in action_kinds_for(subject_kind=subject.kind)
            if moderator.has_perm(kind.permission)
            and (
                (subject.kind, subject.id, kind.name) not in in_force
                or kind.has_replacement(subject)
            )
        ]

    subject = subject_from_record(record=case)
    if subject.kind == SubjectKind.USER:
        return list_choices(subject, ""), []
    author = Subject(SubjectKind.USER, case.user_id, case.user_id)
    return list_choices(subject, ""), list_choices(author, "person:")
