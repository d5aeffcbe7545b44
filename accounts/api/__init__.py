"""API endpoints for apps, sign-up and user information, compatible with Mastodon.

See https://docs.joinmastodon.org/api/. The framework that all endpoints share is in
``accounts.infra.api``. Each app has its endpoints in its ``api`` package and their URLs in ``api.urls``.
"""
