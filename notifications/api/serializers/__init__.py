"""What the API sends of notifications, as types."""
