"""Report a user, post or comment, and follow up on a report."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.infra.rate_limits import RateLimited
from accounts.request_guards import with_retry_after
from accounts.selectors.relationships import relationships
from accounts.user_cards import find_card
from accounts.viewer import signed_in_user
from socialsite.moderation import decisions
from socialsite.moderation.forms.people import ReportForm
from socialsite.moderation.services.reports import create_report
from socialsite.moderation.subjects import current_evidence, visible_subject


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report_subject(request: HttpRequest, kind: str, id: int, post: int = 0) -> HttpResponse:
    reporter = signed_in_user(request)
    subject = visible_subject(kind=kind, subject_id=id, post_id=post, viewer_id=reporter.pk)
    form = ReportForm(request.POST if request.method == "POST" else None, rules=decisions.rules())
    rate_limited: RateLimited | None = None
    if request.method == "POST" and form.is_valid():
        try:
            case = create_report(
                reporter=reporter,
                kind=kind,
                subject_id=id,
                post_id=post,
                category=form.cleaned_data["category"],
                rule_id=form.cleaned_data.get("rule"),
                text=form.cleaned_data["text"],
            )
            return redirect("report_status", case.pk)
        except RateLimited as error:
            rate_limited = error
            form.add_error(None, str(error))
    context = {
        "form": form,
        "kind": kind,
        "person": find_card(uid=subject.user_id),
        "text": current_evidence(subject=subject)["text"],
    }
    status = 422 if form.errors else 200
    response = render(request, "moderation/report_form.html", context, status=status)
    return response if rate_limited is None else with_retry_after(response, rate_limited)


@require_safe
@login_required
def report_status(request: HttpRequest, case_id: int) -> HttpResponse:
    report, case = decisions.own_report(case_id=case_id, reporter=signed_in_user(request))
    context = {
        "report": report,
        "case": case,
        "person": find_card(uid=case.user_id),
        "is_muting": bool(relationships(viewer=report.reporter, uids=[case.user_id]).muted),
    }
    return render(request, "moderation/report_status.html", context)
