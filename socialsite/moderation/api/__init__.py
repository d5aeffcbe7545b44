"""The API of moderation: reports and announcements for users; cases, users and measures for moderators."""
