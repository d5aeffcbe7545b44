"""What happens to notifications, in the past tense, carrying ids only."""

from django.dispatch import Signal

told = (
    Signal()
)  # item: int; readers: list[int], who were asked about at once, not all of whom have it
