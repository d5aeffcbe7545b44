"""Filters for clients written before Mastodon 4.0, which expect one phrase per filter."""

from dataclasses import replace
from typing import Any

from feed.selectors.filters import filter_by_phrase, filters_of_viewer, viewer_filter
from feed.services.filters import create_filter, delete_filter, update_filter

from .filter_inputs import V1FilterCreateInputs, V1FilterUpdateInputs, changed_phrase, expires_at
from .plumbing.endpoints import ApiRequest, endpoint
from .serializers.filters import V1Filter, serialize_v1_filter
from .serializers.values import EMPTY_OBJECT, EmptyObject


@endpoint("read:filters", returns=list[V1Filter], tag="filters")
def index(request: ApiRequest) -> Any:
    """Return the caller's filters. Each phrase of a filter is returned as a separate filter."""
    return [
        serialize_v1_filter(user_filter, phrase)
        for user_filter in filters_of_viewer(viewer=request.uid)
        for phrase in user_filter.phrases
    ]


@endpoint("read:filters", returns=V1Filter, tag="filters")
def show(request: ApiRequest, phrase_id: int) -> Any:
    """Return a filter phrase."""
    return serialize_v1_filter(*filter_by_phrase(viewer=request.uid, phrase_id=phrase_id))


@endpoint("write:filters", inputs=V1FilterCreateInputs, returns=V1Filter, tag="filters")
def create(request: ApiRequest) -> Any:
    """Create a filter that collapses posts with the phrase or, if ``irreversible``, hides the posts."""
    inputs = request.inputs
    filter_id = create_filter(
        owner=request.uid,
        title=inputs["phrase"],
        phrases=[changed_phrase(inputs, text=inputs["phrase"])],
        has_warning=not inputs.get("irreversible", False),
        until=expires_at(inputs.get("expires_in")),
    )
    user_filter = viewer_filter(viewer=request.uid, filter_id=filter_id)
    return serialize_v1_filter(user_filter, user_filter.phrases[0])


@endpoint("write:filters", inputs=V1FilterUpdateInputs, returns=V1Filter, tag="filters")
def update(request: ApiRequest, phrase_id: int) -> Any:
    """Change a phrase. ``irreversible`` and ``expires_in`` change all phrases of the same filter."""
    user_filter, phrase = filter_by_phrase(viewer=request.uid, phrase_id=phrase_id)
    inputs = request.inputs
    new_phrase = changed_phrase(inputs, text=inputs["phrase"], phrase=phrase)
    updated_filter = replace(
        user_filter,
        phrases=tuple(
            new_phrase if old.id == new_phrase.id else old for old in user_filter.phrases
        ),
        should_collapse=not inputs["irreversible"]
        if "irreversible" in inputs
        else user_filter.should_collapse,
        expires_at=expires_at(inputs["expires_in"])
        if "expires_in" in inputs
        else user_filter.expires_at,
    )
    update_filter(owner=request.uid, updated_filter=updated_filter)
    return serialize_v1_filter(updated_filter, new_phrase)


@endpoint("write:filters", returns=EmptyObject, tag="filters")
def delete(request: ApiRequest, phrase_id: int) -> Any:
    """Delete a phrase. Deleting the last phrase deletes its filter, unless it contains single posts."""
    user_filter, phrase = filter_by_phrase(viewer=request.uid, phrase_id=phrase_id)
    phrases = tuple(other for other in user_filter.phrases if other.id != phrase.id)
    if phrases or user_filter.posts:
        update_filter(owner=request.uid, updated_filter=replace(user_filter, phrases=phrases))
    else:
        delete_filter(owner=request.uid, filter_id=user_filter.id)
    return EMPTY_OBJECT
