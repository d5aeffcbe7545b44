"""Report something; what others have reported too, and what looks suspicious, comes into one case."""

from collections.abc import Sequence

from django.db.models import F

from accounts.infra import rate_limits
from accounts.infra.transactions import transactional
from accounts.infra.viewer_keys import user_key
from accounts.models import User
from feed import stats
from feed.stats import Metric, UniqueEvent
from socialsite.moderation.models import Case, Category, Report
from socialsite.moderation.subjects import Subject, current_evidence, visible_subject

from . import audit_log


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
    """Tell the moderators; again about the same, while it is open, replaces what one said.

    Raises Http404 for what the reporter does not see, and for their own; TooMany who reports too often.
    """
    subject = visible_subject(
        kind=kind, subject_id=subject_id, post_id=post_id, viewer_id=reporter.pk
    )
    evidence = current_evidence(subject=subject)
    with rate_limits.limited_action(action="report", subject=reporter.pk):
        case = _report(subject, evidence, reporter.pk, category, rule_id, text)
    once = UniqueEvent(f"{user_key(uid=reporter.pk)} case {case.pk}", stats.SITE, Metric.REPORTS)
    stats.count_unique(event=once, window=stats.DAY)
    return case


@transactional(retry_duplicate_keys=True)
def _report(
    subject: Subject,
    evidence: dict[str, object],
    reporter: int,
    category: str,
    rule: int | None,
    text: str,
) -> Case:
    case = _open_case(subject, Case.Source.REPORT, category, evidence)
    said = {"category": category, "rule": rule, "text": text}
    there = Report.objects.filter(case=case, reporter=reporter)
    if not there.update(**said):
        Report.objects.create(case=case, reporter=reporter, **said)
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
    """The case about this that is open, or a new one; its signs are added to those there are."""
    case = _open_case(subject, source, category, current_evidence(subject=subject), moderator)
    added = [one for one in reasons if one not in case.reasons]
    if added:
        case.reasons = [*case.reasons, *added]
        case.save(update_fields=["reasons"])
    return case


def _open_case(
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
