"""Admin pages for users, roles and apps. The lists use no joins and no counts, so they stay fast."""

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
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.services.account_status import suspend_user, unsuspend_user

from . import blocklists_admin  # noqa: F401 - registers its admins
from .forms import PlainTextField, SingleLineField
from .infra.admin_lists import NewestFirstAdmin
from .models import User
from .oauth.models import AccessToken, Application, Grant, IDToken, RefreshToken

PERMISSION_FIELDS = ("is_staff", "is_superuser", "groups", "user_permissions")

# The list of email addresses joins users. Moderators search for the user instead. Sessions and secrets of
# two-factor authentication are private.
admin.site.unregister([EmailAddress, Group, Authenticator, UserSession])
# Codes and tokens are private too.
admin.site.unregister([Application, AccessToken, Grant, IDToken, RefreshToken])


class UserForm(forms.ModelForm):  # type: ignore[type-arg]
    """Apply the same rules to edits by moderators as to edits by users."""

    display_name = SingleLineField(max_length=30, required=False)
    bio = PlainTextField(max_length=500, required=False, widget=AdminTextareaWidget({"rows": 4}))

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"]).lower()


@admin.register(User)
class UserAdmin(NewestFirstAdmin):
    """Users, searched by the start of the username or email address.

    Moderators cannot change the address, because with it they could reset the password.
    """

    form = UserForm
    list_display = ("username", "display_name", "email", "is_active", "is_staff", "date_joined")
    list_filter = ("is_staff", "is_active")
    search_fields = ("username", "email")
    search_help_text = "The start of a username or email address"
    readonly_fields = ("email", "last_login", "date_joined", "avatar")
    filter_horizontal = ("groups", "user_permissions")
    fieldsets = (
        (None, {"fields": ("username", "email", "display_name", "bio", "avatar")}),
        ("Permissions", {"fields": ("is_active", *PERMISSION_FIELDS)}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return (
            False  # users sign up themselves, and ``createsuperuser`` creates the first superuser
        )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # would leave follows and pictures behind: suspend the user instead

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or not obj.is_staff or _is_superuser(request))

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the user. A change of ``is_active`` suspends the user, or lifts only a suspension."""
        is_active = obj.is_active
        if "is_active" in form.changed_data:
            obj.is_active = not is_active
        super().save_model(request, obj, form, change)
        if "is_active" in form.changed_data:
            change_status = unsuspend_user if is_active else suspend_user
            change_status(uid=obj.pk)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        # Only superusers grant permissions: others could grant them to themselves.
        return (
            self.readonly_fields
            if _is_superuser(request)
            else (*self.readonly_fields, *PERMISSION_FIELDS)
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User], search_term: str
    ) -> tuple[QuerySet[User], bool]:
        term = search_term.strip().lower().removeprefix("@")
        if not term:
            return queryset, False
        column = "email" if "@" in term else "username"
        # A range uses the index of lower-case names. A pattern would not.
        bounds: dict[str, Any] = {f"{column}__gte": term, f"{column}__lt": term + "\U0010ffff"}
        return queryset.filter(**bounds), False


@admin.register(Group)
class RoleAdmin(NewestFirstAdmin, GroupAdmin):
    """Roles: permissions of a group of moderators."""

    ordering = ("-pk",)


@admin.register(Application)
class ApplicationAdmin(NewestFirstAdmin):
    """Apps, which register themselves. Deleting an app revokes its access to all accounts."""

    list_display = ("name", "website", "scopes", "created")
    fields = ("name", "website", "redirect_uris", "scopes", "created")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser
