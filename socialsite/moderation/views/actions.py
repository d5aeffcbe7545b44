"""What moderators decided about oneself, and what one says against it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.inactive_users import allow_inactive_users
from accounts.viewer import signed_in_user
from socialsite.moderation.decisions import action_against_user, actions_against_user
from socialsite.moderation.forms.people import AppealForm
from socialsite.moderation.services.appeals import CannotAppeal, create_appeal


@allow_inactive_users
@require_safe
@login_required
def action_list(request: HttpRequest) -> HttpResponse:
    found = actions_against_user(user=signed_in_user(request))
    return render(request, "moderation/decisions.html", {"decisions": found})


@allow_inactive_users
@require_safe
@login_required
def strike_redirect(request: HttpRequest, action_id: int) -> HttpResponse:
    """Where apps look for what a notification told of: a decision, or something about a report."""
    is_one = any(one.id == action_id for one in actions_against_user(user=signed_in_user(request)))
    return redirect("decision", action_id) if is_one else redirect("decisions")


@allow_inactive_users
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def action_detail(request: HttpRequest, action_id: int) -> HttpResponse:
    """With POST: appeal against it."""
    person = signed_in_user(request)
    found = action_against_user(action_id=action_id, user=person)
    form = AppealForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            create_appeal(action_id=action_id, user=person, text=form.cleaned_data["text"])
            messages.success(request, _("Sent. The moderators will look at it again."))
        except CannotAppeal:
            messages.error(request, _("You cannot appeal against this any more."))
        return redirect("decision", action_id)
    status = 422 if form.errors else 200
    context = {"decision": found, "form": form}
    return render(request, "moderation/decision.html", context, status=status)
