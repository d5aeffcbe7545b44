"""The moderation API: reports and announcements, and cases, users and measures for moderators."""
