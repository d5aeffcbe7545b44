"""What one does not want to read, by words (https://docs.joinmastodon.org/methods/filters/)."""

from dataclasses import replace
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import IdField, Inputs
from feed.api.serializers.filters import (
    Filter,
    FilterKeyword,
    FilterStatus,
    serialize_filter,
    serialize_keyword,
)
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject
from feed.selectors.filters import filter_by_phrase, filters_of_viewer, viewer_filter
from feed.services.filters import create_filter, delete_filter, update_filter
from feed.store.filters import Phrase

from .filter_inputs import FilterCreateInputs, FilterUpdateInputs, KeywordInputs, expires_at
from .status_lookup import NotSupported


@endpoint("read:filters", returns=list[Filter])
def index(request: ApiRequest) -> Any:
    """All of one's own, also those that have ended."""
    return [serialize_filter(one) for one in filters_of_viewer(viewer=request.uid)]


@endpoint("read:filters", returns=Filter)
def show(request: ApiRequest, filter_id: int) -> Any:
    """One of one's own."""
    return serialize_filter(viewer_filter(viewer=request.uid, filter_id=filter_id))


@endpoint("write:filters", inputs=FilterCreateInputs, returns=Filter)
def create(request: ApiRequest) -> Any:
    """Make one: ``warn`` folds posts, ``hide`` leaves them out. It acts where posts of many are listed."""
    given = request.inputs
    wanted = given["keywords_attributes"]
    if any(one["id"] is not None for one in wanted):
        raise Http404("Nothing is there yet.")
    made = create_filter(
        owner=request.uid,
        title=given["title"],
        phrases=[one["keyword"] for one in wanted if not one["_destroy"]],
        has_warning=given.get("filter_action") != "hide",
        until=expires_at(given.get("expires_in")),
    )
    return show(request, made)


@endpoint("write:filters", inputs=FilterUpdateInputs, returns=Filter)
def update(request: ApiRequest, filter_id: int) -> Any:
    """Change it."""
    found, given = viewer_filter(viewer=request.uid, filter_id=filter_id), request.inputs
    phrases = {one.id: one for one in found.phrases}
    added = []
    for one in given["keywords_attributes"]:
        if one["id"] is None:
            added += [] if one["_destroy"] else [Phrase(0, one["keyword"])]
        elif one["id"] not in phrases:
            raise Http404("No such keyword.")
        elif one["_destroy"]:
            del phrases[one["id"]]
        elif one["keyword"]:
            phrases[one["id"]] = Phrase(one["id"], one["keyword"])
    action = given.get("filter_action")
    changed = replace(
        found,
        title=given["title"] or found.title,
        phrases=(*phrases.values(), *added),
        should_collapse=found.should_collapse if action is None else action != "hide",
        expires_at=expires_at(given["expires_in"]) if "expires_in" in given else found.expires_at,
    )
    update_filter(owner=request.uid, updated_filter=changed)
    return show(request, filter_id)


@endpoint("write:filters", returns=EmptyObject)
def delete(request: ApiRequest, filter_id: int) -> Any:
    """Delete it."""
    found = viewer_filter(viewer=request.uid, filter_id=filter_id)
    delete_filter(owner=request.uid, filter_id=found.id)
    return EMPTY_OBJECT


# --- Its phrases -------------------------------------------------------------------------------
@endpoint("read:filters", returns=list[FilterKeyword])
def index_keywords(request: ApiRequest, filter_id: int) -> Any:
    """The phrases that it looks for."""
    found = viewer_filter(viewer=request.uid, filter_id=filter_id)
    return [serialize_keyword(one) for one in found.phrases]


@endpoint("write:filters", inputs=KeywordInputs, returns=FilterKeyword)
def add_keyword(request: ApiRequest, filter_id: int) -> Any:
    """Have it look for another phrase."""
    found = viewer_filter(viewer=request.uid, filter_id=filter_id)
    phrases = (*found.phrases, Phrase(0, request.inputs["keyword"]))
    update_filter(owner=request.uid, updated_filter=replace(found, phrases=phrases))
    return index_keywords(request, filter_id)[-1]


@endpoint("read:filters", returns=FilterKeyword)
def show_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """One phrase."""
    _found, phrase = filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    return serialize_keyword(phrase)


@endpoint("write:filters", inputs=KeywordInputs, returns=FilterKeyword)
def update_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Have another phrase in its place."""
    found, phrase = filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    new = Phrase(phrase.id, request.inputs["keyword"])
    phrases = tuple(new if one.id == new.id else one for one in found.phrases)
    update_filter(owner=request.uid, updated_filter=replace(found, phrases=phrases))
    return serialize_keyword(new)


@endpoint("write:filters", returns=EmptyObject)
def delete_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Look for this phrase no more."""
    found, phrase = filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    phrases = tuple(one for one in found.phrases if one.id != phrase.id)
    update_filter(owner=request.uid, updated_filter=replace(found, phrases=phrases))
    return EMPTY_OBJECT


# --- Single posts, which are not filtered here --------------------------------------------------
class FilterStatusInputs(Inputs):
    status_id = IdField(required=True)


@endpoint("read:filters", returns=list[FilterStatus])
def index_statuses(request: ApiRequest, filter_id: int) -> Any:
    """Nothing: filters know words alone here."""
    viewer_filter(viewer=request.uid, filter_id=filter_id)
    return []


@endpoint("write:filters", inputs=FilterStatusInputs, returns=FilterStatus)
def add_status(request: ApiRequest, filter_id: int) -> Any:
    """Refused: filters know words alone here."""
    viewer_filter(viewer=request.uid, filter_id=filter_id)
    raise NotSupported(_("Filters know words here, not single posts."))


@endpoint("read:filters", returns=FilterStatus)
def show_status(request: ApiRequest, filter_status_id: int) -> Any:
    """Not found: filters know words alone here."""
    raise Http404("There are none.")


@endpoint("write:filters", returns=EmptyObject)
def delete_status(request: ApiRequest, filter_status_id: int) -> Any:
    """Not found: filters know words alone here."""
    raise Http404("There are none.")
