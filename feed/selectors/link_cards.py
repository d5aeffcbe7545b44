"""Link cards as viewers of a post see them."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from feed import picture_files
from feed.store.post_rows import PostRow


@dataclass(frozen=True, slots=True)
class CardPicture:
    """A picture from another site, served by this site. ``width`` and ``height`` are of the large file."""

    name: str
    width: int
    height: int
    alt: str = ""

    @property
    def small_url(self) -> str:
        return picture_files.picture_url(name=self.name, size="small", signature_scope=None)

    @property
    def large_url(self) -> str:
        return picture_files.picture_url(name=self.name, size="large", signature_scope=None)


@dataclass(frozen=True, slots=True)
class LinkCardView:
    """What a linked page says about itself. Values that are missing are "".

    ``published_at`` is an ISO date.
    """

    url: str
    title: str
    description: str = ""
    author: str = ""
    author_url: str = ""
    site: str = ""
    language: str = ""
    published_at: str = ""
    picture: CardPicture | None = None

    @property
    def host(self) -> str:
        return (urlsplit(self.url).hostname or "").removeprefix("www.")


def link_card_view(*, post: PostRow) -> LinkCardView | None:
    """Return the card of a post, None if it has none, is not fetched yet or would stand below pictures."""
    stored = post.link_card
    if stored is None or not stored.get("title") or post.media or post.is_poll:
        return None
    picture = CardPicture(**stored["picture"]) if "picture" in stored else None
    return LinkCardView(**{**stored, "picture": picture})
