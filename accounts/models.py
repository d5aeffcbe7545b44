"""The user model. The follow graph is in ``store``. ``user_cards`` has names and avatars for pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import (
    AbstractBaseUser,
    BaseUserManager,
    PermissionsMixin,
)
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django_mongodb_backend.fields import ArrayField

from . import search_keys, usernames
from .blocklists.models import (  # noqa: F401 - Django discovers models here
    BlockedEmail,
    BlockedName,
    BlockedNetwork,
    Invitation,
    InvitedUser,
)
from .brand.models import Brand  # noqa: F401 - Django discovers models here
from .oauth.models import (  # noqa: F401 - Django discovers models here
    AccessToken,
    Application,
    DeviceGrant,
    Grant,
    IDToken,
    RefreshToken,
)
from .search_keys import SearchKeysField

MAX_PROFILE_FIELDS = 4
MAX_PROFILE_FIELD_LENGTH = 255
"""Maximum number of characters of the label of a profile field, and of its value."""


class PostVisibility(models.TextChoices):
    """With which visibility the posts of a user may start. ``feed.models`` has all visibilities."""

    PUBLIC = "public", _("Public")
    UNLISTED = "unlisted", _("Unlisted")
    FOLLOWERS = "followers", _("Followers only")


class QuotePolicy(models.TextChoices):
    """Who may quote the new posts of a user. ``feed.models`` has the policy of a post."""

    EVERYONE = "everyone", _("Everyone")
    FOLLOWERS = "followers", _("Followers")
    NOBODY = "nobody", _("Only me")


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(username=(username or "").lower())

    def create_user(
        self, username: str, email: str = "", password: str | None = None, **fields: Any
    ) -> User:
        user = User(username=username.lower(), email=email.lower(), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_superuser(
        self, username: str, email: str = "", password: str | None = None, **fields: Any
    ) -> User:
        return self.create_user(
            username, email, password, is_staff=True, is_superuser=True, **fields
        )


class User(AbstractBaseUser, PermissionsMixin):  # type: ignore[django-manager-missing]  # of apps
    """A user. ``username`` and ``email`` are always in lower case."""

    class DescriptionReminder(models.TextChoices):
        """What happens if the user publishes pictures without descriptions."""

        ONCE = "once", _("Remind me before I publish them")
        REQUIRE = "require", _("Do not publish them")
        OFF = "off", _("Publish them")

    username = models.CharField(
        _("username"),
        max_length=usernames.MAX_LENGTH,
        unique=True,
        validators=usernames.validators,
        error_messages={"unique": _("This username is taken. Choose another one.")},
    )
    email = models.EmailField(_("email address"), blank=True, db_index=True)
    display_name = models.CharField(_("name"), max_length=30, blank=True)
    bio = models.CharField(_("bio"), max_length=500, blank=True)
    avatar = models.CharField(_("profile picture"), max_length=100, blank=True, editable=False)
    header = models.CharField(
        _("header picture"), max_length=100, blank=True, default="", editable=False
    )
    # Up to MAX_PROFILE_FIELDS of {name, value}. ``services.profile_links`` adds {verified_at, failures}.
    profile_fields = models.JSONField(_("profile fields"), default=list, editable=False)
    # When a worker checks the links of the profile fields. None if there are none.
    links_due_at = models.DateTimeField(null=True, editable=False)
    is_bot = models.BooleanField(_("automated account"), default=False)
    search_keys = SearchKeysField(
        models.CharField(max_length=search_keys.MAX_KEY_LENGTH), default=list, editable=False
    )
    is_private = models.BooleanField(_("approve followers"), default=False)
    has_view_counts = models.BooleanField(_("count views of posts"), default=True)
    # Search engines may list the profile and the public posts.
    is_indexable = models.BooleanField(_("listed by search engines"), default=True)
    # The directory, suggestions and trends may show the user and the posts of the user.
    is_discoverable = models.BooleanField(_("suggested to others"), default=True)
    description_reminder = models.CharField(
        _("pictures without a description"),
        max_length=7,
        choices=DescriptionReminder,
        default=DescriptionReminder.ONCE,
        editable=False,
    )
    # The name of a time zone, or "" to use the time zone of the browser.
    time_zone = models.CharField(
        _("time zone"), max_length=64, blank=True, default="", editable=False
    )
    # The language of pages, mails and pushes, such as "pt-br". "" means the language of the browser.
    language = models.CharField(
        _("language"), max_length=20, blank=True, default="", editable=False
    )
    # New posts start with these values. ``post_language`` is a code such as "de", or "" for none.
    post_visibility = models.CharField(
        _("visibility of new posts"),
        max_length=9,
        choices=PostVisibility,
        default=PostVisibility.PUBLIC,
        editable=False,
    )
    post_language = models.CharField(
        _("language of new posts"), max_length=20, blank=True, default="", editable=False
    )
    quote_policy = models.CharField(
        _("who can quote new posts"),
        max_length=9,
        choices=QuotePolicy,
        default=QuotePolicy.EVERYONE,
        editable=False,
    )
    # New pictures and clips without a content warning get the warning "Sensitive".
    has_sensitive_media = models.BooleanField(
        _("hide media behind a warning"), default=False, editable=False
    )
    # The newest announcements that the user has dismissed (``services.profiles``).
    dismissed_announcements = ArrayField(models.BigIntegerField(), default=list, editable=False)
    # Only moderators change this field. Only followers see the posts of a limited user.
    is_limited = models.BooleanField(_("limited"), default=False, editable=False)
    # Only moderators change this field. The site suggests recommended users to others.
    is_recommended = models.BooleanField(_("recommended"), default=False, editable=False)
    # False exactly while one of the next three fields is set. Inactive users are invisible to all others.
    # ``services.account_status`` changes these fields.
    is_active = models.BooleanField(_("active"), default=True)
    suspended_at = models.DateTimeField(_("suspended"), null=True, editable=False)
    deactivated_at = models.DateTimeField(_("deactivated"), null=True, editable=False)
    # The end of the grace period. After this time, all data of the user is erased.
    erase_at = models.DateTimeField(_("deletion date"), null=True, editable=False)
    is_staff = models.BooleanField(_("staff status"), default=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)

    objects = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["email"]

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        indexes = [
            # This partial index contains only recommended users.
            models.Index(
                fields=["is_recommended"],
                condition=models.Q(is_recommended=True),
                name="user_recommended",
            )
        ]

    def __str__(self) -> str:
        return self.username

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        if update_fields is None:
            # The user of a request was read without keys (``store.users``), so Django would skip them.
            self.__dict__.setdefault("search_keys", [])
        elif search_keys.are_outdated_by(update_fields):
            update_fields = {*update_fields, "search_keys"}
        super().save(*args, update_fields=update_fields, **kwargs)

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Check a permission. Staff without two-factor authentication have none if the site requires it."""
        return super().has_perm(perm, obj) and not self.lacks_second_factor

    @property
    def lacks_second_factor(self) -> bool:
        """Return whether the user is staff without two-factor authentication and the site requires it."""
        return settings.STAFF_NEEDS_2FA and self.is_staff and not self._has_second_factor

    @cached_property
    def _has_second_factor(self) -> bool:
        """Read once per request, because pages of the admin check dozens of permissions."""
        from allauth.mfa.utils import is_mfa_enabled

        return bool(is_mfa_enabled(self))

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Return the display name, or the username if there is none."""
        return self.display_name or self.username

    def get_absolute_url(self) -> str:
        return reverse("profile", args=[self.username])
