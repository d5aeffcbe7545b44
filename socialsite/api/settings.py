"""API settings that are the same on every site: OAuth, REST framework, OpenAPI and CORS."""

from typing import Any

from corsheaders.defaults import default_headers

OAUTH2_PROVIDER: dict[str, Any] = {
    "SCOPES_BACKEND_CLASS": "socialsite.api.plumbing.scopes.RegisteredScopes",
    "OAUTH2_SERVER_CLASS": "accounts.oauth.server.Server",
    "OAUTH2_VALIDATOR_CLASS": "accounts.oauth.server.Validator",
    "CLIENT_SECRET_HASHER": "client_secret",
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 600,
    # Mastodon clients do not expect tokens to expire, so tokens last until they are revoked.
    "ACCESS_TOKEN_EXPIRE_SECONDS": 10 * 365 * 86_400,
    # Many clients do not use PKCE yet. Clients that use PKCE must use S256.
    "PKCE_REQUIRED": False,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,  # tokens are stored as digests
    # ``accounts.oauth.server`` does not offer the implicit grant and the password grant.
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    # This list has no effect on registered apps. ``Application.get_allowed_schemes`` returns their schemes.
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
}
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "socialsite.api.plumbing.authentication.BearerAuthentication"
    ],
    "DEFAULT_PERMISSION_CLASSES": [],  # each endpoint declares its own
    "DEFAULT_RENDERER_CLASSES": ["socialsite.api.plumbing.formats.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "socialsite.api.plumbing.formats.JSONParser",
        "socialsite.api.plumbing.formats.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "socialsite.api.plumbing.formats.JsonNegotiation",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "DESCRIPTION": "The Mastodon API (https://docs.joinmastodon.org/api/). Endpoints that only this "
    "site has are below /api/v1/socialsite/.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_URLCONF": "socialsite.streaming_urls",  # all endpoints, also the streams
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api/",
    "ENFORCE_NON_BLANK_FIELDS": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "POSTPROCESSING_HOOKS": ["socialsite.api.plumbing.openapi.complete_schema"],
}
CORS_URLS_REGEX = (
    r"^/(api/|oauth/(token|revoke|userinfo)/?$|\.well-known/|nodeinfo/|avatars/|media/)"
)
CORS_ALLOW_HEADERS = [*default_headers, "idempotency-key"]
CORS_EXPOSE_HEADERS = [
    *("Link", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
]
