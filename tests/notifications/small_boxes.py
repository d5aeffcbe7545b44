"""Small boxes and history buckets, which a few dozen notifications fill."""

from notifications.store import boxes, dismissals, expressions, history

SIZE, BUCKET = 20, 12


def shrink_boxes(monkeypatch, *, size=SIZE, bucket=BUCKET):
    """Replace the sizes in all modules that use them."""
    for module in (expressions, boxes, dismissals):
        monkeypatch.setattr(module, "BOX_SIZE", size)
    for module in (expressions, history):
        monkeypatch.setattr(module, "BUCKET_SIZE", bucket)
