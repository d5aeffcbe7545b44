"""How apps come to act for people: OAuth 2 (RFC 6749) with PKCE (RFC 7636), as Mastodon's clients speak it.

``models`` has apps, codes and tokens, with our ids; ``scopes`` what a token may be good for; ``server``
which ways lead to one; ``validator`` how the library's answers differ here. The pages are in
``accounts.views.apps``, the API's side in ``accounts.api``.
"""
