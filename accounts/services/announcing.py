"""Telling others what happened, once it did."""

from django.dispatch import Signal

from accounts.transactions import on_commit


def announce(signal: Signal, **ids: int) -> None:
    """After the commit; what goes wrong in a receiver does not undo it."""
    on_commit(lambda: signal.send_robust(sender=None, **ids))
