"""Forms for users (``people``) and for moderators (``moderators``)."""
