"""Pages about users.

* ``user_pages``: lists of users. ``relationships``: follow, block, mute.
* ``follow_requests``: list, accept and reject follow requests.
* ``settings``, ``sessions``, ``account_status``, ``apps``, ``invitations``: settings pages.
* ``login``, ``sign_up``, ``popups``: log in and sign up, also in the pop-up windows of apps.
* ``avatars``: pictures. ``webfinger``: look-up of profiles by other programs.

The profile page shows posts, so it is in the app ``feed``.
"""

from .login import enter_code, log_in, log_out, rate_limited, reauthenticate
from .sign_up import sign_up

__all__ = ["enter_code", "log_in", "log_out", "rate_limited", "reauthenticate", "sign_up"]
