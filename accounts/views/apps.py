"""Apps: a person lets one act for them, the app gets its token, and the person takes it back."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe
from oauth2_provider import views as oauth
from oauthlib.oauth2.rfc6749 import errors

from accounts.infra import rate_limits
from accounts.infra.api.scopes import SCOPES
from accounts.infra.client_address import client_network
from accounts.oauth.models import OUT_OF_BAND, Application
from accounts.selectors.apps import authorized_apps
from accounts.services import apps as accounts_apps
from accounts.viewer import signed_in_user

from .login import reauthentication_redirect


@method_decorator(never_cache, name="dispatch")
class AuthorizeView(oauth.AuthorizationView):
    """The page that asks the person. Back goes only what the app has said at first that it would take."""

    template_name = "oauth/authorize.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        given = request.GET.copy()
        # The person is asked each time: an app that has a token already would be let in by a link.
        given.pop("approval_prompt", None)
        request.GET = given  # type: ignore[assignment]
        _write_query_again(request)
        answer: HttpResponse = super().dispatch(request, *args, **kwargs)
        return answer

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answer: HttpResponse = reauthentication_redirect(request) or super().get(
            request, *args, **kwargs
        )
        return answer

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answer: HttpResponse = reauthentication_redirect(request) or super().post(
            request, *args, **kwargs
        )
        return answer

    def form_valid(self, form: Any) -> HttpResponse:
        """The form says again who asks and where to go back to: both are looked at again."""
        given = form.cleaned_data
        application = _application(given["client_id"])
        if application is None or not application.redirect_uri_allowed(given["redirect_uri"]):
            return self.form_invalid(form)
        answer: HttpResponse = super().form_valid(form)
        if given["allow"]:
            get_adapter().send_notification_mail(
                "account/email/app_authorized",
                signed_in_user(self.request),
                {"app_name": application.name},
            )
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response({"error": errors.InvalidRequestError()}, status=400)

    def error_response(self, error: Any, application: Any, **kwargs: Any) -> HttpResponse:
        application = application or _application(self.request.GET.get("client_id", ""))
        answer: HttpResponse = super().error_response(error, application, **kwargs)
        return answer

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        if not redirect_to.startswith(OUT_OF_BAND):
            answer: HttpResponse = super().redirect(redirect_to, application)
            return answer
        sent = parse_qs(urlsplit(redirect_to).query)
        context = {"code": "".join(sent.get("code", [])), "application": application}
        return render(self.request, "oauth/code.html", context)

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        page: HttpResponse = super().render_to_response(context, **kwargs)
        if target := context.get("redirect_uri"):
            # Browsers hold a form to its policy also where its answer leads.
            parts = urlsplit(target)
            there = (
                f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else None
            )
            page._csp_update = {  # type: ignore[attr-defined]
                "form-action": [there or f"{parts.scheme}:"]
            }
        return page


@method_decorator(csrf_exempt, name="dispatch")
@method_decorator(sensitive_post_parameters("client_secret", "code"), name="dispatch")
class TokenView(oauth.TokenView):
    """Also takes JSON, as Mastodon does."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if refusal := _counted(request):
            return refusal
        _write_query_again(request)
        if not _read_json(request):
            return _unreadable()
        answer: HttpResponse = self.authorization_flow_token_response(request)
        sent = json.loads(answer.content)
        if answer.status_code == 200:
            kept = {name: sent[name] for name in ("access_token", "token_type", "scope")}
            sent = {**kept, "created_at": int(timezone.now().timestamp())}
        made = JsonResponse(sent, status=answer.status_code)
        made["Cache-Control"] = "no-store"
        if challenge := answer.get("WWW-Authenticate"):
            made["WWW-Authenticate"] = challenge
        return made


@method_decorator(csrf_exempt, name="dispatch")
class RevokeTokenView(oauth.RevokeTokenView):
    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if refusal := _counted(request):
            return refusal
        _write_query_again(request)
        if not _read_json(request):
            return _unreadable()
        answer: HttpResponse = super().post(request, *args, **kwargs)
        sent = json.loads(answer.content) if answer.content else {}
        return JsonResponse(sent, status=answer.status_code)


def _counted(request: HttpRequest) -> JsonResponse | None:
    """What is answered to an address from which too many come: to look at a secret takes a while."""
    try:
        rate_limits.count_action(action="visitor_api", subject=client_network(request))
    except rate_limits.RateLimited as error:
        wait = {"Retry-After": str(error.retry_after)}
        return JsonResponse({"error": str(error)}, status=429, headers=wait)
    return None


def _read_json(request: Any) -> bool:
    """Put a JSON body where the library looks for a form; False if it is none."""
    if request.content_type != "application/json":
        return True
    try:
        sent = json.loads(request.body)
        form = QueryDict(mutable=True)
        for name, value in sent.items() if isinstance(sent, dict) else ():
            if isinstance(value, str | int):
                form[name] = str(value)
        form.urlencode()
    except (ValueError, RecursionError):  # also halves of characters, and brackets without end
        return False
    if not isinstance(sent, dict):
        return False
    request._post, request._files = form, {}
    request.META["CONTENT_TYPE"] = "application/x-www-form-urlencoded"
    return True


def _write_query_again(request: HttpRequest) -> None:
    """The library reads it on its own, and fails on what Django can read."""
    request.META["QUERY_STRING"] = request.GET.urlencode()


def _application(client_id: str) -> Application | None:
    found: Application | None = Application.objects.filter(client_id=client_id).first()
    return found


def _unreadable() -> JsonResponse:
    return JsonResponse({"error": "invalid_request"}, status=400)


@require_safe
def oauth_metadata(request: HttpRequest) -> JsonResponse:
    """What apps can find out before they ask for anything (RFC 8414)."""

    def at(name: str) -> str:
        return f"{settings.SITE_URL}{reverse(name)}"

    return JsonResponse(
        {
            "issuer": settings.SITE_URL,
            "authorization_response_iss_parameter_supported": True,
            "service_documentation": at("api_docs"),
            "authorization_endpoint": at("authorize_app"),
            "token_endpoint": at("token"),
            "app_registration_endpoint": at("api_apps"),
            "revocation_endpoint": at("revoke_token"),
            "userinfo_endpoint": at("userinfo"),
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "code_challenge_methods_supported": ["S256"],
            "grant_types_supported": ["authorization_code", "client_credentials"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }
    )


@require_safe
@never_cache
@login_required
def apps(request: HttpRequest) -> HttpResponse:
    context = {"apps": authorized_apps(uid=signed_in_user(request).pk)}
    return render(request, "accounts/settings_apps.html", context)


@require_POST
@login_required
def revoke_app(request: HttpRequest, app_id: int) -> HttpResponse:
    if not accounts_apps.revoke_app(uid=signed_in_user(request).pk, app_id=app_id):
        raise Http404("No such app.")
    messages.success(request, _("The app can do nothing for you any more."))
    return redirect("apps")
