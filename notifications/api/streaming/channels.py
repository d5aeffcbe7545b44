"""Which posts come on which stream.

``wants`` is asked of every change on the site, for each stream: it decides by what is known without the
database, and may say yes too often. What is sent, ``posts`` decides, for the viewer and at that moment.
"""

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from accounts.selectors.follow_graph import followee_ids
from feed.selectors.arriving import new_posts_at_home, new_posts_in_public, new_posts_on_list
from feed.selectors.lists import attribute_page, public_page
from feed.selectors.pages import PostView
from feed.selectors.tags import followed_tags
from feed.selectors.user_lists import list_timeline_page, owned_list
from feed.timeline.home import home_page
from notifications.store.changes import PostChange

MAX_MISSED_POSTS = 40
"""Of what came before a stream was heard, so much is sent."""


class EmptyChannel:
    """One on which nothing comes: what it would tell of does not exist here."""

    def __init__(self, *, viewer: int) -> None:
        self.viewer = viewer
        self.refresh()

    def refresh(self) -> None:
        """Look again who it is about."""

    def accepts(self, change: PostChange) -> bool:
        return False

    def visible_posts(self, ids: Collection[int]) -> Sequence[PostView]:
        """Those of these that belong here, the oldest first."""
        return ()

    def posts_since(self, id: int) -> Sequence[PostView]:
        """What came after this id, the oldest first."""
        return ()


class HomeChannel(EmptyChannel):
    _authors: Sequence[int] = ()
    _tags: frozenset[str] = frozenset()

    def refresh(self) -> None:
        self._authors = _sorted([self.viewer, *followee_ids(uid=self.viewer)])
        self._tags = frozenset(followed_tags(viewer=self.viewer))

    def wants(self, change: PostChange) -> bool:
        is_of = _is_among(self._authors, change.author)
        return is_of or not change.author or bool(self._tags & change.tags)

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return new_posts_at_home(viewer=self.viewer, post_ids=ids)

    def since(self, id: int) -> Sequence[PostView]:
        return home_page(viewer=self.viewer, min_id=id, limit=MAX_MISSED_POSTS).posts[::-1]


class PublicChannel(EmptyChannel):
    def __init__(self, *, viewer: int, only_media: bool = False) -> None:
        self._only_media = only_media
        super().__init__(viewer=viewer)

    def wants(self, change: PostChange) -> bool:
        return change.is_public or not change.author

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return self._listed(new_posts_in_public(viewer=self.viewer, post_ids=ids))

    def since(self, id: int) -> Sequence[PostView]:
        page = public_page(
            viewer=self.viewer,
            min_id=id,
            limit=MAX_MISSED_POSTS,
            only_with_pictures=self._only_media,
        )
        return self._listed(page.posts[::-1])

    def _listed(self, views: Iterable[PostView]) -> Sequence[PostView]:
        return [one for one in views if one.media or not self._only_media]


class HashtagChannel(EmptyChannel):
    def __init__(self, *, viewer: int, tag: str) -> None:
        self._tag = tag
        super().__init__(viewer=viewer)

    def wants(self, change: PostChange) -> bool:
        return self._tag in change.tags or not change.author

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        wanted = {"kind": "hashtag", "value": self._tag}
        found = new_posts_in_public(viewer=self.viewer, post_ids=ids)
        return [one for one in found if wanted in one.attributes]

    def since(self, id: int) -> Sequence[PostView]:
        page = attribute_page(
            kind="hashtag", value=self._tag, viewer=self.viewer, min_id=id, limit=MAX_MISSED_POSTS
        )
        return page.posts[::-1]


class ListChannel(EmptyChannel):
    """``list_id``: of a list of the viewer's; raises Http404 if there is none."""

    _uids: Sequence[int] = ()

    def __init__(self, *, viewer: int, list_id: int) -> None:
        self._list_id = list_id
        super().__init__(viewer=viewer)

    def refresh(self) -> None:
        self._found = owned_list(owner=self.viewer, list_id=self._list_id)
        self._uids = _sorted(self._found.uids)

    def wants(self, change: PostChange) -> bool:
        return not change.author or _is_among(self._uids, change.author)

    def posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return new_posts_on_list(owner=self.viewer, uids=self._found.uids, post_ids=ids)

    def since(self, id: int) -> Sequence[PostView]:
        page = list_timeline_page(
            user_list=self._found, owner=self.viewer, min_id=id, limit=MAX_MISSED_POSTS
        )
        return page.posts[::-1]


def _sorted(uids: Iterable[int]) -> Sequence[int]:
    # An eighth of what a set would take: there are many streams, and people who follow thousands.
    return array("q", sorted(uids))


def _is_among(uids: Sequence[int], uid: int) -> bool:
    place = bisect_left(uids, uid)
    return place < len(uids) and uids[place] == uid
