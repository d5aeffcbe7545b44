"""Filters as clients before Mastodon 4.0 know them: each is one phrase."""

from dataclasses import replace
from typing import Any

from accounts.api import ApiRequest, endpoint
from feed import selectors, services
from feed.selectors import Phrase

from .entities import EMPTY, Nothing, V1Filter, v1_filter
from .filter_inputs import V1ChangedFilter, V1NewFilter, until


@endpoint("read:filters", returns=list[V1Filter], tag="filters")
def several(request: ApiRequest) -> Any:
    """All of one's own, each phrase for itself."""
    return [
        v1_filter(one, phrase)
        for one in selectors.filters_of(reader=request.uid)
        for phrase in one.phrases
    ]


@endpoint("read:filters", returns=V1Filter, tag="filters")
def show(request: ApiRequest, phrase_id: int) -> Any:
    """One phrase."""
    return v1_filter(*selectors.filter_with(reader=request.uid, phrase_id=phrase_id))


@endpoint("write:filters", takes=V1NewFilter, returns=V1Filter, tag="filters")
def create(request: ApiRequest) -> Any:
    """Fold posts with this phrase or, ``irreversible``, leave them out."""
    given = request.given
    made = services.make_filter(
        reader=request.uid,
        title=given["phrase"],
        phrases=[given["phrase"]],
        folds=not given.get("irreversible", False),
        until=until(given.get("expires_in")),
    )
    found = selectors.filter_of(reader=request.uid, filter_id=made)
    return v1_filter(found, found.phrases[0])


@endpoint("write:filters", takes=V1ChangedFilter, returns=V1Filter, tag="filters")
def change(request: ApiRequest, phrase_id: int) -> Any:
    """Change the phrase, and what happens to all posts that its filter finds."""
    found, phrase = selectors.filter_with(reader=request.uid, phrase_id=phrase_id)
    given = request.given
    new = Phrase(phrase.id, given["phrase"] or phrase.text)
    changed = replace(
        found,
        phrases=tuple(new if one.id == new.id else one for one in found.phrases),
        folds=not given["irreversible"] if "irreversible" in given else found.folds,
        until=until(given["expires_in"]) if "expires_in" in given else found.until,
    )
    services.change_filter(reader=request.uid, changed=changed)
    return v1_filter(changed, new)


@endpoint("write:filters", returns=Nothing, tag="filters")
def delete(request: ApiRequest, phrase_id: int) -> Any:
    """Look for it no more; with its last phrase a filter goes."""
    found, phrase = selectors.filter_with(reader=request.uid, phrase_id=phrase_id)
    phrases = tuple(one for one in found.phrases if one.id != phrase.id)
    if phrases:
        services.change_filter(reader=request.uid, changed=replace(found, phrases=phrases))
    else:
        services.remove_filter(reader=request.uid, filter_id=found.id)
    return EMPTY
