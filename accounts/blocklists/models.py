"""Models of blocklists, invitations, and users who signed up by invitation."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from . import normalization

INVITATION_KEY_LENGTH = 24


def not_expired() -> models.Q:
    """Return the condition for rows that have not expired."""
    return models.Q(expires_at=None) | models.Q(expires_at__gt=timezone.now())


def new_invitation_key() -> str:
    return get_random_string(INVITATION_KEY_LENGTH)


class BlocklistEntry(models.Model):
    expires_at = models.DateTimeField(
        _("expires"),
        null=True,
        blank=True,
        help_text=_("Leave empty for an entry that does not expire."),
    )
    reason = models.CharField(
        _("reason"), max_length=200, blank=True, help_text=_("Only moderators see this.")
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    created_by_id: int | None
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        verbose_name=_("created by"),
        null=True,
        editable=False,
        related_name="+",
        db_index=False,
    )

    class Meta:
        abstract = True


class BlockedEmail(BlocklistEntry):
    """A blocked email address or domain. Nobody can sign up with it or change an address to it."""

    value = models.CharField(
        _("domain or email address"),
        max_length=320,
        unique=True,
        help_text=_(
            "A domain such as example.org, which includes its subdomains, or an address such "
            "as someone@example.org. Plus tags (+tag) are ignored."
        ),
    )

    class Meta:
        verbose_name = _("blocked email domain")
        verbose_name_plural = _("blocked email domains")

    def __str__(self) -> str:
        return self.value

    def clean(self) -> None:
        try:
            self.value = normalization.normalize_email_rule(self.value)
        except ValueError:
            raise ValidationError({"value": _("Enter a domain such as example.org.")}) from None


class BlockedName(BlocklistEntry):
    """A blocked username. Existing users keep the username. ``value``: the normalized username."""

    name = models.CharField(
        _("username"),
        max_length=30,
        help_text=_(
            "Also blocks similar usernames: case, dots, underscores and digits that look "
            "like letters are ignored."
        ),
    )
    value = models.CharField(max_length=30, unique=True, editable=False)
    matches_words = models.BooleanField(
        _("also match words in longer usernames"),
        default=False,
        help_text=_(
            "Dots and underscores separate words. Digits at the start or end of a word are ignored."
        ),
    )

    class Meta:
        verbose_name = _("blocked username")
        verbose_name_plural = _("blocked usernames")

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        self.name = self.name.strip().lower().removeprefix("@")
        self.value = normalization.normalize_name(self.name)
        if not (self.value.isascii() and self.value.isalnum()):
            raise ValidationError({"name": _("Use only the letters a to z and digits.")})
        if type(self).objects.filter(value=self.value).exclude(pk=self.pk).exists():
            raise ValidationError({"name": _("This username or a similar one is already blocked.")})


class BlockedNetwork(BlocklistEntry):
    class Scope(models.TextChoices):
        SIGN_UP = "sign-up", _("Sign-ups")
        ALL = "all", _("Everything except logging out")

    value = models.CharField(
        _("IP address or network"),
        max_length=43,
        unique=True,
        help_text=_("For example 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32."),
    )
    scope = models.CharField(_("scope"), max_length=7, choices=Scope, default=Scope.SIGN_UP)

    MIN_PREFIX_LENGTH = {4: 8, 6: 16}
    """The shortest prefix that may be blocked, by IP version. A shorter prefix would block much of the
    internet."""

    class Meta:
        verbose_name = _("blocked network")
        verbose_name_plural = _("blocked networks")
        indexes = [models.Index(fields=["scope"], name="blocked_network_by_scope")]

    def __str__(self) -> str:
        return self.value

    def clean(self) -> None:
        try:
            self.value = normalization.normalize_network(self.value)
        except ValueError:
            message = _("Enter a network such as 192.0.2.0/24 or 2001:db8::/32.")
            raise ValidationError({"value": message}) from None
        version = 6 if ":" in self.value else 4
        if int(self.value.rpartition("/")[2]) < self.MIN_PREFIX_LENGTH[version]:
            raise ValidationError(
                {"value": _("This network is too large to block. Enter a smaller network.")}
            )


class Invitation(models.Model):
    """An invitation link. Its URL contains the ``key``.

    Up to ``max_uses`` people can sign up with the link until it expires or is revoked.
    """

    created_by_id: int
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        verbose_name=_("created by"),
        editable=False,
        related_name="+",
        db_index=False,
    )
    key = models.CharField(
        max_length=INVITATION_KEY_LENGTH, unique=True, default=new_invitation_key, editable=False
    )
    max_uses = models.PositiveIntegerField(_("maximum uses"), default=1)
    use_count = models.PositiveIntegerField(_("uses"), default=0, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        indexes = [models.Index(fields=["created_by", "-id"], name="invitation_by_creator")]

    def __str__(self) -> str:
        return self.key[:6] + "…"

    @staticmethod
    def usable_filter() -> models.Q:
        """Return the condition for usable invitations."""
        return not_expired() & models.Q(revoked_at=None, use_count__lt=models.F("max_uses"))

    @property
    def is_usable(self) -> bool:
        is_expired = self.expires_at is not None and self.expires_at <= timezone.now()
        return not (is_expired or self.revoked_at or self.use_count >= self.max_uses)


class InvitedUser(models.Model):
    """A user who signed up by invitation.

    Moderators see these rows. The site suggests the inviter and the invited user to each other.
    """

    user_id: int
    inviter_id: int | None
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, verbose_name=_("user"), related_name="+"
    )
    inviter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        verbose_name=_("invited by"),
        null=True,
        related_name="+",
    )
    invitation = models.ForeignKey(
        Invitation, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(_("signed up"), default=timezone.now)

    class Meta:
        verbose_name = _("invited user")
        verbose_name_plural = _("invited users")

    def __str__(self) -> str:
        return str(self.user_id)
