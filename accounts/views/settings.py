"""Settings pages: profile, username, privacy, blocked and muted people, appearance, shortcuts."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.context_processors import THEMES
from accounts.forms import PrivacyForm, ProfileForm, UsernameForm
from accounts.inactive_users import allow_inactive_users
from accounts.infra.cursors import page_bounds
from accounts.request_guards import RefusalsIn, form_page
from accounts.selectors.user_pages import PAGE_SIZE, blocked_or_muted_page
from accounts.services import profiles
from accounts.services.profiles import change_settings, set_private, update_profile
from accounts.viewer import is_htmx, next_url, signed_in_user

from .user_pages import user_page_response

COOKIE_SECONDS = 31_536_000


@require_safe
@login_required
def settings_index(request: HttpRequest) -> HttpResponse:
    """Show all settings pages, each with a sentence."""
    return render(request, "accounts/settings.html")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_profile(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    names = ("display_name", "bio", "is_bot")
    form = ProfileForm(
        *((request.POST, request.FILES) if request.method == "POST" else ()),
        initial={name: getattr(user, name) for name in names},
        user=user,
    )
    if form.is_valid() and form.save_pictures():
        values = {name: form.cleaned_data[name] for name in (*names, "profile_fields")}
        update_profile(uid=user.pk, **values)
        messages.success(request, _("Profile saved."))
        return redirect("edit_profile")
    own_link = f'<a rel="me" href="{settings.SITE_URL}{user.get_absolute_url()}">…</a>'
    return form_page(request, "accounts/settings_profile.html", form, own_link=own_link)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def change_username(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    data = request.POST if request.method == "POST" else None
    form = UsernameForm(data, initial={"username": user.username}, user=user)
    if form.is_valid():
        with RefusalsIn(form, "username"):
            profiles.change_username(uid=user.pk, username=form.cleaned_data["username"])
            messages.success(request, _("Username changed."))
            return redirect("change_username")
    return form_page(request, "accounts/settings_username.html", form)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def privacy_settings(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    data = request.POST if request.method == "POST" else None
    form = PrivacyForm(
        data, initial={name: getattr(user, name) for name in PrivacyForm.base_fields}
    )
    if not form.is_valid():
        return form_page(request, "accounts/settings_privacy.html", form)
    # An empty choice leaves the setting as it is.
    changes = {name: None if value == "" else value for name, value in form.cleaned_data.items()}
    set_private(uid=user.pk, is_private=bool(changes.pop("is_private")))
    change_settings(uid=user.pk, **changes)
    messages.success(request, _("Settings saved."))
    return redirect("privacy_settings")


@require_safe
@login_required
def blocked_users(request: HttpRequest) -> HttpResponse:
    return _blocked_or_muted_response(request, kind="block", title=_("Blocked people"))


@require_safe
@login_required
def muted_users(request: HttpRequest) -> HttpResponse:
    return _blocked_or_muted_response(request, kind="mute", title=_("Muted people"))


def _blocked_or_muted_response(request: HttpRequest, *, kind: str, title: str) -> HttpResponse:
    page = blocked_or_muted_page(
        uid=signed_in_user(request).pk,
        kind=kind,
        bounds=page_bounds(request, limit=PAGE_SIZE),
    )
    return user_page_response(request, page, kind=kind, title=title, person=None)


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    response = HttpResponseRedirect(next_url(request, default="/"))
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        _remember_in_browser(request, response, "theme", theme)
    return response


@require_safe
def appearance_settings(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/settings_appearance.html")


@allow_inactive_users
@require_safe
def shortcuts(request: HttpRequest) -> HttpResponse:
    """Show the keyboard shortcuts: the page, or for the script the content of a dialog."""
    name = "_shortcuts_dialog" if is_htmx(request) else "shortcuts"
    response = render(request, f"accounts/{name}.html")
    patch_vary_headers(response, ["HX-Request"])
    return response


@allow_inactive_users
@require_POST
def set_shortcuts(request: HttpRequest) -> HttpResponse:
    """Turn keyboard shortcuts on or off in this browser, also for visitors."""
    response = redirect("shortcuts")
    state = request.POST.get("shortcuts", "")
    if state in ("on", "off"):
        _remember_in_browser(request, response, "shortcuts", state)
    return response


def _remember_in_browser(
    request: HttpRequest, response: HttpResponse, name: str, value: str
) -> None:
    response.set_cookie(
        name,
        value,
        COOKIE_SECONDS,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
