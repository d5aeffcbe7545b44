"""Channels: the posts that belong to each stream.

The hub calls ``accepts`` for every change on the site, once per stream. To be fast, ``accepts`` runs no
query and may accept too many posts. ``visible_posts`` then returns the posts that belong to the channel and
are visible to the viewer, by the rules of the page of the timeline. ``readable_removals`` does the same for
posts that no longer exist.
"""

from collections.abc import Collection, Sequence
from typing import ClassVar

from accounts.infra.cursors import PageBounds
from feed.models import Post
from feed.selectors import new_posts
from feed.selectors.post_pages import attribute_page, public_page
from feed.selectors.post_view import PostView
from feed.selectors.timeline_pages import TimelinePage
from feed.selectors.user_lists import list_timeline_page, owned_list
from feed.timeline.home import home_page, home_sources, new_posts_at_home
from notifications.live.streams import UidSet
from notifications.store.changes import PostChange, PostRemoved

PUBLIC = Post.Visibility.PUBLIC

MAX_MISSED_POSTS = 40
"""Maximum number of missed posts that a stream sends after a gap."""


class EmptyChannel:
    """A channel without posts, for notifications and for streams that have no equivalent on this site."""

    has_conversations: ClassVar[bool] = False
    """Whether the stream sends conversations with new messages."""

    depends_on_follows: ClassVar[bool] = False
    """Whether the posts of the channel change with follows and lists of the viewer."""

    def __init__(self, *, viewer: int) -> None:
        self.viewer = viewer

    def refresh(self) -> None:
        """Load the data that the channel depends on, such as followed users, or load it again."""

    def accepts(self, change: PostChange) -> bool:
        return False

    def visible_posts(self, ids: Collection[int]) -> Sequence[PostView]:
        """Return which of these posts belong to the channel, oldest first."""
        return ()

    def posts_since(self, id: int) -> Sequence[PostView]:
        """Return the posts after this id, oldest first."""
        page = self._page(PageBounds(min_id=id, limit=MAX_MISSED_POSTS))
        return page.posts[::-1] if page else ()

    def _page(self, bounds: PageBounds) -> TimelinePage | None:
        """Return a page of the timeline with the posts of the channel, None if it has none."""
        return None

    def readable_removals(self, changes: Collection[PostRemoved]) -> Collection[int]:
        """Return which of these posts the viewer could read before they were removed."""
        known = [change for change in changes if change.author]
        return new_posts.readable_ids(viewer=self.viewer, removals=known)


class DirectChannel(EmptyChannel):
    has_conversations = True


class HomeChannel(EmptyChannel):
    depends_on_follows = True
    _authors = UidSet()
    _tags: frozenset[str] = frozenset()

    def refresh(self) -> None:
        authors, tags = home_sources(viewer=self.viewer)
        self._authors, self._tags = UidSet([self.viewer, *authors]), frozenset(tags)

    def accepts(self, change: PostChange) -> bool:
        if not change.author:
            return True
        is_source = change.author in self._authors or not self._tags.isdisjoint(change.tags)
        return is_source and change.may_concern(self.viewer)

    def visible_posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return new_posts_at_home(viewer=self.viewer, post_ids=ids)

    def _page(self, bounds: PageBounds) -> TimelinePage:
        return home_page(viewer=self.viewer, bounds=bounds)


class PublicChannel(EmptyChannel):
    def __init__(self, *, viewer: int, only_media: bool = False) -> None:
        self._only_media = only_media
        super().__init__(viewer=viewer)

    def accepts(self, change: PostChange) -> bool:
        return change.visibility == PUBLIC or not change.author

    def visible_posts(self, ids: Collection[int]) -> Sequence[PostView]:
        views = new_posts.new_posts_in_public(viewer=self.viewer, post_ids=ids)
        return [view for view in views if view.media or not self._only_media]

    def _page(self, bounds: PageBounds) -> TimelinePage:
        return public_page(viewer=self.viewer, bounds=bounds, only_with_pictures=self._only_media)


class HashtagChannel(EmptyChannel):
    def __init__(self, *, viewer: int, tag: str) -> None:
        self._tag = tag
        super().__init__(viewer=viewer)

    def accepts(self, change: PostChange) -> bool:
        return self._tag in change.tags or not change.author

    def visible_posts(self, ids: Collection[int]) -> Sequence[PostView]:
        attribute = {"kind": "hashtag", "value": self._tag}
        posts = new_posts.new_posts_in_public(viewer=self.viewer, post_ids=ids)
        return [post for post in posts if attribute in post.row.attributes]

    def _page(self, bounds: PageBounds) -> TimelinePage:
        return attribute_page(kind="hashtag", value=self._tag, viewer=self.viewer, bounds=bounds)


class ListChannel(EmptyChannel):
    """The posts of users on a list of the viewer. Raises Http404 if the list does not exist."""

    depends_on_follows = True

    def __init__(self, *, viewer: int, list_id: int) -> None:
        super().__init__(viewer=viewer)
        self._list_id = list_id
        self.refresh()

    def refresh(self) -> None:
        self._list = owned_list(owner=self.viewer, list_id=self._list_id)
        self._uids = UidSet(self._list.uids)

    def accepts(self, change: PostChange) -> bool:
        is_member = change.author in self._uids and change.may_concern(self.viewer)
        return is_member or not change.author

    def visible_posts(self, ids: Collection[int]) -> Sequence[PostView]:
        return new_posts.new_posts_on_list(owner=self.viewer, user_list=self._list, post_ids=ids)

    def _page(self, bounds: PageBounds) -> TimelinePage:
        return list_timeline_page(user_list=self._list, owner=self.viewer, bounds=bounds)
