"""Pages that apps open in a browser, where they stand at a site of Mastodon."""

from typing import Any

from django.urls import path
from django.views.generic import RedirectView


def _to(name: str) -> Any:
    return RedirectView.as_view(pattern_name=name)


urlpatterns = [
    path("auth/confirmation/new", _to("account_email"), name="known_confirmation"),
    path("auth/edit", _to("account_settings"), name="known_settings"),
    path("auth/password/new", _to("account_reset_password"), name="known_password"),
    path("settings/delete", _to("delete_account"), name="known_deletion"),
    path("terms", _to("rules"), name="known_terms"),
]
