"""Report what one sees, and read what became of it; the rules of the site."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.confinement import reachable_when_closed
from accounts.guarding import asked_to_wait
from accounts.limits import TooMany
from accounts.user_cards import card
from accounts.viewer import signed_in
from socialsite.moderation import decisions, services
from socialsite.moderation.forms.people import ReportForm
from socialsite.moderation.subjects import evidence_of, visible_subject


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report(request: HttpRequest, kind: str, id: int, post: int = 0) -> HttpResponse:
    reporter = signed_in(request)
    subject = visible_subject(kind=kind, id=id, post=post, viewer=reporter.pk)
    form = ReportForm(request.POST if request.method == "POST" else None, rules=decisions.rules())
    refused: TooMany | None = None
    if request.method == "POST" and form.is_valid():
        try:
            case = services.report(
                reporter=reporter,
                kind=kind,
                id=id,
                post=post,
                category=form.cleaned_data["category"],
                rule=form.cleaned_data.get("rule"),
                text=form.cleaned_data["text"],
            )
            return redirect("my_report", case.pk)
        except TooMany as error:
            refused = error
            form.add_error(None, str(error))
    context = {
        "form": form,
        "kind": kind,
        "person": card(uid=subject.person),
        "text": evidence_of(subject=subject)["text"],
    }
    status = 422 if form.errors else 200
    response = render(request, "moderation/report.html", context, status=status)
    return response if refused is None else asked_to_wait(response, refused)


@require_safe
@login_required
def my_report(request: HttpRequest, case_id: int) -> HttpResponse:
    said, case = decisions.report_of(case_id=case_id, reporter=signed_in(request))
    context = {"report": said, "case": case, "person": card(uid=case.person)}
    return render(request, "moderation/my_report.html", context)


@reachable_when_closed
@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    return render(request, "moderation/rules.html", {"rules": decisions.rules()})
