"""Notifications on people's devices while no page is open (Web Push: RFC 8030, 8291, 8292): the site's
key (``keys``), where it may send to (``addresses``), what is shown (``messages``), to whom and when
(``delivering``), over the wire (``sending``).

Without a key in the settings there is nothing of it.
"""
