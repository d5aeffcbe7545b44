"""People for moderators. No joins, no counts: the lists stay quick however many there are."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from .listing import NewestFirstAdmin
from .models import User


@admin.register(User)
class UserAdmin(NewestFirstAdmin):
    """Searched by the beginning of a user name or e-mail address."""

    list_display = ("username", "display_name", "email", "is_active", "is_staff", "date_joined")
    list_filter = ("is_staff", "is_active")
    search_fields = ("username", "email")
    search_help_text = "The beginning of a user name or of an e-mail address"
    readonly_fields = ("last_login", "date_joined", "avatar")
    fieldsets = (
        (None, {"fields": ("username", "email", "display_name", "bio", "avatar")}),
        (
            "Rights",
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # people sign up themselves; ``createsuperuser`` makes the first administrator

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
