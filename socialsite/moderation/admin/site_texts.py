"""The admins of rules and announcements."""

from django.contrib import admin

from accounts.infra.admin_lists import NewestFirstAdmin
from socialsite.moderation.models import Announcement, Rule


@admin.register(Rule)
class RuleAdmin(NewestFirstAdmin):
    ordering = ("order", "pk")
    list_display = ("text", "order")


@admin.register(Announcement)
class AnnouncementAdmin(NewestFirstAdmin):
    list_display = ("text", "starts_at", "ends_at")
