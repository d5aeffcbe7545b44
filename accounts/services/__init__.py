"""Writes about users.

* ``follows``, ``follow_requests``, ``blocks_and_mutes``: relationships; ``follow_edges`` is shared by them.
* ``profiles``: names, bios, avatars, privacy. ``sessions`` and ``apps``: log out, revoke access.
* ``invitations``: invite others, and sign up. ``account_mail``: mails about an account.
* ``account_status``: suspend, deactivate, request deletion. ``erasure``: delete all data of a user.
* ``moderation``: what moderators do to users. ``imports``: many users and follows at once.

Each function is one transaction, sends its signals after the commit, and is safe to call twice.
"""
