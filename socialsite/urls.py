"""The table of contents."""

from django.contrib import admin
from django.urls import include, path

from accounts.views import sign_up

urlpatterns = [
    path("", include("accounts.urls")),
    path("", include("feed.urls")),
    path("", include("notifications.urls")),
    path("accounts/signup/", sign_up, name="account_signup"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("admin/", admin.site.urls),
]
