"""What moderators and administrators call: cases, users and measures."""
