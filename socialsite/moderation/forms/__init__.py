"""Forms of users (``people``) and of moderators (``moderators``)."""
