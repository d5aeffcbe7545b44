"""Reports, cases and what moderators do about them. Stands on top of all other apps; none knows of it."""
