"""Tells people what happened. Nothing depends on this app."""
