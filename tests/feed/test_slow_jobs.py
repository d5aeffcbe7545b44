"""Hostile archives with real workers: they delay neither the jobs nor the archives of other people."""

import time
from functools import cache

import pytest

from feed.models import Picture
from socialsite.archive.models import Archive
from tests.factories import follow, publish
from tests.feed.audiences import state
from tests.feed.brokers import BuiltIn, publishing_through
from tests.feed.workers import Worker, wait_until
from tests.socialsite.archive.test_interrupted_jobs import start_archive_import
from tests.socialsite.archive.zips import note, zipped
from tests.uploads import picture

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_pictures")]

HOSTILE_PICTURES = 11
"""More pixels than a slice of an import decodes (``importer.SLICE_PIXELS``)."""


@cache
def huge_picture():
    """Return a file of a few hundred bytes with almost as many pixels as the site accepts."""
    content = picture("WEBP", size=(5700, 5700), lossless=True, method=0)
    assert len(content) < 1000
    return content


def hostile_archive():
    files = {f"media_attachments/files/{n}.webp": huge_picture() for n in range(HOSTILE_PICTURES)}
    return zipped(
        *(
            note(n, attachment=[{"mediaType": "image/webp", "url": name}])
            for n, name in enumerate(files)
        ),
        **files,
    )


def test_a_hostile_archive_delays_nobody(alice, bob, carol, settings, tmp_path):
    settings.FEED_INLINE_AUDIENCE_LIMIT = 0
    follow(carol, bob)
    broker = BuiltIn(tmp_path)
    try:
        with (
            publishing_through(broker.url),
            Worker(tmp_path, beat=False, BROKER_URL=broker.url) as worker,
            Worker(tmp_path, beat=False, queue="slow", BROKER_URL=broker.url) as slow_worker,
        ):
            hostile = start_archive_import(alice, hostile_archive(), tmp_path)
            wait_until(Picture.objects.exists, worker=slow_worker)
            harmless = start_archive_import(bob, zipped(note(1)), tmp_path)
            started = time.monotonic()
            for _ in range(3):
                post_id = publish(bob)
                wait_until(lambda post_id=post_id: state(post_id)[0] == "done", worker=worker)
            assert time.monotonic() - started < 20
            assert Archive.objects.get(pk=hostile.pk).state != "done"
            done = Archive.objects.filter(state="done")
            wait_until(lambda: done.filter(pk=harmless.pk).exists(), 120, worker=slow_worker)
            assert not done.filter(pk=hostile.pk).exists()
            wait_until(lambda: done.filter(pk=hostile.pk).exists(), 240, worker=slow_worker)
        counts = Archive.objects.get(pk=hostile.pk).counts
        assert counts == {"posts": HOSTILE_PICTURES, "pictures": HOSTILE_PICTURES}
    finally:
        broker.stop()
