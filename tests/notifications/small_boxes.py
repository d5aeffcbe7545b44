"""Boxes and buckets of the history so small that a few dozen notifications fill them."""

from notifications.store import boxes, dismissals, expressions, history

SIZE, BUCKET = 20, 12


def shrink_boxes(monkeypatch, *, size=SIZE, bucket=BUCKET):
    """Give every module that knows the real sizes these instead."""
    for module in (expressions, boxes, dismissals):
        monkeypatch.setattr(module, "BOX_SIZE", size)
    for module in (expressions, history):
        monkeypatch.setattr(module, "BUCKET_SIZE", bucket)
