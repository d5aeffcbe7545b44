"""Reports, cases and moderation actions. No other app depends on this app."""
