"""Where mail to a person goes."""

from allauth.account.models import EmailAddress

from accounts.models import User


def mail_address(*, uid: int) -> str | None:
    """The main confirmed address, or another confirmed one, or the one that they gave when they signed up;
    None of who is gone or has none. At most two commands."""
    given = User.objects.filter(pk=uid, is_active=True).values_list("email", flat=True).first()
    if given is None:
        return None
    confirmed = EmailAddress.objects.filter(user_id=uid, verified=True).order_by("-primary")
    return confirmed.values_list("email", flat=True).first() or given or None
