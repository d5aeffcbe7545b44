"""The API of the site as a whole (``instance``), of reports, and of moderators (``cases``, ``people``)."""
