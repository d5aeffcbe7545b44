"""Pages about people: lists (``lists``), what one does to another (``relationships``), requests to follow
(``requests``), settings (``settings``), where one is logged in (``sessions``), going away (``standing``),
pictures (``pictures``), invitations (``invitations``), signing up and logging in.

The profile page shows posts, so it lives in ``feed``.
"""

from .logging_in import enter_code, log_in, reauthenticate, too_many
from .signing_up import sign_up

__all__ = ["enter_code", "log_in", "reauthenticate", "sign_up", "too_many"]
