"""Pages about people: lists (``lists``), what one does to another (``relationships``), requests to follow
(``requests``), settings (``settings``), where one is logged in (``sessions``), going away (``standing``),
pictures (``pictures``), invitations (``invitations``), signing up and logging in.

The profile page shows posts, so it lives in ``feed``.
"""

from .login import enter_code, log_in, rate_limited, reauthenticate
from .sign_up import sign_up

__all__ = ["enter_code", "log_in", "rate_limited", "reauthenticate", "sign_up"]
