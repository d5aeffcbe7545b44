"""The table of contents."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from accounts.views import sign_up

# One log-in for all: that of the admin would let passwords be guessed without limit.
admin.site.login = secure_admin_login(admin.site.login)

urlpatterns = [
    path("", include("accounts.urls")),
    path("", include("feed.urls")),
    path("accounts/signup/", sign_up, name="account_signup"),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
]
