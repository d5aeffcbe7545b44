"""Services that change users and their relationships.

* ``follows``, ``follow_requests``, ``blocks_and_mutes``: relationships.
* ``profiles``: names, bios, avatars, privacy. ``sessions`` and ``apps``: log out, revoke access.
* ``follow_settings``: what a follow shows. ``invitations``: invite others, and sign up.
* ``account_status``: suspend, deactivate, request deletion. ``erasure``: delete all data of a user.
* ``moderation``: moderators' actions on users. ``imports``: many users and follows at once.

Each function is one transaction, sends its signals after the commit, and is safe to call twice.
"""
