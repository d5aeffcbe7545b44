"""The name and look of the site: name, logo, accent color, description, landing text, default language.

Administrators set these in the admin (``socialsite.moderation.admin.site_texts``). The settings SITE_NAME
and SITE_DESCRIPTION are the defaults. Every other module reads them with ``current.current_brand``.

* ``models``: the stored row.
* ``current``: the brand that pages, mails and the API show now.
* ``colors``: contrast, the shades of an accent color, and its style sheets.
* ``logos``: sanitize and store uploaded logos.
"""
