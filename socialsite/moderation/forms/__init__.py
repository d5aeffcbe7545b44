"""What people tell the moderators (``people``), and what these fill in (``moderators``)."""
