"""People for moderators. No joins, no counts: the lists stay quick however many there are."""

from typing import Any

import allauth.account.admin
import allauth.mfa.admin
import allauth.usersessions.admin  # noqa: F401 - as above
import oauth2_provider.admin  # noqa: F401 - as above
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

# The list of addresses joins people; one finds an address by searching for the person. Where people are
# logged in, and what their codes are made from, is theirs alone.
admin.site.unregister([EmailAddress, Group, Authenticator, UserSession])
# Nor are codes and tokens.
admin.site.unregister([Application, AccessToken, Grant, IDToken, RefreshToken])


class UserForm(forms.ModelForm):  # type: ignore[type-arg]
    """Holds what moderators write to the same rules as what people write about themselves."""

    display_name = SingleLineField(max_length=30, required=False)
    bio = PlainTextField(max_length=500, required=False, widget=AdminTextareaWidget({"rows": 4}))

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"]).lower()


@admin.register(User)
class UserAdmin(NewestFirstAdmin):
    """Searched by the beginning of a user name or e-mail address.

    The address is changed by the person alone: who could change it could have the password reset.
    """

    form = UserForm
    list_display = ("username", "display_name", "email", "is_active", "is_staff", "date_joined")
    list_filter = ("is_staff", "is_active")
    search_fields = ("username", "email")
    search_help_text = "The beginning of a user name or of an e-mail address"
    readonly_fields = ("email", "last_login", "date_joined", "avatar")
    filter_horizontal = ("groups", "user_permissions")
    fieldsets = (
        (None, {"fields": ("username", "email", "display_name", "bio", "avatar")}),
        ("Rights", {"fields": ("is_active", *PERMISSION_FIELDS)}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # people sign up themselves; ``createsuperuser`` makes the first administrator

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # it would leave follows and pictures behind: switch the person off instead

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or not obj.is_staff or _is_superuser(request))

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """To switch somebody off is to suspend them: with the reason, in one step, and only that reason is
        undone."""
        is_wanted = obj.is_active
        if "is_active" in form.changed_data:
            obj.is_active = not is_wanted
        super().save_model(request, obj, form, change)
        if "is_active" in form.changed_data:
            switch = unsuspend_user if is_wanted else suspend_user
            switch(uid=obj.pk)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        # Who could give rights could give them to themselves.
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
        # A range instead of a pattern: it walks the index of lower-cased names.
        bounds: dict[str, Any] = {f"{column}__gte": term, f"{column}__lt": term + "\U0010ffff"}
        return queryset.filter(**bounds), False


@admin.register(Group)
class RoleAdmin(NewestFirstAdmin, GroupAdmin):
    """What moderators of one kind may do."""

    ordering = ("-pk",)


@admin.register(Application)
class ApplicationAdmin(NewestFirstAdmin):
    """Apps, which make themselves known; to delete one is to take from it what people have let it do."""

    list_display = ("name", "website", "scopes", "created")
    fields = ("name", "website", "redirect_uris", "scopes", "created")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser
