"""Pages about users.

* ``user_pages``: lists of users, follow requests. ``relationships``: follow, block, mute.
* ``settings``, ``account``, ``apps``, ``invitations``: settings pages.
* ``login``: log in and sign up, also in the pop-up windows of apps.
* ``pictures``: avatars, header pictures, the logo.

The profile page shows posts, so it is in the app ``feed``.
"""
