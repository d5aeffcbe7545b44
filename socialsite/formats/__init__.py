"""Formats of dates and times that Django lacks for a language (FORMAT_MODULE_PATH)."""
