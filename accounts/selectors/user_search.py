"""Search for users by words of their names and bios, the users closest to the viewer first."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.infra.search_words import query_words
from accounts.infra.store.unions import read_union
from accounts.search_keys import deletions, is_one_typo_apart, name_words
from accounts.store import audiences, edges, relationship_kinds, user_search
from accounts.store.user_search import Match
from accounts.user_cards import UserCard, cards_by_uid
from accounts.usernames import local_username

from .relationships import Relationships, relationships_from
from .user_pages import UserRow, user_rows

MAX_WORDS = 10
MAX_CANDIDATES = 400
"""Maximum number of matches that are ranked. Of more matches, the followed users are always included."""

MAX_FOLLOWEES_EXAMINED = 2_000
MAX_FRIENDS = 100
MAX_CLOSEST = 100
"""Only the most popular ``MAX_CLOSEST`` matches are checked for followers among ``MAX_FRIENDS`` users whom
the viewer followed last."""

MAX_SIMILAR = 100
ENOUGH_MATCHES = 3
"""With fewer matches, the search also finds names that differ by one letter."""

SIMILAR_MATCH = 2


@dataclass(frozen=True, slots=True)
class UserSearchPage:
    """A page of users. ``next_offset`` is the offset of the next page, or None on the last page."""

    rows: tuple[UserRow, ...]
    next_offset: int | None


def search_users(
    *,
    text: str,
    viewer: int | None,
    limit: int,
    offset: int = 0,
    only_followed: bool = False,
    excluded_uid: int | None = None,
) -> UserSearchPage:
    """Return a page of the users with all words of ``text``, without blocked and limited users.

    A word of a user may begin with a word of the text. The order is: the user with exactly this username;
    matches of names, of bios, and of similar names. Within each group: followed users, users followed by
    followed users, users with the most followers. At most eight commands, whatever the number of results.

    Args:
        only_followed: leave out users whom the viewer does not follow.
        excluded_uid: leave out this user.
    """
    if offset >= MAX_CANDIDATES:
        return UserSearchPage((), None)
    ranked = _ranked_uids(text, viewer, only_followed=only_followed)
    uids = [uid for uid in ranked if uid != excluded_uid]
    end = offset + limit
    page_uids = uids[offset:end]
    rows = user_rows(uids=page_uids, viewer=viewer) if page_uids else ()
    return UserSearchPage(rows, end if len(uids) > end else None)


def suggested_mentions(*, text: str, viewer: int, limit: int) -> list[UserCard]:
    """Return users to mention, in the order of ``search_users``. At most six commands.

    Bios are not searched. Similar names are only found if no other name matches.
    """
    uids = _ranked_uids(text, viewer, enough_matches=1, should_read_bios=False)[:limit]
    cards = cards_by_uid(uids=uids)
    return [cards[uid] for uid in uids if uid in cards]


def _ranked_uids(
    text: str,
    viewer: int | None,
    *,
    only_followed: bool = False,
    enough_matches: int = ENOUGH_MATCHES,
    should_read_bios: bool = True,
) -> list[int]:
    words = query_words(local_username(text) or text)[:MAX_WORDS]
    if not words:
        return []
    kinds = {
        match.uid: (match.kind, match)
        for match in _matches(words, viewer)
        if should_read_bios or match.kind == user_search.NAME_MATCH
    }
    if len(kinds) < enough_matches and any(map(deletions, words)):
        for match in user_search.similar_matches(words=words, limit=MAX_SIMILAR):
            if _is_similar(match, words):
                kinds.setdefault(match.uid, (SIMILAR_MATCH, match))
    union = read_union(
        queries=[
            *relationship_kinds.queries_for_viewer(viewer=viewer, uids=kinds, now=timezone.now()),
            *audiences.follower_count_queries(authors=kinds),
            *(
                edges.newest_followee_queries(follower=viewer, limit=MAX_FRIENDS)
                if viewer is not None and kinds
                else ()
            ),
        ]
    )
    relationships = relationships_from(relationship_kinds.uids_by_kind(union=union))
    hidden = relationships.invisible
    uids = [
        uid
        for uid in kinds
        if uid not in hidden and (uid in relationships.followed or not only_followed)
    ]
    followers = audiences.follower_counts_in(union=union)
    uids.sort(key=lambda uid: -followers.get(uid, 0))
    others = [uid for uid in uids if uid not in relationships.followed][:MAX_CLOSEST]
    friends = edges.newest_followees_in(union=union)
    near = _followed_by_friends(others, friends, relationships)
    username = text.strip().lstrip("@\uff20").lower()

    def rank(uid: int) -> tuple[bool, int, bool, bool, int, str]:
        kind, match = kinds[uid]
        return (
            match.username != username,
            kind,
            uid not in relationships.followed,
            uid not in near,
            -followers.get(uid, 0),
            match.username,
        )

    return sorted(uids, key=rank)


def _matches(words: Sequence[str], viewer: int | None) -> list[Match]:
    all_matches = user_search.matches(words=words, limit=MAX_CANDIDATES)
    if len(all_matches) < MAX_CANDIDATES or viewer is None:
        return all_matches
    newest = PageBounds(limit=MAX_FOLLOWEES_EXAMINED)
    followees = edges.followee_edges_page(follower=viewer, bounds=newest)
    uids = [edge.followee for edge in followees]
    return [*user_search.matches(words=words, limit=MAX_CANDIDATES, uids=uids), *all_matches]


def _is_similar(match: Match, words: Sequence[str]) -> bool:
    names = [*name_words(username=match.username, display_name=match.display_name)]
    return all(
        any(name.startswith(word) or is_one_typo_apart(name, word) for name in names)
        for word in words
    )


def _followed_by_friends(
    uids: Sequence[int], friends: Sequence[int], relationships: Relationships
) -> set[int]:
    """Return which of these users are followed by users whom the viewer followed last.

    Lists of followers of private users are not shown to the viewer, so they have no influence.
    """
    if not uids or not friends:
        return set()
    pairs = edges.follow_pairs(
        followers=friends, followees=[uid for uid in uids if uid not in relationships.private]
    )
    return {followee for _, followee in pairs}
