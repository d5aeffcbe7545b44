"""What this site has beyond Mastodon: below ``/api/v1/socialsite/``."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Bounded, IdField, Page, Window, endpoint
from feed import selectors

from .entities import Status, statuses_of
from .entities.values import Id


class Delivery(TypedDict):
    """Of ``people`` followers ``reached`` have it. ``state``: pending, done or failed."""

    reached: int
    people: int
    state: str


class Run(TypedDict):
    """Posts and shares by one person in a row; the site shows ``folded`` behind "N more". ``caught_up``:
    what is above is new since the last visit, and this is not."""

    account_id: Id
    statuses: list[Status]
    folded: list[Status]
    caught_up: bool


class Home(TypedDict):
    """``unread``: how many are new since the last visit, on the first page; ``unread_is_exact``: false if
    there are more. ``older``, ``newer``: for ``max_id`` and ``min_id``. ``reason``: why it is empty."""

    runs: list[Run]
    unread: int | None
    unread_is_exact: bool
    position: Id | None
    being_built: bool
    reason: str
    older: Id | None
    newer: Id | None


class Quiet(Bounded):
    max_id = serializers.IntegerField(default=0, min_value=0, max_value=10_000)


class Unread(Bounded):
    min_id = IdField()


@endpoint("read:statuses", takes=Window, returns=Home, tag="socialsite")
def home(request: ApiRequest) -> Any:
    """Home with long runs of one person folded, and how much of it is new."""
    page = selectors.home_page(reader=request.uid, **request.window)
    known = {one["id"]: one for one in statuses_of(views=page.posts, viewer=request.uid)}
    return {
        "runs": [
            {
                "account_id": str(run.by.uid),
                "statuses": [known[one] for one in map(_id, run.posts) if one in known],
                "folded": [known[one] for one in map(_id, run.folded) if one in known],
                "caught_up": run.caught_up,
            }
            for run in page.runs()
        ],
        "unread": page.unread,
        "unread_is_exact": page.unread_is_exact,
        "position": None if page.position is None else str(page.position),
        "being_built": page.being_built,
        "reason": page.reason,
        "older": page.older,
        "newer": page.newer,
    }


def _id(one: selectors.PostView) -> str:
    return str(one.entry)


@endpoint("read:statuses", takes=Quiet, returns=list[Status], tag="socialsite")
def quiet(request: ApiRequest) -> Any:
    """The newest post of each followed person, of those first who write least. ``max_id``: how many came
    before."""
    after, limit = request.given["max_id"], request.given["limit"]
    page = selectors.quiet_page(reader=request.uid, limit=limit, after=after)
    newer = max(0, after - limit) if after else None
    return Page(statuses_of(views=page.posts, viewer=request.uid), older=page.older, newer=newer)


@endpoint("read:statuses", takes=Unread, returns=list[Status], tag="socialsite")
def unread(request: ApiRequest) -> Any:
    """What is new since the last visit, the oldest first; ``min_id`` goes on."""
    page = selectors.oldest_first_page(reader=request.uid, **request.given)
    items = statuses_of(views=page.posts, viewer=request.uid)
    return Page(items=items, newer=page.newer)


@endpoint("read:statuses", returns=Delivery, tag="socialsite")
def delivery(request: ApiRequest, status_id: int) -> Any:
    """How far one's own post is on its way to one's followers. Not found where nothing is brought."""
    found = selectors.delivery_progress(post_id=status_id, viewer=request.uid)
    if found is None:
        raise Http404("No such delivery.")
    return {"reached": found.reached, "people": found.people, "state": found.state}
