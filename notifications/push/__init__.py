"""Web Push: notifications on devices while no page is open.

RFC 8030 defines the requests to push services, RFC 8291 the encryption of messages, and RFC 8292 the site's
signature.

``keys`` reads the site's key, ``allowed_endpoints`` lists push services, ``client``
builds and sends messages, ``delivery`` chooses devices and times. Without a key in the settings, push is
off.
"""
