"""The sign-up page. Handles concurrent sign-ups with the same name or the same invitation.

``AccountAdapter.is_open_for_signup`` decides who may sign up, and its ``save_user`` creates the account.
"""

from typing import Any

from allauth.account.views import SignupView
from django.conf import settings
from django.db import IntegrityError
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.client_address import client_address, client_network
from accounts.request_guards import with_retry_after
from accounts.selectors.blocklists import can_sign_up_from
from accounts.selectors.invitations import find_usable_invitation, inviter_card
from accounts.services.invitations import INVITATION_SESSION_KEY, InvitationNotUsable

from .popups import keep_opener_for_apps


class SignUpView(SignupView):
    def form_valid(self, form: Form) -> HttpResponse:
        try:
            with rate_limits.limited_action(action="sign_up", subject=client_network(self.request)):
                response: HttpResponse = super().form_valid(form)
        except rate_limits.RateLimited as refusal:
            form.add_error(None, str(refusal))
            return with_retry_after(self.form_invalid(form), refusal)
        except InvitationNotUsable as refusal:
            form.add_error(None, str(refusal))
        except IntegrityError:
            # A concurrent sign-up took the name after the form had checked the name.
            form.add_error("username", _("This username is taken. Choose another one."))
        else:
            self.request.session.pop(INVITATION_SESSION_KEY, None)
            return response
        return self.form_invalid(form)  # type: ignore[no-any-return]

    def closed(self) -> HttpResponse:
        is_network_allowed = can_sign_up_from(address=client_address(self.request))
        reason = settings.SIGN_UP_MODE if is_network_allowed else "address"
        return render(self.request, self.template_name_signup_closed, {"reason": reason})

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        invitation = find_usable_invitation(
            key=self.request.session.get(INVITATION_SESSION_KEY, "")
        )
        if invitation is not None:
            context["inviter"] = inviter_card(invitation=invitation)
        return context


sign_up = keep_opener_for_apps(SignUpView.as_view())
