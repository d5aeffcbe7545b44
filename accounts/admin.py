"""Admin pages for users, roles, apps, blocklists and invitations. Searches match the beginning of a value.

Lists do not join or count, so large collections stay fast.
"""

from datetime import datetime
from typing import Any, ClassVar

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
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.selectors.blocklists import clear_network_cache
from accounts.selectors.profiles import uid_by_username
from accounts.selectors.user_names import UserNames, names_by_uid

from .blocklists import normalization
from .blocklists.models import (
    BlockedEmail,
    BlockedName,
    BlockedNetwork,
    BlocklistEntry,
    Invitation,
    InvitedUser,
)
from .forms import PlainTextField, SingleLineField
from .infra.admin_lists import READ_ONLY, NewestFirstAdmin, SearchableAdmin
from .infra.client_address import client_address
from .models import User
from .oauth.models import AccessToken, Application, Grant, IDToken, RefreshToken
from .usernames import local_username

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
class UserAdmin(SearchableAdmin):
    """The admin page for users. The search matches the start of a username or email address.

    Moderators cannot change an email address, because they could then reset the user's password. Users sign
    up on the site, and ``createsuperuser`` creates the first superuser. Deleting the row would leave
    follows and pictures behind, so moderators suspend the user instead.
    """

    forbidden = ("add", "delete")
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

    def find_rows(self, queryset: QuerySet[User], term: str) -> QuerySet[User]:
        term = (term.startswith("@") and local_username(term)) or term.lower()
        return _filter_prefix(queryset, "email" if "@" in term else "username", term)


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

    forbidden = ("add", "change")
    list_display = ("name", "website", "scopes", "created")
    fields = ("name", "website", "redirect_uris", "scopes", "created")
    readonly_fields = fields


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser


class BlocklistEntryForm(forms.ModelForm):  # type: ignore[type-arg]
    def clean_expires_at(self) -> datetime | None:
        expires_at: datetime | None = self.cleaned_data["expires_at"]
        is_changed = "expires_at" in self.changed_data
        if expires_at is not None and is_changed and expires_at <= timezone.now():
            raise forms.ValidationError(_("Enter a time in the future."))
        return expires_at


class BlocklistEntryAdmin(SearchableAdmin):
    form = BlocklistEntryForm
    readonly_fields = ("created_by_name", "created_at")

    @admin.display(description=_("created by"))
    def created_by_name(self, entry: BlocklistEntry) -> str:
        return name_of(entry, entry.created_by_id)

    def find_rows(self, queryset: QuerySet[Any], term: str) -> QuerySet[Any]:
        return _filter_prefix(queryset, "value", term.lower())

    def save_model(
        self, request: HttpRequest, obj: BlocklistEntry, form: Any, change: bool
    ) -> None:
        if not change and isinstance(request.user, User):
            obj.created_by = request.user
        super().save_model(request, obj, form, change)


@admin.register(BlockedEmail)
class BlockedEmailAdmin(BlocklistEntryAdmin):
    list_display = ("value", "reason", "expires_at", "created_at")
    fields = ("value", "reason", "expires_at", "created_by_name", "created_at")
    search_fields = ("value",)
    search_help_text = _("Search by the start of a domain or email address")


@admin.register(BlockedName)
class BlockedNameAdmin(BlocklistEntryAdmin):
    list_display = ("name", "matches_words", "reason", "expires_at", "created_at")
    fields = ("name", "matches_words", "reason", "expires_at", "created_by_name", "created_at")
    search_fields = ("value",)
    search_help_text = _("Search by the start of a username. Similar usernames are also found.")

    def find_rows(self, queryset: QuerySet[Any], term: str) -> QuerySet[Any]:
        return super().find_rows(queryset, normalization.normalize_name(term))


class BlockedNetworkForm(BlocklistEntryForm):
    """A blocked network. The form rejects a network that contains the moderator's own address."""

    moderator_address: Any = None

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("scope") != BlockedNetwork.Scope.ALL or self.moderator_address is None:
            return cleaned
        try:
            network = normalization.normalize_network(cleaned.get("value", ""))
        except ValueError:
            return cleaned  # the ``value`` field reports the error
        if network in normalization.containing_networks(self.moderator_address):
            self.add_error(
                "value",
                _(
                    "Your own IP address is in this network. This block would lock you out. "
                    "Enter another network."
                ),
            )
        return cleaned


@admin.register(BlockedNetwork)
class BlockedNetworkAdmin(BlocklistEntryAdmin):
    form = BlockedNetworkForm
    list_display = ("value", "scope", "reason", "expires_at", "created_at")
    list_filter = ("scope",)
    fields = ("value", "scope", "reason", "expires_at", "created_by_name", "created_at")
    search_fields = ("value",)
    search_help_text = _("Search by the start of an IP address or network")

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        form = super().get_form(request, *args, **kwargs)
        return type(form.__name__, (form,), {"moderator_address": client_address(request)})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        clear_network_cache()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        clear_network_cache()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        super().delete_queryset(request, queryset)
        clear_network_cache()


class UserNamesAdmin(SearchableAdmin):
    """Base class for lists that show usernames. One command reads the usernames of all rows.

    ``uid_fields``: the fields with uids. The search accepts "@name" and filters by the first of them.
    """

    uid_fields: ClassVar[tuple[str, ...]] = ()

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        changelist = super().get_changelist_instance(request)
        rows = changelist.result_list = list(changelist.result_list)
        names = names_by_uid(
            uids=[getattr(row, field) for row in rows for field in self.uid_fields]
        )
        for row in rows:
            row.names = names
        return changelist

    def find_rows(self, queryset: QuerySet[Any], term: str) -> QuerySet[Any]:
        uid = uid_by_username(username=term)
        return queryset.filter(**{self.uid_fields[0]: uid}) if uid else queryset.none()


def name_of(row: Any, uid: int | None) -> str:
    """Return "@name" of a user, from the names that ``UserNamesAdmin`` attached to the row, if any."""
    if uid is None:
        return ""
    names: UserNames = getattr(row, "names", None) or names_by_uid(uids=[uid])
    return str(names[uid])


@admin.register(Invitation)
class InvitationAdmin(UserNamesAdmin):
    # Users create invitations on the site, where they can copy the link. Deleting an invitation would
    # delete the record of its users, so moderators revoke it instead.
    forbidden = ("add", "delete")
    uid_fields = ("created_by_id",)
    list_display = (
        "created_by_name",
        "use_count",
        "max_uses",
        "expires_at",
        "revoked_at",
        "created_at",
    )
    search_fields = ("created_by",)
    search_help_text = _("Search by the @username of the invited user")
    fields = ("max_uses", "expires_at", "created_by_name", "use_count", "revoked_at", "created_at")
    readonly_fields = ("created_by_name", "use_count", "revoked_at", "created_at")
    actions = ("revoke",)

    @admin.display(description=_("created by"))
    def created_by_name(self, invitation: Invitation) -> str:
        return name_of(invitation, invitation.created_by_id)

    @admin.action(description=_("Revoke the selected invitations"), permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        queryset.filter(revoked_at=None).update(revoked_at=timezone.now())


@admin.register(InvitedUser)
class InvitedUserAdmin(UserNamesAdmin):
    forbidden = READ_ONLY
    uid_fields = ("inviter_id", "user_id")
    list_display = ("user_name", "inviter_name", "created_at")
    search_fields = ("inviter",)
    search_help_text = _("Search by the @username of the inviter")

    @admin.display(description=_("user"))
    def user_name(self, invited_user: InvitedUser) -> str:
        return name_of(invited_user, invited_user.user_id)

    @admin.display(description=_("invited by"))
    def inviter_name(self, invited_user: InvitedUser) -> str:
        return name_of(invited_user, invited_user.inviter_id)


def _filter_prefix(queryset: QuerySet[Any], column: str, term: str) -> QuerySet[Any]:
    # A range query uses the index. A regular expression that ignores case does not.
    bounds: dict[str, Any] = {f"{column}__gte": term, f"{column}__lt": term + "\U0010ffff"}
    return queryset.filter(**bounds)
