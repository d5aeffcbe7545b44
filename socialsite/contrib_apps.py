"""The admin site, and app configurations that give Django's own apps our primary keys."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.contrib.auth.apps import AuthConfig
from django.contrib.contenttypes.apps import ContentTypesConfig
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.response import TemplateResponse

ID_FIELD_PATH = "accounts.infra.ids.TimeOrderedIdField"


class SiteAdmin(AdminSite):
    """The admin, with the site's login, two-factor authentication and the moderation dashboard."""

    def has_permission(self, request: HttpRequest) -> bool:
        user: Any = request.user
        return super().has_permission(request) and not user.lacks_second_factor

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Use the site's login page. The login page of the admin does not limit guesses of passwords."""
        from allauth.account.decorators import secure_admin_login

        user: Any = request.user
        if super().has_permission(request) and user.lacks_second_factor:
            return render(request, "needs_2fa.html", status=403)
        response: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return response

    def logout(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        response: TemplateResponse = super().logout(request, extra_context)
        response["Clear-Site-Data"] = '"cache"'  # as after the log-out of the site
        return response

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        from socialsite.moderation.admin.dashboard import dashboard_context

        response: TemplateResponse = super().index(
            request, {**dashboard_context(request), **(extra_context or {})}
        )
        return response

    def get_log_entries(self, request: HttpRequest) -> QuerySet[Any]:
        from django.contrib.admin.models import LogEntry

        return LogEntry.objects.all()  # without Django's joins; the page shows ten rows


class SiteAdminConfig(AdminConfig):
    default_auto_field = ID_FIELD_PATH
    default_site = "socialsite.contrib_apps.SiteAdmin"


class SiteAuthConfig(AuthConfig):
    default_auto_field = ID_FIELD_PATH


class SiteContentTypesConfig(ContentTypesConfig):
    default_auto_field = ID_FIELD_PATH
