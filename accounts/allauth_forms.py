"""allauth's form for password resets, changed to accept inactive users."""

from allauth.account.adapter import get_adapter
from allauth.account.forms import ResetPasswordForm
from allauth.account.utils import filter_users_by_email


class ResetForm(ResetPasswordForm):
    """Password reset for all users. Inactive users need a password to reactivate their account."""

    def clean_email(self) -> str:
        email: str = get_adapter().clean_email(self.cleaned_data["email"].lower())
        self.users = filter_users_by_email(email, prefer_verified=True)
        return email
