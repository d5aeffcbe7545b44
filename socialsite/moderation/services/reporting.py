"""Report something; what others have reported too, and what looks suspicious, comes into one case."""

from collections.abc import Sequence

from django.db.models import F

from accounts import limits
from accounts.models import User
from accounts.transactions import transactional
from accounts.visitors import user_key
from feed import stats
from feed.stats import Metric, Once
from socialsite.moderation.models import Case, Category, Report
from socialsite.moderation.subjects import Subject, evidence_of, visible_subject

from . import auditing


def report(
    *,
    reporter: User,
    kind: str,
    id: int,
    post: int = 0,
    category: str,
    rule: int | None = None,
    text: str = "",
) -> Case:
    """Tell the moderators; again about the same, while it is open, replaces what one said.

    Raises Http404 for what the reporter does not see, and for their own; TooMany who reports too often.
    """
    subject = visible_subject(kind=kind, id=id, post=post, viewer=reporter.pk)
    evidence = evidence_of(subject=subject)
    with limits.counted(action="report", who=reporter.pk):
        case = _report(subject, evidence, reporter.pk, category, rule, text)
    once = Once(f"{user_key(uid=reporter.pk)} case {case.pk}", stats.SITE, Metric.REPORTS)
    stats.count_once(once=once, lasts=stats.DAY)
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
    case = _open_case(subject, source, category, evidence_of(subject=subject), moderator)
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
            **subject.fields,
        )
        auditing.note(actor=moderator, verb=f"opened:{source}", person=subject.person, case=case.pk)
    return case
