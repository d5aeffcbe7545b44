"""What one was told, with those of one thing in one group."""

from typing import Any

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Inputs, Page, endpoint
from accounts.paging import id_in
from feed.api.entities import EMPTY, Account, Nothing
from feed.api.entities import listed as listed_accounts
from notifications import selectors, services

from .entities import GroupedNotifications, groups_of, kinds_of
from .entities.groups import Group, groups_in
from .entities.notifications import GROUPED, actor_of
from .notifications import Count, Notifications, Types, Unread, kinds_asked, with_held

WINDOW = 3
"""Of so many times as many notifications as groups are wanted groups are made."""

UNGROUPED = "ungrouped-"


class Grouping(Inputs):
    grouped_types = Types()

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        given = super().validate(given)
        return {**given, "grouped_types": given["grouped_types"] or list(GROUPED)}


class Groups(Notifications, Grouping):
    expand_accounts = serializers.ChoiceField(
        choices=["full", "partial_avatars"], required=False, default="full"
    )


class UnreadGroups(Unread, Grouping):
    pass


@endpoint("read:notifications", takes=Groups, returns=GroupedNotifications)
def listed(request: ApiRequest) -> Any:
    """What one was told, the newest group first."""
    given = request.given
    window = {**request.window, "limit": WINDOW * given["limit"]}
    page = selectors.singles_page(
        reader=request.uid,
        kinds=kinds_asked(request),
        actor=given["account_id"],
        with_held=with_held(request),
        **window,
    )
    every = groups_in(told=page.notifications, grouped=given["grouped_types"])
    shown, older, newer, lowest = every, page.older, page.newer, 0
    if len(every) > given["limit"]:
        keys = list(every)
        if given["min_id"] is not None:
            shown = {key: every[key] for key in keys[-given["limit"] :]}
            newer = next(iter(shown.values()))[0].id
        else:
            shown = {key: every[key] for key in keys[: given["limit"]]}
            older = lowest = list(shown.values())[-1][0].id
    # Some apps go on below the ``page_min_id`` of the last group: what was cut off must be there.
    made = groups_of(groups=shown, reader=request.uid, is_page=True, lowest=lowest)
    if given["expand_accounts"] != "full":
        made["partial_accounts"] = []
    return Page(items=made, older=older, newer=newer)


@endpoint("read:notifications", takes=UnreadGroups, returns=Count)
def unread_count(request: ApiRequest) -> Any:
    """How many groups have something that one has not seen."""
    given = request.given
    found = selectors.unread_singles(
        reader=request.uid, kinds=kinds_asked(request), actor=given["account_id"]
    )
    groups = groups_in(told=found, grouped=given["grouped_types"])
    return {"count": min(len(groups), given["limit"])}


@endpoint("read:notifications", returns=GroupedNotifications)
def show(request: ApiRequest, key: str) -> Any:
    """One group."""
    return groups_of(groups={key: _found(request, key)}, reader=request.uid, is_page=False)


@endpoint("write:notifications", returns=Nothing)
def dismiss(request: ApiRequest, key: str) -> Any:
    """All of one group go; so it is with what is not there."""
    try:
        ids = [one.id for one in _found(request, key)]
    except Http404:
        return EMPTY
    if not services.dismiss(reader=request.uid, ids=ids):
        services.dismiss_old(reader=request.uid, ids=ids)
    return EMPTY


@endpoint("read:notifications", returns=list[Account])
def people(request: ApiRequest, key: str) -> Any:
    """Everybody who is in one group, the last first."""
    uids = dict.fromkeys(actor_of(one, reader=request.uid) for one in _found(request, key))
    return listed_accounts(uids=[*uids])


def _found(request: ApiRequest, key: str) -> Group:
    """Raises Http404 if there is no such group."""
    reader = request.uid
    if key.startswith(UNGROUPED):
        own = id_in(key.removeprefix(UNGROUPED))
        one = None if own is None else selectors.single(reader=reader, id=own)
        if one is not None and one.kind.app_type:
            return [one]
    # What is grouped is in the box; the history has none of it.
    items = selectors.items_in_box(reader=reader)
    kinds = kinds_of(types=GROUPED)
    told = selectors.singles(reader=reader, items=[one for one in items if one.kind in kinds])
    if found := groups_in(told=told).get(key):
        return found
    raise Http404("No such group.")
