"""Create, change and delete filters, and choose the activity kinds of the home timeline."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from feed.activities import home_kinds
from feed.selectors.post_view import PostView
from feed.store import filters
from feed.store.filters import Filter, FilteredPost, Phrase


def add_phrase_filter(
    *, owner: int, phrase: str, has_warning: bool, hours: int | None, is_part: bool = False
) -> int:
    """Create a filter with one phrase that expires after ``hours``, or never if ``hours`` is None.

    If ``is_part``, the phrase also matches inside words.
    """
    until = None if hours is None else timezone.now() + timedelta(hours=hours)
    return create_filter(
        owner=owner,
        title=phrase,
        phrases=[Phrase(0, phrase, is_part)],
        has_warning=has_warning,
        until=until,
    )


def create_filter(
    *, owner: int, title: str, phrases: Sequence[Phrase], has_warning: bool, until: datetime | None
) -> int:
    """Create a filter for posts that contain any of these phrases, and return the filter's id.

    Args:
        has_warning: True to collapse matching posts behind a warning, False to drop matching posts.
        until: expiry time, None for a permanent filter.

    Raises Refused if the owner would have more than ``MAX_FILTERS`` filters or phrases.
    """
    _check_limit(owner, len(phrases))
    new_filter = Filter(new_id(), title, _with_ids(phrases), has_warning, until)
    if not filters.add_filter(viewer=owner, new_filter=new_filter):
        raise _limit_error()
    return new_filter.id


def update_filter(*, owner: int, updated_filter: Filter) -> None:
    """Replace the filter that has the id of ``updated_filter``, except its single posts.

    Raises Http404 if the filter is missing, and Refused like ``create_filter``.
    """
    new = sum(not phrase.id for phrase in updated_filter.phrases)
    if new:
        _check_limit(owner, new)
    changed_filter = replace(updated_filter, phrases=_with_ids(updated_filter.phrases))
    if not filters.replace_filter(viewer=owner, changed_filter=changed_filter):
        raise Http404("No such filter.")


def _with_ids(phrases: Iterable[Phrase]) -> tuple[Phrase, ...]:
    """Return the phrases, with ids for the new ones."""
    return tuple(phrase if phrase.id else replace(phrase, id=new_id()) for phrase in phrases)


def delete_filter(*, owner: int, filter_id: int) -> None:
    filters.remove_filter(viewer=owner, id=filter_id)


def filter_post(*, owner: int, user_filter: Filter, post: PostView) -> None:
    """Add a single post to a filter of the owner. A second call changes nothing.

    Raises Refused if the post is the owner's own, or if the owner would have more than
    ``MAX_FILTERED_POSTS`` single posts in filters.
    """
    if any(row.post == post.id for row in user_filter.posts):
        return
    _check_filtered_post(owner, post)
    row = FilteredPost(new_id(), post.id)
    filters.add_filtered_post(viewer=owner, filter_id=user_filter.id, filtered_post=row)


def filter_post_alone(*, owner: int, post: PostView, has_warning: bool) -> int:
    """Create a filter that contains only this post, and return the filter's id.

    A second call with the same values creates nothing and returns the id of the existing filter. Raises
    Refused like ``create_filter`` and ``filter_post``.

    Args:
        has_warning: as for ``create_filter``.
    """
    existing_id = _filter_id_of(owner, post, has_warning)
    if existing_id is not None:
        return existing_id
    _check_limit(owner, 0)
    _check_filtered_post(owner, post)
    row = FilteredPost(new_id(), post.id)
    new_filter = Filter(new_id(), _("Single posts"), (), has_warning, None, (row,))
    if filters.add_filter(viewer=owner, new_filter=new_filter):
        return new_filter.id
    # A request at the same time created the filter, or the last possible one.
    existing_id = _filter_id_of(owner, post, has_warning)
    if existing_id is None:
        raise _limit_error()
    return existing_id


def _filter_id_of(owner: int, post: PostView, has_warning: bool) -> int | None:
    """Return the id of a filter that contains this post, no phrases, and has this action."""
    for user_filter in filters.filters_of(viewer=owner):
        if user_filter.phrases or user_filter.should_collapse != has_warning:
            continue
        if any(row.post == post.id for row in user_filter.posts):
            return user_filter.id
    return None


def _check_filtered_post(owner: int, post: PostView) -> None:
    if post.is_own:
        raise Refused(_("You cannot filter your own posts."))
    existing_filters = filters.filters_of(viewer=owner)
    # As in ``_check_limit``, concurrent calls may together exceed the limit.
    if sum(len(user_filter.posts) for user_filter in existing_filters) < filters.MAX_FILTERED_POSTS:
        return
    raise Refused(
        _("You can filter up to %(number)d single posts. Remove a post from a filter first.")
        % {"number": filters.MAX_FILTERED_POSTS}
    )


def unfilter_post(*, owner: int, row_id: int) -> None:
    """Remove a single post from the owner's filters by ``FilteredPost.id``."""
    filters.remove_filtered_post(viewer=owner, id=row_id)


def _check_limit(owner: int, added: int) -> None:
    # Two concurrent calls may together exceed the limit. This is harmless, so there is no transaction.
    existing_filters = filters.filters_of(viewer=owner)
    if (
        len(existing_filters) >= filters.MAX_FILTERS
        or sum(len(user_filter.phrases) for user_filter in existing_filters) + added
        > filters.MAX_FILTERS
    ):
        raise _limit_error()


def _limit_error() -> Refused:
    return Refused(
        _("You can have up to %(number)d filters. Delete a filter first.")
        % {"number": filters.MAX_FILTERS}
    )


def set_home_kinds(*, owner: int, shown_kinds: set[str]) -> None:
    """Show only the activity kinds named in ``shown_kinds`` in the owner's home timeline."""
    hidden = [kind.name for kind in home_kinds() if kind.name not in shown_kinds]
    filters.set_hidden_kinds(viewer=owner, kinds=hidden)
