"""Where allauth's forms would treat people who are not active as strangers."""

from allauth.account.adapter import get_adapter
from allauth.account.forms import ResetPasswordForm
from allauth.account.internal.userkit import filter_users_by_email


class ResetForm(ResetPasswordForm):
    """Also whoever went away may forget the password, and must log in to come back."""

    def clean_email(self) -> str:
        email: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        self.users = filter_users_by_email(email, prefer_verified=True, for_login=True)
        return email
