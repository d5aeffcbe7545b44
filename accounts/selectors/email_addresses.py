"""The email addresses of a user."""

from allauth.account.models import EmailAddress

from accounts.models import User


def confirmed_email(*, uid: int) -> str | None:
    """Return the primary address if confirmed, else another confirmed address, else None.

    Also returns None for inactive users. An unconfirmed address may belong to another person, who must not
    get this user's mail. At most two commands.
    """
    if not User.objects.filter(pk=uid, is_active=True).exists():
        return None
    confirmed = EmailAddress.objects.filter(user_id=uid, verified=True).order_by("-primary")
    address: str | None = confirmed.values_list("email", flat=True).first()
    return address


def email_addresses(*, uid: int) -> list[tuple[str, bool]]:
    """Return (address, is confirmed) for each address of a user, the primary address first."""
    addresses = EmailAddress.objects.filter(user_id=uid).order_by("-primary", "pk")
    return list(addresses.values_list("email", "verified"))
