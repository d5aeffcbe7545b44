"""What people can do: follow and unfollow (``follows``), answer requests (``requests``), block, mute and
hide (``boundaries``), change their profile (``profiles``), invite others and sign up (``invitations``), end
log-ins (``sessions``) and what ``apps`` may do, go
away and come back (``standing``), be erased (``erasing``); what moderators do to
them: ``moderating``; many at once: ``imports``.

Each function is one transaction and one announcement after its commit, and may be done twice.
"""
