"""What there is to do with an archive: all of it is read and judged, and nothing is written."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from accounts.models import User

from . import listed, reading
from .bad import BadArchive
from .jsons import items
from .opening import READ_ERRORS, Source
from .reading import Draft, Reader

MOST_POSTS = 200_000
READ_BETWEEN_BEATS = 200


@dataclass(frozen=True, slots=True)
class Contents:
    """``posts`` items of the outbox, then these ``names`` to follow, then these posts to keep. ``counts``:
    what is left out already."""

    posts: int
    names: list[str]
    kept: list[int]
    counts: Counter[str]

    @property
    def total(self) -> int:
        return self.posts + len(self.names) + len(self.kept)


def check(
    *, source: Source, owner: User, until: datetime, beat: Callable[[], None] = lambda: None
) -> Contents:
    """Raises BadArchive. ``until``: what was written later is left out. ``beat`` is called now and then."""
    number = 0
    counts: Counter[str] = Counter()
    for number, _draft in enumerate(drafts(source=source, owner=owner, until=until), 1):
        if number > MOST_POSTS:
            raise BadArchive(
                _("There are more than %(number)d posts in this archive.") % {"number": MOST_POSTS}
            )
        if number % READ_BETWEEN_BEATS == 0:
            beat()
    try:
        names, counts["elsewhere"] = listed.handles(source=source)
        kept, counts["kept_elsewhere"] = listed.bookmarks(source=source)
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged.")) from error
    return Contents(posts=number, names=names, kept=kept, counts=+counts)


def forecast(*, source: Source, owner: User, until: datetime) -> Counter[str]:
    """What would become of the posts, as far as that can be told without writing anything."""
    every = drafts(source=source, owner=owner, until=until)
    return Counter("posts" if isinstance(one, Draft) else one for one in every)


def drafts(*, source: Source, owner: User, until: datetime) -> Iterator[Draft | str]:
    """All items of the outbox: posts to be, or why they are left out. Raises BadArchive."""
    reader: Reader = reading.reader(source=source, owner=owner.pk, until=until)
    try:
        with source.open("outbox.json") as file:
            for item in items(file=file, name="outbox.json"):
                yield reader.read(item)
    except READ_ERRORS as error:
        raise BadArchive(_("This archive is damaged.")) from error
