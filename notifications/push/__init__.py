"""Web Push: notifications on devices while no page is open (RFC 8030, 8291, 8292).

``keys`` has the site's key, ``allowed_endpoints`` where it may send, ``messages`` what devices
show, ``delivery`` to whom and when, ``client`` the requests. Without a key in the settings, push is
off.
"""
