"""Where mail to a person goes."""

from allauth.account.models import EmailAddress

from accounts.models import User


def confirmed_email(*, uid: int) -> str | None:
    """The main confirmed address, or another confirmed one; None of who is gone or has none. Nobody gets
    mails because somebody else gave their address. At most two commands."""
    if not User.objects.filter(pk=uid, is_active=True).exists():
        return None
    confirmed = EmailAddress.objects.filter(user_id=uid, verified=True).order_by("-primary")
    address: str | None = confirmed.values_list("email", flat=True).first()
    return address


def email_addresses(*, uid: int) -> list[tuple[str, bool]]:
    """(address, whether it is confirmed) of all that somebody has given, the main one first."""
    found = EmailAddress.objects.filter(user_id=uid).order_by("-primary", "pk")
    return list(found.values_list("email", "verified"))
