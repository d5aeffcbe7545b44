"""Pages and forms of the feed."""
