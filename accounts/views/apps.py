"""OAuth: users authorize apps, apps exchange codes for tokens, and users revoke the access of apps."""

import json
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

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
from oauth2_provider.scopes import get_scopes_backend
from oauthlib.oauth2.rfc6749 import errors

from accounts.infra import rate_limits
from accounts.infra.client_address import client_network
from accounts.oauth.models import OUT_OF_BAND, AccessToken, Application
from accounts.selectors import account_data
from accounts.services import apps as apps_service
from accounts.viewer import signed_in_user

from .login import reauthentication_redirect


@method_decorator(never_cache, name="dispatch")
class AuthorizeView(oauth.AuthorizationView):
    """The page on which a user authorizes an app. Redirects only to URIs that the app has registered."""

    template_name = "oauth/authorize.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        params = request.GET.copy()
        # Always ask the user. With this parameter, merely opening a link would authorize an app that
        # already has a token.
        params.pop("approval_prompt", None)
        request.GET = params  # type: ignore[assignment]
        _normalize_query(request)
        response: HttpResponse = reauthentication_redirect(request) or super().dispatch(
            request, *args, **kwargs
        )
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        """Check the app and its redirect URI again, because the submitted form may have been changed."""
        data = form.cleaned_data
        application = _find_application(data["client_id"])
        if application is None or not application.redirect_uri_allowed(data["redirect_uri"]):
            return self.form_invalid(form)
        response: HttpResponse = super().form_valid(form)
        if data["allow"]:
            get_adapter().send_notification_mail(
                "account/email/app_authorized",
                signed_in_user(self.request),
                {"app_name": application.name},
            )
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response({"error": errors.InvalidRequestError()}, status=400)

    def error_response(self, error: Any, application: Any, **kwargs: Any) -> HttpResponse:
        application = application or _find_application(self.request.GET.get("client_id", ""))
        response: HttpResponse = super().error_response(error, application, **kwargs)
        return response

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        if not redirect_to.startswith(OUT_OF_BAND):
            response: HttpResponse = super().redirect(_with_issuer(redirect_to), application)
            return response
        params = parse_qs(urlsplit(redirect_to).query)
        context = {"code": "".join(params.get("code", [])), "application": application}
        return render(self.request, "oauth/code.html", context)

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        page: HttpResponse = super().render_to_response(context, **kwargs)
        if target := context.get("redirect_uri"):
            # Browsers apply the policy ``form-action`` to the redirect after the form, too. Allow the app's
            # redirect URI.
            parts = urlsplit(target)
            source = f"{parts.scheme}:"
            if parts.scheme in ("http", "https"):
                source = f"{parts.scheme}://{parts.netloc}"
            page._csp_update = {"form-action": [source]}  # type: ignore[attr-defined]
        return page


def _with_issuer(url: str) -> str:
    """Return a redirect URI with the issuer (RFC 9207), which the library adds to no error response."""
    parts = urlsplit(url)
    params = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name != "iss"
    ]
    return urlunsplit(parts._replace(query=urlencode([*params, ("iss", settings.SITE_URL)])))


@method_decorator(csrf_exempt, name="dispatch")
@method_decorator(sensitive_post_parameters("client_secret", "code"), name="dispatch")
class TokenView(oauth.TokenView):
    """The token endpoint. Accepts JSON as well as forms, as Mastodon does."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if error_response := _prepare_request(request):
            return error_response
        library_response: HttpResponse
        try:
            library_response = self.authorization_flow_token_response(request)
        except AccessToken.DoesNotExist:
            # A concurrent request has used the same code, which deleted the token before it was sent.
            return JsonResponse({"error": "invalid_grant"}, status=400)
        data = json.loads(library_response.content)
        if library_response.status_code == 200:
            token = {name: data[name] for name in ("access_token", "token_type", "scope")}
            data = {**token, "created_at": int(timezone.now().timestamp())}
        response = JsonResponse(data, status=library_response.status_code)
        response["Cache-Control"] = "no-store"
        if challenge := library_response.get("WWW-Authenticate"):
            response["WWW-Authenticate"] = challenge
        return response


@method_decorator(csrf_exempt, name="dispatch")
class RevokeTokenView(oauth.RevokeTokenView):
    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if error_response := _prepare_request(request):
            return error_response
        response: HttpResponse = super().post(request, *args, **kwargs)
        data = json.loads(response.content) if response.content else {}
        return JsonResponse(data, status=response.status_code)


def _prepare_request(request: HttpRequest) -> JsonResponse | None:
    """Count a request by network, and read its JSON. Return an error response, None if all is well.

    These endpoints also answer clients without a token, so the requests cannot be counted by user.
    """
    try:
        rate_limits.count_action(action="visitor_api", subject=client_network(request))
    except rate_limits.RateLimited as error:
        headers = {"Retry-After": str(error.retry_after)}
        return JsonResponse({"error": str(error)}, status=429, headers=headers)
    _normalize_query(request)
    if not _read_json(request):
        return JsonResponse({"error": "invalid_request"}, status=400)
    return None


def _read_json(request: Any) -> bool:
    """Convert a JSON body to a form for the library. Return False if the body is not a JSON object."""
    if request.content_type != "application/json":
        return True
    try:
        data = json.loads(request.body)
        form = QueryDict(mutable=True)
        for name, value in data.items() if isinstance(data, dict) else ():
            if isinstance(value, str | int):
                form[name] = str(value)
        form.urlencode()
    except (ValueError, RecursionError):  # also lone surrogates and too deep nesting
        return False
    if not isinstance(data, dict):
        return False
    request._post, request._files = form, {}
    request.META["CONTENT_TYPE"] = "application/x-www-form-urlencoded"
    return True


def _normalize_query(request: HttpRequest) -> None:
    """Encode the query string again. The library fails on some query strings that Django accepts."""
    request.META["QUERY_STRING"] = request.GET.urlencode()


def _find_application(client_id: str) -> Application | None:
    application: Application | None = Application.objects.filter(client_id=client_id).first()
    return application


@require_safe
def oauth_metadata(request: HttpRequest) -> JsonResponse:
    """Return the URLs and features of the OAuth server, in the format that apps expect (RFC 8414)."""

    def absolute_url(name: str) -> str:
        return f"{settings.SITE_URL}{reverse(name)}"

    return JsonResponse(
        {
            "issuer": settings.SITE_URL,
            "authorization_response_iss_parameter_supported": True,
            "service_documentation": absolute_url("api_docs"),
            "authorization_endpoint": absolute_url("oauth_authorize"),
            "token_endpoint": absolute_url("oauth_token"),
            "app_registration_endpoint": absolute_url("api_apps"),
            "revocation_endpoint": absolute_url("oauth_revoke"),
            "userinfo_endpoint": absolute_url("oauth_userinfo"),
            "scopes_supported": list(get_scopes_backend().get_all_scopes()),
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
def authorized_apps(request: HttpRequest) -> HttpResponse:
    context = {"apps": account_data.authorized_apps(uid=signed_in_user(request).pk)}
    return render(request, "accounts/settings_apps.html", context)


@require_POST
@login_required
def revoke_app(request: HttpRequest, app_id: int) -> HttpResponse:
    if not apps_service.revoke_app(uid=signed_in_user(request).pk, app_id=app_id):
        raise Http404("No such app.")
    messages.success(request, _("Access revoked."))
    return redirect("authorized_apps")
