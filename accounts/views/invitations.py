"""Open invitation links, create invitations and revoke invitations."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import InvitationForm
from accounts.request_guards import RefusalsIn, form_page
from accounts.selectors.account_data import created_invitations, find_usable_invitation
from accounts.services import invitations as invitations_service
from accounts.services.invitations import CLOSED, INVITATION_SESSION_KEY, create_invitation
from accounts.viewer import signed_in_user


@require_safe
@never_cache
def open_invitation(request: HttpRequest, key: str) -> HttpResponse:
    """Remember the invitation until sign-up. Opening the link does not count as a use."""
    if request.user.is_authenticated:
        messages.info(request, _("You already have an account. Invitations are for new users."))
        return redirect("home")
    if settings.SIGN_UP_MODE == CLOSED or find_usable_invitation(key=key) is None:
        return render(request, "accounts/invitation_not_usable.html", status=404)
    request.session[INVITATION_SESSION_KEY] = key
    return redirect("account_signup")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def invitations(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = InvitationForm(
        request.POST if request.method == "POST" else None, is_staff=user.is_staff
    )
    if form.is_valid():
        valid_days = form.cleaned_data["valid_days"]
        expires_at = timezone.now() + timedelta(days=valid_days) if valid_days else None
        max_uses = form.cleaned_data["max_uses"]
        with RefusalsIn(form):
            create_invitation(actor=user, max_uses=max_uses, expires_at=expires_at)
            messages.success(
                request,
                _(
                    "Invitation created. Copy the link and send it to the people you "
                    "want to invite."
                ),
            )
            return redirect("invitations")
    context = {"invitations": created_invitations(uid=user.pk), "site_url": settings.SITE_URL}
    return form_page(request, "accounts/settings_invitations.html", form, **context)


@require_POST
@login_required
def revoke_invitation(request: HttpRequest, invitation_id: int) -> HttpResponse:
    if invitations_service.revoke_invitation(
        invitation_id=invitation_id, actor=signed_in_user(request)
    ):
        messages.success(request, _("Invitation revoked."))
    return redirect("invitations")
