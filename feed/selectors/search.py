"""Search public posts. ``search_query`` has the syntax, ``store.text_search`` the index."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time
from functools import partial

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID, first_id_at
from accounts.infra.search_words import contains_phrase, phrase_form
from accounts.selectors.profiles import get_card_or_404
from feed.post_words import author_word, searched_texts
from feed.store import text_search
from feed.store.post_rows import IdRange, PostRow

from .post_pages import read_visible_page
from .search_query import SearchQuery
from .timeline_pages import TimelinePage

NO_POSTS = TimelinePage(posts=(), older_cursor=None, newer_cursor=None)


def search_posts(
    *, query: SearchQuery, viewer: int | None, bounds: PageBounds, author: int | None = None
) -> tuple[TimelinePage, list[str]]:
    """Return the newest public posts that match the query, without muted authors.

    Also return messages about parts of the query that cannot be used. The page is then empty.

    If very many posts have the rarest word of the query, a page examines only
    ``text_search.MAX_EXAMINED`` of them. Such a page may be short or empty although it has an
    ``older_cursor``. The same is true for phrases.

    Args:
        author: return only posts of this user, in addition to ``from:``.
    """
    if query.is_empty:
        return NO_POSTS, []
    problems, words = list(query.problems), list(query.words)
    if query.author:
        uid = _author_uid(query.author, viewer)
        if uid is None:
            problems.append(_missing_author(query.author))
        else:
            words.append(author_word(uid))
    if author is not None:
        words.append(author_word(author))
    if not words and not problems:
        problems.append(_("Add a word, a hashtag, “from:” or “has:” to this search."))
    if problems:
        return NO_POSTS, problems
    return _read_page(query, words, viewer, _within_days(bounds, query)), []


def _read_page(
    query: SearchQuery, words: Sequence[str], viewer: int | None, bounds: PageBounds
) -> TimelinePage:
    unique_words = list(dict.fromkeys(words))
    word, is_frequent = unique_words[0], False
    if len(unique_words) > 1:
        word, is_frequent = text_search.rarest_word(words=unique_words)
    elif query.excluded:
        is_frequent = True
    examined, end = IdRange.within(bounds), None
    if is_frequent:
        examined, end = text_search.examined_range(word=word, id_range=examined)
    page = read_visible_page(
        read=partial(
            text_search.posts_with_words,
            word=word,
            others=[other for other in unique_words if other != word],
            excluded=query.excluded,
        ),
        belongs_to_page=partial(_has_phrases, query.phrases) if query.phrases else None,
        viewer=viewer,
        bounds=bounds,
        first_read=examined,
        should_filter=True,
    )
    older = page.older_cursor or (None if end is None else str(end))
    return replace(page, older_cursor=older, newer_cursor=None)


def _has_phrases(phrases: Sequence[str], row: PostRow) -> bool:
    forms = [phrase_form(text) for text in searched_texts(row)]
    return all(any(contains_phrase(form, phrase) for form in forms) for phrase in phrases)


def _author_uid(name: str, viewer: int | None) -> int | None:
    if name == "me":
        return viewer
    try:
        return get_card_or_404(username=name).uid
    except Http404:
        return None


def _missing_author(name: str) -> str:
    if name == "me":
        return _("Log in to search your own posts with “from:me”.")
    return _("There is no user @%(name)s on this site. Check the username.") % {"name": name}


def _within_days(bounds: PageBounds, query: SearchQuery) -> PageBounds:
    """Narrow the bounds to the days of the query, in the current time zone."""
    if query.before is not None:
        first_after = _first_id_of(query.before)
        max_id = first_after if bounds.max_id is None else min(bounds.max_id, first_after)
        bounds = replace(bounds, max_id=max_id)
    if query.after is not None:
        last_before = max(0, _first_id_of(query.after) - 1)
        bounds = replace(bounds, since_id=max(bounds.since_id or 0, last_before))
    return bounds


def _first_id_of(day: date) -> int:
    try:
        moment = timezone.make_aware(datetime.combine(day, time.min))
        return min(MAX_ID, first_id_at(moment=moment))
    except OverflowError:  # the first and the last day of the calendar, in some time zones
        return 0 if day.year < 2010 else MAX_ID
