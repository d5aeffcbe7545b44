"""Signing up, where two people may want the same name, or the same invitation, at the same moment.

Who may is said in ``AccountAdapter.is_open_for_signup``; the account is made in its ``save_user``.
"""

from typing import Any

from allauth.account.views import SignupView
from django.conf import settings
from django.db import IntegrityError
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from accounts import limits, selectors, services
from accounts.client_address import client_address, whose_limit
from accounts.guarding import asked_to_wait
from accounts.services.invitations import SESSION_KEY

from .popups import on_the_way_to_an_app


class SignUpView(SignupView):
    def form_valid(self, form: Form) -> HttpResponse:
        try:
            with limits.counted(action="sign_up", who=whose_limit(self.request)):
                done: HttpResponse = super().form_valid(form)
        except limits.TooMany as refusal:
            form.add_error(None, str(refusal))
            return asked_to_wait(self.form_invalid(form), refusal)
        except services.NotInvited as refusal:
            form.add_error(None, str(refusal))
        except IntegrityError:
            # Somebody took the name between the form's look-up and the insert.
            form.add_error("username", _("Somebody already has this name."))
        else:
            self.request.session.pop(SESSION_KEY, None)
            return done
        return self.form_invalid(form)  # type: ignore[no-any-return]

    def closed(self) -> HttpResponse:
        is_here = selectors.may_sign_up_from(address=client_address(self.request))
        reason = settings.SIGN_UP if is_here else "address"
        return render(self.request, self.template_name_signup_closed, {"reason": reason})

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        invitation = selectors.good_invitation(key=self.request.session.get(SESSION_KEY, ""))
        if invitation is not None:
            context["inviter"] = selectors.inviter_of(invitation=invitation)
        return context


sign_up = on_the_way_to_an_app(SignUpView.as_view())
