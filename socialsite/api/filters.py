"""Filters by words and of single posts (https://docs.joinmastodon.org/methods/filters/)."""

from dataclasses import replace
from typing import Any

from django.http import Http404

from feed.selectors.filters import (
    filter_by_phrase,
    filter_by_post,
    filters_of_viewer,
    viewer_filter,
)
from feed.services.filters import (
    create_filter,
    delete_filter,
    filter_post,
    unfilter_post,
    update_filter,
)

from .filter_inputs import (
    FilterCreateInputs,
    FilterUpdateInputs,
    KeywordInputs,
    changed_phrase,
    expires_at,
)
from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import IdField, Inputs
from .serializers.filters import (
    Filter,
    FilterKeyword,
    FilterStatus,
    serialize_filter,
    serialize_filter_status,
    serialize_keyword,
)
from .serializers.values import EMPTY_OBJECT, EmptyObject
from .status_lookup import find_post


@endpoint("read:filters", returns=list[Filter])
def index(request: ApiRequest) -> Any:
    """Return the caller's filters, including expired ones."""
    return [serialize_filter(user_filter) for user_filter in filters_of_viewer(viewer=request.uid)]


@endpoint("read:filters", returns=Filter)
def show(request: ApiRequest, filter_id: int) -> Any:
    """Return a filter."""
    return serialize_filter(viewer_filter(viewer=request.uid, filter_id=filter_id))


@endpoint("write:filters", inputs=FilterCreateInputs, returns=Filter)
def create(request: ApiRequest) -> Any:
    """Create a filter. The action ``warn`` collapses matching posts, and ``hide`` removes matching posts.

    The filter applies to all lists of posts by several authors.
    """
    inputs = request.inputs
    keywords = inputs["keywords_attributes"]
    if any(keyword["id"] is not None for keyword in keywords):
        raise Http404("A new filter has no keywords to change.")
    filter_id = create_filter(
        owner=request.uid,
        title=inputs["title"],
        phrases=[
            changed_phrase(keyword, text=keyword["keyword"])
            for keyword in keywords
            if not keyword["_destroy"]
        ],
        has_warning=inputs.get("filter_action") != "hide",
        until=expires_at(inputs.get("expires_in")),
    )
    return show(request, filter_id)


@endpoint("write:filters", inputs=FilterUpdateInputs, returns=Filter)
def update(request: ApiRequest, filter_id: int) -> Any:
    """Change a filter and its keywords."""
    user_filter, inputs = viewer_filter(viewer=request.uid, filter_id=filter_id), request.inputs
    phrases = {phrase.id: phrase for phrase in user_filter.phrases}
    new_phrases = []
    for keyword in inputs["keywords_attributes"]:
        if keyword["id"] is None:
            new_phrases += (
                [] if keyword["_destroy"] else [changed_phrase(keyword, text=keyword["keyword"])]
            )
        elif keyword["id"] not in phrases:
            raise Http404("No such keyword.")
        elif keyword["_destroy"]:
            del phrases[keyword["id"]]
        else:
            phrases[keyword["id"]] = changed_phrase(
                keyword, text=keyword["keyword"], phrase=phrases[keyword["id"]]
            )
    action = inputs.get("filter_action")
    updated_filter = replace(
        user_filter,
        title=inputs["title"] or user_filter.title,
        phrases=(*phrases.values(), *new_phrases),
        should_collapse=user_filter.should_collapse if action is None else action != "hide",
        expires_at=expires_at(inputs["expires_in"])
        if "expires_in" in inputs
        else user_filter.expires_at,
    )
    update_filter(owner=request.uid, updated_filter=updated_filter)
    return show(request, filter_id)


@endpoint("write:filters", returns=EmptyObject)
def delete(request: ApiRequest, filter_id: int) -> Any:
    """Delete a filter."""
    user_filter = viewer_filter(viewer=request.uid, filter_id=filter_id)
    delete_filter(owner=request.uid, filter_id=user_filter.id)
    return EMPTY_OBJECT


# --- Keywords of a filter -----------------------------------------------------------------------
@endpoint("read:filters", returns=list[FilterKeyword])
def index_keywords(request: ApiRequest, filter_id: int) -> Any:
    """Return the keywords of a filter."""
    user_filter = viewer_filter(viewer=request.uid, filter_id=filter_id)
    return [serialize_keyword(phrase) for phrase in user_filter.phrases]


@endpoint("write:filters", inputs=KeywordInputs, returns=FilterKeyword)
def add_keyword(request: ApiRequest, filter_id: int) -> Any:
    """Add a keyword to a filter."""
    user_filter = viewer_filter(viewer=request.uid, filter_id=filter_id)
    phrases = (*user_filter.phrases, changed_phrase(request.inputs, text=request.inputs["keyword"]))
    update_filter(owner=request.uid, updated_filter=replace(user_filter, phrases=phrases))
    return index_keywords(request, filter_id)[-1]


@endpoint("read:filters", returns=FilterKeyword)
def show_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Return a keyword."""
    _user_filter, phrase = filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    return serialize_keyword(phrase)


@endpoint("write:filters", inputs=KeywordInputs, returns=FilterKeyword)
def update_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Replace the text of a keyword."""
    user_filter, phrase = filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    new_phrase = changed_phrase(request.inputs, text=request.inputs["keyword"], phrase=phrase)
    phrases = tuple(new_phrase if old.id == new_phrase.id else old for old in user_filter.phrases)
    update_filter(owner=request.uid, updated_filter=replace(user_filter, phrases=phrases))
    return serialize_keyword(new_phrase)


@endpoint("write:filters", returns=EmptyObject)
def delete_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Delete a keyword."""
    user_filter, phrase = filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    phrases = tuple(other for other in user_filter.phrases if other.id != phrase.id)
    update_filter(owner=request.uid, updated_filter=replace(user_filter, phrases=phrases))
    return EMPTY_OBJECT


# --- Single posts in a filter --------------------------------------------------------------------
class FilterStatusInputs(Inputs):
    status_id = IdField(required=True)


@endpoint("read:filters", returns=list[FilterStatus])
def index_statuses(request: ApiRequest, filter_id: int) -> Any:
    """Return the single posts in a filter."""
    user_filter = viewer_filter(viewer=request.uid, filter_id=filter_id)
    return [serialize_filter_status(row) for row in user_filter.posts]


@endpoint("write:filters", inputs=FilterStatusInputs, returns=FilterStatus)
def add_status(request: ApiRequest, filter_id: int) -> Any:
    """Add a single post to a filter. Own posts and comments cannot be filtered (422)."""
    user_filter = viewer_filter(viewer=request.uid, filter_id=filter_id)
    post = find_post(status_id=request.inputs["status_id"], viewer=request.uid)
    filter_post(owner=request.uid, user_filter=user_filter, post=post)
    for row in viewer_filter(viewer=request.uid, filter_id=filter_id).posts:
        if row.post == post.id:
            return serialize_filter_status(row)
    raise Http404("The post was removed from the filter meanwhile.")


@endpoint("read:filters", returns=FilterStatus)
def show_status(request: ApiRequest, filter_status_id: int) -> Any:
    """Return a single post in a filter."""
    return serialize_filter_status(filter_by_post(viewer=request.uid, row_id=filter_status_id))


@endpoint("write:filters", returns=EmptyObject)
def delete_status(request: ApiRequest, filter_status_id: int) -> Any:
    """Remove a single post from a filter."""
    row = filter_by_post(viewer=request.uid, row_id=filter_status_id)
    unfilter_post(owner=request.uid, row_id=row.id)
    return EMPTY_OBJECT
