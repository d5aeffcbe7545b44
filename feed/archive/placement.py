"""Which id a post from an archive gets: always the same, so that bringing it in twice makes one post.

Its time is that at which it was written. The rest, in which other ids have their node and sequence, comes
from a digest of its author and where it comes from; if another post has that id, it is the next.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from accounts.infra.ids import first_id_at
from accounts.infra.ids.layout import NODE_BITS, SEQUENCE_BITS
from feed.models import Post

from .drafts import Draft

IDS_PER_MILLISECOND = 1 << (NODE_BITS + SEQUENCE_BITS)
"""In one millisecond."""


@dataclass(frozen=True, slots=True)
class Placement:
    """``new``: what is to be inserted, with its id. ``counts``: of what is here already, ``posts`` and
    ``pictures`` by this very import, ``there`` from before."""

    new_drafts: list[tuple[int, Draft]]
    counts: Counter[str]


def import_origin(*, import_id: int, source_key: str) -> str:
    """As ``Post.origin``."""
    return f"{import_id}:{source_key}"


def place_drafts(*, drafts: Sequence[Draft], author_id: int, import_id: int) -> Placement:
    """One command, and one more for each post that has the id of another, in the worst case."""
    counts: Counter[str] = Counter()
    waiting = {(draft.source_key): (draft, 0) for draft in drafts}
    counts["there"] += len(drafts) - len(waiting)  # twice in the archive
    new: dict[int, Draft] = {}
    own = {draft.own for draft in drafts if draft.own is not None}
    while waiting:
        wanted = {source: _id(draft, step) for source, (draft, step) in waiting.items()}
        rows = Post.objects.filter(pk__in={*wanted.values(), *own})
        found = {row[0]: row for row in rows.values_list("pk", "author_id", "origin", "media")}
        again: dict[str, tuple[Draft, int]] = {}
        for source, (draft, step) in waiting.items():
            pk = wanted[source]
            _, author, came, media = found.get(pk, (0, 0, "", []))
            came = came or ""  # of one that was written otherwise
            if draft.own in found and found[draft.own][1] == author_id:
                counts["there"] += 1
            elif author == author_id and came == import_origin(
                import_id=import_id, source_key=source
            ):
                counts += Counter(posts=1, pictures=len(media))
            elif author == author_id and came.endswith(f":{source}"):
                counts["there"] += 1
            elif author or pk in new:
                again[source] = (draft, step + 1)
            else:
                new[pk] = draft
        waiting = again
    return Placement(new_drafts=sorted(new.items(), key=lambda one: one[0]), counts=counts)


def _id(draft: Draft, step: int) -> int:
    place = int(draft.source_key[:16], 16) + step
    return first_id_at(moment=draft.created_at) + place % IDS_PER_MILLISECOND
