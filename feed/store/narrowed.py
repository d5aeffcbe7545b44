"""Which of somebody's posts to read, for ``posts.by_authors``."""

from .collections import Document


def only(*, with_pictures: bool = False, written: bool = False, tag: str = "") -> Document:
    """Of what somebody has posted: with pictures, without shares, with a hashtag."""
    wanted: Document = {}
    if with_pictures:
        wanted["media"] = {"$nin": [None, []]}
    if with_pictures or written:
        wanted["share_of"] = None
    if tag:
        wanted["entities"] = {"$elemMatch": {"kind": "hashtag", "value": tag}}
    return wanted
