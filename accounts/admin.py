"""Admin pages for users, roles and apps. Lists do not join or count, so large collections stay fast."""

from typing import Any

import allauth.account.admin
import allauth.mfa.admin
import allauth.usersessions.admin  # noqa: F401 - registers its admins
import oauth2_provider.admin  # noqa: F401 - registers its admins
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextareaWidget
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, Permission
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from . import blocklists_admin  # noqa: F401 - registers its admins
from .forms import PlainTextField, SingleLineField
from .infra.admin_lists import NewestFirstAdmin
from .models import User
from .oauth.models import AccessToken, Application, Grant, IDToken, RefreshToken

PERMISSION_FIELDS = ("is_staff", "is_superuser", "groups", "user_permissions")

# The list of email addresses would need a slow join with users, so moderators search for the user instead.
# ``RoleAdmin`` replaces the page of groups. Sessions and two-factor secrets are private.
admin.site.unregister([EmailAddress, Group, Authenticator, UserSession])
# Authorization codes and tokens are private, too.
admin.site.unregister([Application, AccessToken, Grant, IDToken, RefreshToken])


class UserForm(forms.ModelForm):  # type: ignore[type-arg]
    """Apply the same rules to edits by moderators as to edits by users."""

    display_name = SingleLineField(label=_("name"), max_length=30, required=False)
    bio = PlainTextField(
        label=_("bio"), max_length=500, required=False, widget=AdminTextareaWidget({"rows": 4})
    )

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"]).lower()


@admin.register(User)
class UserAdmin(NewestFirstAdmin):
    """The admin page for users. The search matches the start of a username or email address.

    Moderators cannot change an email address, because they could then reset the user's password.
    """

    form = UserForm
    list_display = ("username", "display_name", "email", "is_active", "is_staff", "date_joined")
    list_filter = ("is_staff", "is_active", "is_recommended")
    search_fields = ("username", "email")
    search_help_text = _("Search by the start of a username or email address")
    readonly_fields = (
        *("email", "last_login", "date_joined", "avatar", "header", "is_recommended"),
        "is_active",  # ``socialsite.moderation`` lets moderators change it
    )
    fieldsets = (
        (
            None,
            {
                "fields": (
                    *("username", "email", "display_name", "bio", "avatar", "header"),
                    *("is_bot", "is_recommended"),
                )
            },
        ),
        (_("Permissions"), {"fields": ("is_active", *PERMISSION_FIELDS)}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        # Users sign up on the site. The command ``createsuperuser`` creates the first superuser.
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # Deleting the row would leave follows and pictures behind. Moderators suspend the user instead.
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or not obj.is_staff or _is_superuser(request))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        # Only superusers grant permissions. Other staff could grant themselves every permission.
        return (
            self.readonly_fields
            if _is_superuser(request)
            else (*self.readonly_fields, *PERMISSION_FIELDS)
        )

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "user_permissions":
            # The text of each permission contains its content type. Without this, each is a query.
            kwargs["queryset"] = Permission.objects.prefetch_related("content_type")
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User], search_term: str
    ) -> tuple[QuerySet[User], bool]:
        term = search_term.strip().lower().removeprefix("@")
        if not term:
            return queryset, False
        column = "email" if "@" in term else "username"
        # A range query uses the index of lower-case names. A regular expression that ignores case does not.
        bounds: dict[str, Any] = {f"{column}__gte": term, f"{column}__lt": term + "\U0010ffff"}
        return queryset.filter(**bounds), False


@admin.register(Group)
class RoleAdmin(NewestFirstAdmin, GroupAdmin):
    """Roles: groups of moderators with the same permissions."""

    ordering = ("-pk",)
    filter_horizontal = ()  # the two lists of Django do not fit a phone


@admin.register(Application)
class ApplicationAdmin(NewestFirstAdmin):
    """The admin page for apps. Deleting an app revokes its access to all accounts.

    Apps register through the API, so the page does not add any.
    """

    list_display = ("name", "website", "scopes", "created")
    fields = ("name", "website", "redirect_uris", "scopes", "created")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser
