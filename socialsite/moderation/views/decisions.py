"""What moderators decided about oneself, and what one says against it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.confinement import reachable_when_closed
from accounts.viewer import signed_in
from socialsite.moderation import services
from socialsite.moderation.decisions import decision, decisions_about
from socialsite.moderation.forms.people import AppealForm


@reachable_when_closed
@require_safe
@login_required
def all_decisions(request: HttpRequest) -> HttpResponse:
    found = decisions_about(person=signed_in(request))
    return render(request, "moderation/decisions.html", {"decisions": found})


@reachable_when_closed
@require_safe
@login_required
def known_decision(request: HttpRequest, action_id: int) -> HttpResponse:
    """Where apps look for what a notification told of: a decision, or something about a report."""
    is_one = any(one.id == action_id for one in decisions_about(person=signed_in(request)))
    return redirect("decision", action_id) if is_one else redirect("decisions")


@reachable_when_closed
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def one_decision(request: HttpRequest, action_id: int) -> HttpResponse:
    """With POST: appeal against it."""
    person = signed_in(request)
    found = decision(action_id=action_id, person=person)
    form = AppealForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.appeal(action_id=action_id, person=person, text=form.cleaned_data["text"])
            messages.success(request, _("Sent. The moderators will look at it again."))
        except services.CannotAppeal:
            messages.error(request, _("You cannot appeal against this any more."))
        return redirect("decision", action_id)
    status = 422 if form.errors else 200
    context = {"decision": found, "form": form}
    return render(request, "moderation/decision.html", context, status=status)
