"""Reports, cases and moderation actions. This app imports all other apps; none imports it."""
