"""URLs that browsers, robots, apps and other sites expect."""

from typing import Any

from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView

from socialsite import sitemaps
from socialsite.api import instance, other_sites
from socialsite.api.plumbing.endpoints import route


def _redirect_to_page(name: str) -> Any:
    return RedirectView.as_view(pattern_name=name)


def _redirect_to_file(name: str) -> Any:
    class FileRedirectView(RedirectView):
        def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
            return static(name)  # the URL of the file with its hash

    return FileRedirectView.as_view()


urlpatterns = [
    path("favicon.ico", _redirect_to_file("favicon.ico"), name="favicon"),
    path(
        "apple-touch-icon.png",
        _redirect_to_file("apple-touch-icon.png"),
        name="touch_icon",
    ),
    path(
        "apple-touch-icon-precomposed.png",
        _redirect_to_file("apple-touch-icon.png"),
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
    path("auth/confirmation/new", _redirect_to_page("account_email"), name="mastodon_confirmation"),
    path("auth/edit", _redirect_to_page("account_settings"), name="mastodon_settings"),
    path(
        "auth/password/new", _redirect_to_page("account_reset_password"), name="mastodon_password"
    ),
    path("settings/delete", _redirect_to_page("delete_account"), name="mastodon_delete_account"),
    path("privacy-policy", _redirect_to_page("privacy"), name="mastodon_privacy"),
    path("terms-of-service", _redirect_to_page("terms"), name="mastodon_terms"),
]
