"""Moderation actions against the signed-in user, and appeals."""

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
    actions = actions_against_user(user=signed_in_user(request))
    return render(request, "moderation/actions.html", {"decisions": actions})


@allow_inactive_users
@require_safe
@login_required
def strike_redirect(request: HttpRequest, action_id: int) -> HttpResponse:
    """Redirect the URL that Mastodon apps open for moderation notifications.

    Apps also open this URL for notifications about reports, which have no action page.
    """
    actions = actions_against_user(user=signed_in_user(request))
    if any(action.id == action_id for action in actions):
        return redirect("moderation_action", action_id)
    return redirect("moderation_actions")


@allow_inactive_users
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def action_detail(request: HttpRequest, action_id: int) -> HttpResponse:
    """Show an action. POST creates an appeal against the action."""
    user = signed_in_user(request)
    action = action_against_user(action_id=action_id, user=user)
    form = AppealForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            create_appeal(action_id=action_id, user=user, text=form.cleaned_data["text"])
            messages.success(request, _("Appeal sent. The moderators will review the decision."))
        except CannotAppeal:
            messages.error(request, _("You can no longer appeal this decision."))
        return redirect("moderation_action", action_id)
    status = 422 if form.errors else 200
    context = {"decision": action, "form": form}
    return render(request, "moderation/action.html", context, status=status)
