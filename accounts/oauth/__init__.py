"""Authorization of apps by OAuth 2 (RFC 6749) with PKCE (RFC 7636), compatible with Mastodon's clients.

``models`` has apps, codes and tokens. ``server`` defines the supported grants. ``validator`` overrides
the library where this site differs. The scopes are in ``accounts.infra.api.scopes``, the pages in
``accounts.views.apps``, the API in ``accounts.api``.
"""
