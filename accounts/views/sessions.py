"""Account security: the devices on which the user is logged in, and two-factor authentication."""

from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.selectors.sessions import user_sessions
from accounts.services import sessions as sessions_service
from accounts.services.sessions import end_sessions
from accounts.viewer import signed_in_user


@require_safe
@never_cache
@login_required
def sessions(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    rows = user_sessions(user=user, session_key=request.session.session_key or "")
    context = {
        "sessions": rows,
        "has_other_sessions": any(not row.is_current for row in rows),
        "has_2fa": is_mfa_enabled(user),
    }
    return render(request, "accounts/settings_sessions.html", context)


@require_POST
@login_required
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    if not sessions_service.end_session(uid=signed_in_user(request).pk, session_id=session_id):
        raise Http404("No such session.")
    messages.success(request, _("Device logged out."))
    return redirect("sessions")


@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    end_sessions(uid=signed_in_user(request).pk, except_key=request.session.session_key or "")
    messages.success(request, _("All other devices are logged out."))
    return redirect("sessions")
