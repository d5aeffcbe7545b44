"""Filters as clients before Mastodon 4.0 know them: each is one phrase."""

from dataclasses import replace
from typing import Any

from accounts.infra.api.endpoints import ApiRequest, endpoint
from feed.api.serializers.filters import V1Filter, serialize_v1_filter
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject
from feed.selectors.filters import filter_by_phrase, filters_of_viewer, viewer_filter
from feed.services.filters import create_filter, delete_filter, update_filter
from feed.store.filters import Phrase

from .filter_inputs import V1FilterCreateInputs, V1FilterUpdateInputs, expires_at


@endpoint("read:filters", returns=list[V1Filter], tag="filters")
def index(request: ApiRequest) -> Any:
    """All of one's own, each phrase for itself."""
    return [
        serialize_v1_filter(one, phrase)
        for one in filters_of_viewer(viewer=request.uid)
        for phrase in one.phrases
    ]


@endpoint("read:filters", returns=V1Filter, tag="filters")
def show(request: ApiRequest, phrase_id: int) -> Any:
    """One phrase."""
    return serialize_v1_filter(*filter_by_phrase(viewer=request.uid, phrase_id=phrase_id))


@endpoint("write:filters", inputs=V1FilterCreateInputs, returns=V1Filter, tag="filters")
def create(request: ApiRequest) -> Any:
    """Fold posts with this phrase or, ``irreversible``, leave them out."""
    given = request.inputs
    made = create_filter(
        owner=request.uid,
        title=given["phrase"],
        phrases=[given["phrase"]],
        has_warning=not given.get("irreversible", False),
        until=expires_at(given.get("expires_in")),
    )
    found = viewer_filter(viewer=request.uid, filter_id=made)
    return serialize_v1_filter(found, found.phrases[0])


@endpoint("write:filters", inputs=V1FilterUpdateInputs, returns=V1Filter, tag="filters")
def update(request: ApiRequest, phrase_id: int) -> Any:
    """Change the phrase, and what happens to all posts that its filter finds."""
    found, phrase = filter_by_phrase(viewer=request.uid, phrase_id=phrase_id)
    given = request.inputs
    new = Phrase(phrase.id, given["phrase"] or phrase.text)
    changed = replace(
        found,
        phrases=tuple(new if one.id == new.id else one for one in found.phrases),
        should_collapse=not given["irreversible"]
        if "irreversible" in given
        else found.should_collapse,
        expires_at=expires_at(given["expires_in"]) if "expires_in" in given else found.expires_at,
    )
    update_filter(owner=request.uid, updated_filter=changed)
    return serialize_v1_filter(changed, new)


@endpoint("write:filters", returns=EmptyObject, tag="filters")
def delete(request: ApiRequest, phrase_id: int) -> Any:
    """Look for it no more; with its last phrase a filter goes."""
    found, phrase = filter_by_phrase(viewer=request.uid, phrase_id=phrase_id)
    phrases = tuple(one for one in found.phrases if one.id != phrase.id)
    if phrases:
        update_filter(owner=request.uid, updated_filter=replace(found, phrases=phrases))
    else:
        delete_filter(owner=request.uid, filter_id=found.id)
    return EMPTY_OBJECT
