"""Web Push: notifications on devices while no page is open (RFC 8030, 8291, 8292).

``keys`` reads the site's key, ``allowed_endpoints`` lists push services, ``messages`` builds messages,
``delivery`` chooses devices and times, ``client`` sends requests. Without a key in the settings, push is
off.
"""
