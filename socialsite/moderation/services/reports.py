"""Create reports and open cases. All reports and spam signals about one subject go into one case."""

from collections.abc import Sequence

from django.db.models import F

from accounts.infra import rate_limits
from accounts.infra.transactions import transactional
from accounts.infra.viewer_keys import user_key
from accounts.models import User
from feed import stats
from feed.stats import Metric, UniqueEvent
from socialsite.moderation.models import Case, Category, Report
from socialsite.moderation.subjects import (
    Subject,
    current_evidence,
    post_subject,
    visible_subject,
)

from . import audit_log
from .actions import take_action


def create_report(
    *,
    reporter: User,
    kind: str,
    subject_id: int,
    post_id: int = 0,
    category: str,
    rule_id: int | None = None,
    text: str = "",
) -> Case:
    """Report a subject and return its case. A second report replaces the first in the open case.

    Raises RateLimited, and Http404 if the subject belongs to the reporter or is not visible to the
    reporter.
    """
    subject = visible_subject(
        kind=kind, subject_id=subject_id, post_id=post_id, viewer_id=reporter.pk
    )
    evidence = current_evidence(subject=subject)
    with rate_limits.limited_action(action="report", subject=reporter.pk):
        case = _save_report(subject, evidence, reporter.pk, category, rule_id, text)
    event = UniqueEvent(f"{user_key(uid=reporter.pk)} case {case.pk}", stats.SITE, Metric.REPORTS)
    stats.count_unique(event=event, window=stats.DAY)
    return case


@transactional(retry_duplicate_keys=True)
def _save_report(
    subject: Subject,
    evidence: dict[str, object],
    reporter: int,
    category: str,
    rule_id: int | None,
    text: str,
) -> Case:
    case = _get_or_create_case(subject, Case.Source.REPORT, category, evidence)
    fields = {"category": category, "rule": rule_id, "text": text}
    own_report = Report.objects.filter(case=case, reporter=reporter)
    if not own_report.update(**fields):
        Report.objects.create(case=case, reporter=reporter, **fields)
        Case.objects.filter(pk=case.pk).update(reports=F("reports") + 1)
        case.reports += 1
    return case


@transactional(retry_duplicate_keys=True)
def open_case(
    *,
    subject: Subject,
    source: str,
    category: str = Category.OTHER,
    reasons: Sequence[str] = (),
    moderator: User | None = None,
) -> Case:
    """Add ``reasons`` to the open case about the subject, and return the case. Open a case if needed."""
    evidence = current_evidence(subject=subject)
    case = _get_or_create_case(subject, source, category, evidence, moderator)
    new_reasons = [reason for reason in reasons if reason not in case.reasons]
    if new_reasons:
        case.reasons = [*case.reasons, *new_reasons]
        case.save(update_fields=["reasons"])
    return case


def open_pending_review(*, post_id: int) -> None:
    """Open a case for a post pending review. Record the review as an action, so that it can be undone."""
    subject = post_subject(post_id=post_id)
    case = open_case(subject=subject, source=Case.Source.PENDING_REVIEW)
    take_action(moderator=None, kind="hold", subject=subject, case=case, should_notify=False)


def _get_or_create_case(
    subject: Subject,
    source: str,
    category: str,
    evidence: dict[str, object],
    moderator: User | None = None,
) -> Case:
    case = Case.objects.filter(open_key=subject.key).first()
    if case is None:
        case = Case.objects.create(
            open_key=subject.key,
            source=source,
            category=category,
            evidence=evidence,
            **subject.record_fields,
        )
        audit_log.record_event(
            actor=moderator, event=f"opened:{source}", user_id=subject.user_id, case_id=case.pk
        )
    return case
