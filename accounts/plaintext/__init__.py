"""The words of people as they are kept: ``clean`` is what every form with text calls."""

from .cleaning import TURNING, clean

__all__ = ["TURNING", "clean"]
