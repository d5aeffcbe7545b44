"""Formats of dates and times that Django lacks, or that differ from Django's (FORMAT_MODULE_PATH)."""
