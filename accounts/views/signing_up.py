"""Signing up, where two people may want the same name at the same moment."""

from allauth.account.views import SignupView
from django.db import IntegrityError
from django.forms import Form
from django.http import HttpResponse
from django.utils.translation import gettext as _


class SignUpView(SignupView):
    def form_valid(self, form: Form) -> HttpResponse:
        try:
            return super().form_valid(form)  # type: ignore[no-any-return]
        except IntegrityError:
            # Somebody took the name between the form's look-up and the insert.
            form.add_error("username", _("Somebody already has this name."))
            return self.form_invalid(form)  # type: ignore[no-any-return]


sign_up = SignUpView.as_view()
