"""Authorization of apps by OAuth 2 (RFC 6749), compatible with Mastodon's clients.

Apps may use PKCE (RFC 7636), which makes a stolen authorization code useless.

* ``models``: apps, codes and tokens.
* ``server``: the supported grants.
* ``validator``: the places where this site differs from the library django-oauth-toolkit.

The pages are in ``accounts.views.apps``, the scopes and the registration of apps in ``socialsite.api``.
"""
