"""Small boxes and history buckets, so that a few dozen notifications fill them."""

from notifications.store import boxes, dismissals, expressions, history

SIZE, BUCKET = 20, 12


def shrink_boxes(monkeypatch, *, size=SIZE, bucket=BUCKET):
    """Replace the sizes of boxes and buckets in all modules that import these sizes."""
    for module in (expressions, boxes, dismissals):
        monkeypatch.setattr(module, "BOX_SIZE", size)
    for module in (expressions, history):
        monkeypatch.setattr(module, "BUCKET_SIZE", bucket)
