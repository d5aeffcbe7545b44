"""Pages about people: lists (``lists``), what one does to another (``relationships``), requests to follow
(``requests``), settings (``settings``), pictures (``pictures``), invitations (``invitations``),
and signing up.

The profile page shows posts, so it lives in ``feed``.
"""

from .signing_up import sign_up

__all__ = ["sign_up"]
