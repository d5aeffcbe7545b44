"""Which posts come on which stream.

``wants`` is asked of every change on the site, for each stream: it decides by what is known without the
database, and may say yes too often. What is sent, ``posts`` decides, for the viewer and at that moment.
"""

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from accounts import selectors as people
from feed import selectors as feed
from feed.selectors import PostView
from notifications.store.live import OfPost

MISSED = 40
"""Of what came before a stream was heard, so much is sent."""


class Channel:
    """One on which nothing comes: what it would tell of does not exist here."""

    def __init__(self, *, viewer: int) -> None:
        self.viewer = viewer
        self.refresh()

    def refresh(self) -> None:
        """Look again who it is about."""

    def wants(self, change: OfPost) -> bool:
        return False

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        """Those of these that belong here, the oldest first."""
        return ()

    def since(self, id: int) -> Sequence[PostView]:
        """What came after this id, the oldest first."""
        return ()


class Home(Channel):
    _authors: Sequence[int] = ()
    _tags: frozenset[str] = frozenset()

    def refresh(self) -> None:
        self._authors = _sorted([self.viewer, *people.followees(uid=self.viewer)])
        self._tags = frozenset(feed.followed_tags(reader=self.viewer))

    def wants(self, change: OfPost) -> bool:
        is_of = _is_among(self._authors, change.author)
        return is_of or not change.author or bool(self._tags & change.tags)

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return feed.arrived_at_home(reader=self.viewer, ids=ids)

    def since(self, id: int) -> Sequence[PostView]:
        return feed.home_page(reader=self.viewer, min_id=id, limit=MISSED).posts[::-1]


class Public(Channel):
    def __init__(self, *, viewer: int, only_media: bool = False) -> None:
        self._only_media = only_media
        super().__init__(viewer=viewer)

    def wants(self, change: OfPost) -> bool:
        return change.is_public or not change.author

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return self._listed(feed.arrived_in_public(viewer=self.viewer, ids=ids))

    def since(self, id: int) -> Sequence[PostView]:
        page = feed.public_page(
            viewer=self.viewer, min_id=id, limit=MISSED, with_pictures=self._only_media
        )
        return self._listed(page.posts[::-1])

    def _listed(self, views: Iterable[PostView]) -> Sequence[PostView]:
        return [one for one in views if one.media or not self._only_media]


class Hashtag(Channel):
    def __init__(self, *, viewer: int, tag: str) -> None:
        self._tag = tag
        super().__init__(viewer=viewer)

    def wants(self, change: OfPost) -> bool:
        return self._tag in change.tags or not change.author

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        wanted = {"kind": "hashtag", "value": self._tag}
        found = feed.arrived_in_public(viewer=self.viewer, ids=ids)
        return [one for one in found if wanted in one.entities]

    def since(self, id: int) -> Sequence[PostView]:
        page = feed.about_page(
            kind="hashtag", value=self._tag, viewer=self.viewer, min_id=id, limit=MISSED
        )
        return page.posts[::-1]


class PeopleList(Channel):
    """``list_id``: of a list of the viewer's; raises Http404 if there is none."""

    _uids: Sequence[int] = ()

    def __init__(self, *, viewer: int, list_id: int) -> None:
        self._list_id = list_id
        super().__init__(viewer=viewer)

    def refresh(self) -> None:
        self._found = feed.people_list(owner=self.viewer, list_id=self._list_id)
        self._uids = _sorted(self._found.uids)

    def wants(self, change: OfPost) -> bool:
        return not change.author or _is_among(self._uids, change.author)

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return feed.arrived_on_list(owner=self.viewer, uids=self._found.uids, ids=ids)

    def since(self, id: int) -> Sequence[PostView]:
        page = feed.list_page(found=self._found, owner=self.viewer, min_id=id, limit=MISSED)
        return page.posts[::-1]


def _sorted(uids: Iterable[int]) -> Sequence[int]:
    # An eighth of what a set would take: there are many streams, and people who follow thousands.
    return array("q", sorted(uids))


def _is_among(uids: Sequence[int], uid: int) -> bool:
    place = bisect_left(uids, uid)
    return place < len(uids) and uids[place] == uid
