"""What one does not want to read, by words (https://docs.joinmastodon.org/methods/filters/)."""

from dataclasses import replace
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.api import ApiRequest, Inputs, endpoint
from accounts.api.inputs import IdField
from feed import selectors, services
from feed.selectors import Phrase

from .entities import (
    EMPTY,
    Filter,
    FilterKeyword,
    FilterStatus,
    Nothing,
    filter_json,
    keyword,
)
from .filter_inputs import ChangedFilter, Keyword, NewFilter, until
from .found import NotHere


@endpoint("read:filters", returns=list[Filter])
def several(request: ApiRequest) -> Any:
    """All of one's own, also those that have ended."""
    return [filter_json(one) for one in selectors.filters_of(reader=request.uid)]


@endpoint("read:filters", returns=Filter)
def show(request: ApiRequest, filter_id: int) -> Any:
    """One of one's own."""
    return filter_json(selectors.filter_of(reader=request.uid, filter_id=filter_id))


@endpoint("write:filters", takes=NewFilter, returns=Filter)
def create(request: ApiRequest) -> Any:
    """Make one: ``warn`` folds posts, ``hide`` leaves them out. It acts where posts of many are listed."""
    given = request.given
    wanted = given["keywords_attributes"]
    if any(one["id"] is not None for one in wanted):
        raise Http404("Nothing is there yet.")
    made = services.make_filter(
        reader=request.uid,
        title=given["title"],
        phrases=[one["keyword"] for one in wanted if not one["_destroy"]],
        folds=given.get("filter_action") != "hide",
        until=until(given.get("expires_in")),
    )
    return show(request, made)


@endpoint("write:filters", takes=ChangedFilter, returns=Filter)
def change(request: ApiRequest, filter_id: int) -> Any:
    """Change it."""
    found, given = selectors.filter_of(reader=request.uid, filter_id=filter_id), request.given
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
        folds=found.folds if action is None else action != "hide",
        until=until(given["expires_in"]) if "expires_in" in given else found.until,
    )
    services.change_filter(reader=request.uid, changed=changed)
    return show(request, filter_id)


@endpoint("write:filters", returns=Nothing)
def delete(request: ApiRequest, filter_id: int) -> Any:
    """Delete it."""
    found = selectors.filter_of(reader=request.uid, filter_id=filter_id)
    services.remove_filter(reader=request.uid, filter_id=found.id)
    return EMPTY


# --- Its phrases -------------------------------------------------------------------------------
@endpoint("read:filters", returns=list[FilterKeyword])
def keywords(request: ApiRequest, filter_id: int) -> Any:
    """The phrases that it looks for."""
    found = selectors.filter_of(reader=request.uid, filter_id=filter_id)
    return [keyword(one) for one in found.phrases]


@endpoint("write:filters", takes=Keyword, returns=FilterKeyword)
def add_keyword(request: ApiRequest, filter_id: int) -> Any:
    """Have it look for another phrase."""
    found = selectors.filter_of(reader=request.uid, filter_id=filter_id)
    phrases = (*found.phrases, Phrase(0, request.given["keyword"]))
    services.change_filter(reader=request.uid, changed=replace(found, phrases=phrases))
    return keywords(request, filter_id)[-1]


@endpoint("read:filters", returns=FilterKeyword)
def show_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """One phrase."""
    _found, phrase = selectors.filter_with(reader=request.uid, phrase_id=keyword_id)
    return keyword(phrase)


@endpoint("write:filters", takes=Keyword, returns=FilterKeyword)
def change_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Have another phrase in its place."""
    found, phrase = selectors.filter_with(reader=request.uid, phrase_id=keyword_id)
    new = Phrase(phrase.id, request.given["keyword"])
    phrases = tuple(new if one.id == new.id else one for one in found.phrases)
    services.change_filter(reader=request.uid, changed=replace(found, phrases=phrases))
    return keyword(new)


@endpoint("write:filters", returns=Nothing)
def delete_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Look for this phrase no more."""
    found, phrase = selectors.filter_with(reader=request.uid, phrase_id=keyword_id)
    phrases = tuple(one for one in found.phrases if one.id != phrase.id)
    services.change_filter(reader=request.uid, changed=replace(found, phrases=phrases))
    return EMPTY


# --- Single posts, which are not filtered here --------------------------------------------------
class Filtered(Inputs):
    status_id = IdField(required=True)


@endpoint("read:filters", returns=list[FilterStatus])
def statuses(request: ApiRequest, filter_id: int) -> Any:
    """Nothing: filters know words alone here."""
    selectors.filter_of(reader=request.uid, filter_id=filter_id)
    return []


@endpoint("write:filters", takes=Filtered, returns=FilterStatus)
def add_status(request: ApiRequest, filter_id: int) -> Any:
    """Refused: filters know words alone here."""
    selectors.filter_of(reader=request.uid, filter_id=filter_id)
    raise NotHere(_("Filters know words here, not single posts."))


@endpoint("read:filters", returns=FilterStatus)
def show_status(request: ApiRequest, filter_status_id: int) -> Any:
    """Not found: filters know words alone here."""
    raise Http404("There are none.")


@endpoint("write:filters", returns=Nothing)
def delete_status(request: ApiRequest, filter_status_id: int) -> Any:
    """Not found: filters know words alone here."""
    raise Http404("There are none.")
