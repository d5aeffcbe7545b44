"""Browsers that show notifications while no page is open: which, of what, and what their worker asks for.
Where the settings have no key for it, none of this is there."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.staticfiles import finders
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from accounts.viewer import signed_in_user, viewer_id
from notifications.forms import DeviceForm, PushPreferencesForm
from notifications.push import keys
from notifications.services import devices as notifications_devices
from notifications.services.choosing import save_push_preferences
from notifications.services.devices import DEVICE_SESSION_KEY
from notifications.store.devices import devices_of
from notifications.store.preferences import get_preferences as choices_of

MAX_SUBSCRIPTION_BYTES = 8192
"""Bytes of a subscription; real ones have some 500."""


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def devices(request: HttpRequest) -> HttpResponse:
    key = _public_key()
    reader = signed_in_user(request).pk
    if request.method == "POST":
        form = PushPreferencesForm(request.POST)
        if form.is_valid():
            save_push_preferences(recipient=reader, pushed_kinds=form.cleaned_data["pushed"])
            messages.success(request, _("Your choice is saved."))
            return redirect("devices")
    else:
        form = PushPreferencesForm.from_preferences(preferences=choices_of(recipient=reader).push)
    context = {"form": form, "key": key, "devices": devices_of(owner=reader)}
    status = 422 if form.errors else 200
    return render(request, "notifications/devices.html", context, status=status)


@require_POST
@never_cache
def add_device(request: HttpRequest) -> HttpResponse:
    """What a browser's ``PushSubscription.toJSON()`` says, as JSON; answers {id}, or {error} and 400."""
    _public_key()
    owner = viewer_id(request)
    if owner is None:
        return JsonResponse({"error": _("Please log in.")}, status=403)
    form = DeviceForm(_subscription(request))
    if not form.is_valid():
        error = next(iter(form.errors.values()))[0]
        return JsonResponse({"error": error}, status=400)
    label = device_label(user_agent=request.headers.get("User-Agent", ""))
    own = notifications_devices.add_device(owner=owner, label=label, **form.cleaned_data)
    request.session[DEVICE_SESSION_KEY] = own
    return JsonResponse({"id": own})


@require_POST
@login_required
def remove_device(request: HttpRequest) -> HttpResponse:
    _public_key()
    notifications_devices.remove_device(
        owner=signed_in_user(request).pk, device_id=request.POST.get("id", "")[:64]
    )
    messages.success(request, _("That device is told nothing more."))
    return redirect("devices")


@require_GET
@never_cache
def push_key(request: HttpRequest) -> HttpResponse:
    """What a worker needs that has no page: {key, token, add}."""
    public = _public_key()
    if viewer_id(request) is None:
        return JsonResponse({"error": _("Please log in.")}, status=403)
    return JsonResponse({"key": public, "token": get_token(request), "add": reverse("add_device")})


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script that shows what comes. From /static/ it could not serve the whole site."""
    _public_key()
    response = HttpResponse(_script(), content_type="text/javascript; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    return response


def _public_key() -> str:
    if not keys.is_push_enabled():
        raise Http404("This site sends nothing to devices.")
    return keys.public_key(private=settings.WEB_PUSH_PRIVATE_KEY)


@cache
def _script() -> bytes:
    found = finders.find("js/worker.js")
    assert isinstance(found, str)  # noqa: S101 - narrows the type: it is one of our files
    return Path(found).read_bytes()


def _subscription(request: HttpRequest) -> dict[str, Any]:
    """Empty if it cannot be read."""
    try:
        if len(request.body) > MAX_SUBSCRIPTION_BYTES:
            return {}
        said = json.loads(request.body)
    except (ValueError, RecursionError, RequestDataTooBig):
        return {}
    own_keys = said.get("keys") if isinstance(said, dict) else None
    if not isinstance(own_keys, dict):
        return {}
    named = {"endpoint": said.get("endpoint"), **own_keys}
    return {name: named.get(name) for name in ("endpoint", "p256dh", "auth")}


# MERGED FROM notifications.views.devices: What a browser is called in a list, of what it says of itself.
# In this order: most say that they are several.
BROWSERS = {
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS": "Mac",
    "Linux": "Linux",
}


def device_label(*, user_agent: str) -> str:
    """Such as "Firefox · Android"; "" if neither is known."""
    found = (
        next((name for mark, name in names.items() if mark in user_agent), "")
        for names in (BROWSERS, SYSTEMS)
    )
    return " · ".join(name for name in found if name)
