"""The words of people as they are kept: ``clean`` is what every form with text calls."""

from .cleaning import clean

__all__ = ["clean"]
