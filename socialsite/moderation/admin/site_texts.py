"""The admins of rules and announcements."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.infra.admin_lists import NewestFirstAdmin
from socialsite.moderation.models import Announcement, Rule
from socialsite.moderation.services.rules import delete_rule, save_rule

from .access import signed_in_moderator


@admin.register(Rule)
class RuleAdmin(NewestFirstAdmin):
    ordering = ("order", "pk")
    list_display = ("text", "order")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        save_rule(editor=signed_in_moderator(request), rule=obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        delete_rule(editor=signed_in_moderator(request), rule=obj)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for rule in queryset:
            delete_rule(editor=signed_in_moderator(request), rule=rule)


@admin.register(Announcement)
class AnnouncementAdmin(NewestFirstAdmin):
    list_display = ("text", "starts_at", "ends_at")
