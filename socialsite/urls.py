"""The URLs of the whole site."""

from typing import Any

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path, register_converter
from django.views.generic import RedirectView

from accounts.infra import cursors
from accounts.views import login
from socialsite import sitemaps
from socialsite.api import instance, other_sites
from socialsite.api.plumbing.endpoints import route
from socialsite.monitoring import views as monitoring


class FileRedirectView(RedirectView):
    """Redirects to a static file, whose URL contains its hash."""

    file = ""

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        return static(self.file)


redirect_to = RedirectView.as_view
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
    path("sitemap/<id:first_uid>.xml", sitemaps.sitemap_part, name="sitemap_part"),
    # URLs that browsers, robots, apps and other sites expect.
    path("favicon.ico", FileRedirectView.as_view(file="favicon.ico"), name="favicon"),
    path(
        "apple-touch-icon.png",
        FileRedirectView.as_view(file="apple-touch-icon.png"),
        name="touch_icon",
    ),
    path(
        "apple-touch-icon-precomposed.png",
        FileRedirectView.as_view(file="apple-touch-icon.png"),
        name="touch_icon_precomposed",
    ),
    path("robots.txt", sitemaps.robots, name="robots"),
    path("sitemap.xml", sitemaps.sitemap_index, name="sitemap"),
    path(".well-known/host-meta", other_sites.host_meta, name="host_meta"),
    path(".well-known/nodeinfo", instance.nodeinfo_links, name="nodeinfo_links"),
    path(".well-known/webfinger", other_sites.webfinger, name="webfinger"),
    path("nodeinfo/2.0", instance.nodeinfo, name="nodeinfo"),
    path(
        "oauth/userinfo",
        route(get=other_sites.userinfo, post=other_sites.userinfo),
        name="oauth_userinfo",
    ),
    path(
        "auth/confirmation/new",
        redirect_to(pattern_name="account_email"),
        name="mastodon_confirmation",
    ),
    path("auth/edit", redirect_to(pattern_name="account_settings"), name="mastodon_settings"),
    path(
        "auth/password/new",
        redirect_to(pattern_name="account_reset_password"),
        name="mastodon_password",
    ),
    path(
        "settings/delete",
        redirect_to(pattern_name="delete_account"),
        name="mastodon_delete_account",
    ),
    path("privacy-policy", redirect_to(pattern_name="privacy"), name="mastodon_privacy"),
    path("terms-of-service", redirect_to(pattern_name="terms"), name="mastodon_terms"),
    path("health", monitoring.live, name="health"),
    path("health/live", monitoring.live, name="health_live"),
    path("metrics", monitoring.metrics, name="metrics"),
    path("health/ready", monitoring.ready, name="health_ready"),
]
