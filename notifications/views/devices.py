"""Settings of devices that show notifications while no page is open.

All views answer 404 if the settings have no web push key.
"""

import json
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from accounts.devices import browser_and_system
from accounts.request_guards import form_page
from accounts.viewer import signed_in_user, viewer_id
from notifications.forms import DeviceForm, PushPreferencesForm
from notifications.push import keys
from notifications.services.preferences import save_push_preferences
from notifications.store.devices import SESSION_KEY, delete_devices, devices_of, save_device
from notifications.store.preferences import get_preferences

MAX_SUBSCRIPTION_BYTES = 8192
"""Real subscriptions have about 500 bytes."""


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def devices(request: HttpRequest) -> HttpResponse:
    key = _public_key()
    viewer = signed_in_user(request).pk
    form = PushPreferencesForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        save_push_preferences(recipient=viewer, pushed_kinds=form.cleaned_data["pushed"])
        messages.success(request, _("Settings saved."))
        return redirect("push_devices")
    if not form.is_bound:
        push_preferences = get_preferences(recipient=viewer).push
        form.initial = {"pushed": push_preferences.configured_kinds}
    context = {"key": key, "devices": devices_of(owner=viewer)}
    return form_page(request, "notifications/devices.html", form, **context)


@require_POST
@never_cache
def add_device(request: HttpRequest) -> HttpResponse:
    """Save the JSON of ``PushSubscription.toJSON()``. Answers {id}, or {error} with status 400 or 403."""
    _public_key()
    owner = viewer_id(request)
    if owner is None:
        return JsonResponse({"error": _("You are logged out. Log in and try again.")}, status=403)
    form = DeviceForm(_parse_subscription(request))
    if not form.is_valid():
        error = next(iter(form.errors.values()))[0]
        return JsonResponse({"error": error}, status=400)
    # The label is stored, so it depends on no language, such as "Firefox · Android".
    names = browser_and_system(user_agent=request.headers.get("User-Agent", ""))
    label = " · ".join(filter(None, names))
    device_id = save_device(owner=owner, label=label, now=timezone.now(), **form.cleaned_data)
    request.session[SESSION_KEY] = device_id
    return JsonResponse({"id": device_id})


@require_POST
@login_required
def remove_device(request: HttpRequest) -> HttpResponse:
    _public_key()
    device_id = request.POST.get("id", "")[:64]
    delete_devices(owner=signed_in_user(request).pk, device_ids=[device_id])
    messages.success(request, _("Device removed. It no longer gets notifications."))
    return redirect("push_devices")


@require_GET
@never_cache
def push_key(request: HttpRequest) -> HttpResponse:
    """Return {key, token, add}: the public key, a CSRF token, and the URL of ``add_device``.

    A service worker cannot read these values from a page.
    """
    public_key = _public_key()
    if viewer_id(request) is None:
        return JsonResponse({"error": _("You are logged out. Log in and try again.")}, status=403)
    return JsonResponse(
        {"key": public_key, "token": get_token(request), "add": reverse("add_device")}
    )


def _public_key() -> str:
    if not keys.is_push_enabled():
        raise Http404("This site does not send push notifications.")
    return keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)


def _parse_subscription(request: HttpRequest) -> dict[str, Any]:
    """Return the subscription in the request, or an empty dictionary for malformed requests."""
    try:
        if len(request.body) > MAX_SUBSCRIPTION_BYTES:
            return {}
        content = json.loads(request.body)
    except (ValueError, RecursionError, RequestDataTooBig):
        return {}
    subscription_keys = content.get("keys") if isinstance(content, dict) else None
    if not isinstance(subscription_keys, dict):
        return {}
    fields = {"endpoint": content.get("endpoint"), **subscription_keys}
    return {name: fields.get(name) for name in ("endpoint", "p256dh", "auth")}
