"""The URLs of the whole site."""

from django.contrib import admin
from django.urls import include, path, register_converter

from accounts.infra import cursors
from accounts.views import login
from socialsite.monitoring import views as monitoring
from socialsite.sitemaps import sitemap_part

register_converter(cursors.IdConverter, "id")

handler400 = "socialsite.error_pages.bad_request"
handler404 = "socialsite.error_pages.not_found"
handler429 = "accounts.views.login.rate_limited"
handler500 = "socialsite.error_pages.server_error"
urlpatterns = [
    path("api/", include("socialsite.api.urls")),
    path("", include("accounts.urls")),
    path("", include("feed.urls")),
    path("", include("notifications.urls")),
    path("", include("socialsite.moderation.urls")),
    path("", include("socialsite.archive.urls")),
    path("accounts/signup/", login.sign_up, name="account_signup"),
    path("accounts/login/", login.log_in, name="account_login"),
    path("accounts/logout/", login.log_out, name="account_logout"),
    path("accounts/reauthenticate/", login.reauthenticate, name="account_reauthenticate"),
    path("accounts/2fa/authenticate/", login.enter_code, name="mfa_authenticate"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("admin/", admin.site.urls),
    path("", include("socialsite.web_app")),
    path("", include("socialsite.well_known_urls")),
    path("sitemap/<id:first_uid>.xml", sitemap_part, name="sitemap_part"),
    path("health", monitoring.live, name="health"),
    path("health/live", monitoring.live, name="health_live"),
    path("metrics", monitoring.metrics, name="metrics"),
    path("health/ready", monitoring.ready, name="health_ready"),
]
