"""Link cards, one document per URL (decision 0023).

    link_cards {_id: url, content, fresh_until, claimed_until, attempts, used_at, old_pictures}

``content`` is what posts copy into ``link_card`` (``feed.link_cards``), {} if the page could not be
fetched. Until ``fresh_until``, the page is not fetched again. One worker at a time fetches a page: it holds
the claim until ``claimed_until``. ``attempts`` counts claims since the last result, so a page that kills
workers is given up. ``old_pictures`` are names of pictures whose files must still be deleted.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from pymongo import ASCENDING, ReturnDocument
from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document, session
from feed.models import Post
from feed.post_content import known_fields

from .collections import link_cards, posts

NEVER = datetime(1970, 1, 1, tzinfo=UTC)
BY_URL = "post_by_link_card"
HAS_URL: Document = {"link_card.url": {"$gt": ""}}
HAS_DUE: Document = {"link_card.due_at": {"$gt": 0}}
NOT_REMOVED: Document = {"hidden": {"$ne": Post.Hidden.REMOVED.value}}


@dataclass(frozen=True, slots=True)
class LinkCard:
    url: str
    content: Document
    attempts: int
    claimed_until: datetime
    old_pictures: list[str]
    used_at: datetime


def create_indexes() -> None:
    link_cards().create_index([("used_at", ASCENDING)])
    posts().create_index(
        [("link_card.url", ASCENDING)], partialFilterExpression=HAS_URL, name=BY_URL
    )
    posts().create_index(
        [("link_card.due_at", ASCENDING)],
        partialFilterExpression=HAS_DUE,
        name="post_link_card_due",
    )


def use_card(*, url: str, now: datetime) -> LinkCard | None:
    """Return the card of a URL if it is fresh, and record its use, so that no cleanup deletes it now."""
    return _card(
        link_cards().find_one_and_update(
            {"_id": url, "fresh_until": {"$gt": now}},
            {"$set": {"used_at": now}},
            return_document=ReturnDocument.AFTER,
        )
    )


def claim_card(*, url: str, now: datetime, until: datetime) -> LinkCard | None:
    """Claim the right to fetch a page. Return None if the card is fresh or another worker has the claim."""
    claim: Document = {
        "$set": {"claimed_until": until, "used_at": now},
        "$inc": {"attempts": 1},
        "$setOnInsert": {"fresh_until": NEVER, "content": {}, "old_pictures": []},
    }
    unclaimed = {"_id": url, "fresh_until": {"$lte": now}, "claimed_until": {"$lte": now}}
    try:
        return _card(
            link_cards().find_one_and_update(
                unclaimed, claim, upsert=True, return_document=ReturnDocument.AFTER
            )
        )
    except DuplicateKeyError:
        return None


def release_claim(*, card: LinkCard) -> None:
    """Give a claim back without a result. The next worker may try at once."""
    link_cards().update_one(
        {"_id": card.url, "claimed_until": card.claimed_until},
        {"$set": {"claimed_until": NEVER}, "$inc": {"attempts": -1}},
    )


def save_card(*, card: LinkCard, content: Document, fresh_until: datetime) -> bool:
    """Save the result of a claim. Return False if the claim has expired. Part of the transaction."""
    changes: Document = {
        "$set": {
            "content": content,
            "fresh_until": fresh_until,
            "claimed_until": NEVER,
            "attempts": 0,
        }
    }
    old, new = (name_of_picture(content=each) for each in (card.content, content))
    if old and old != new:
        changes["$addToSet"] = {"old_pictures": old}
    saved = link_cards().update_one(
        {"_id": card.url, "claimed_until": card.claimed_until}, changes, session=session()
    )
    return bool(saved.matched_count)


def name_of_picture(*, content: Document) -> str:
    """Return the name of the picture of a card, "" if it has none."""
    return str(content.get("picture", {}).get("name", ""))


def get_card(*, url: str) -> LinkCard | None:
    return _card(link_cards().find_one({"_id": url}))


def forget_old_pictures(*, url: str, names: Collection[str]) -> None:
    """Remove names from ``old_pictures``, after nothing refers to these pictures any more."""
    link_cards().update_one(
        {"_id": url}, {"$pull": {"old_pictures": {"$in": list(names)}}}, session=session()
    )


def copy_to_posts(*, card: LinkCard) -> None:
    """Update the copies in all posts with this URL, also in those that wait for the card. One command."""
    copy = {"url": card.url, **card.content}
    posts().update_many(
        {"link_card.url": card.url, "link_card": {"$ne": copy}}, {"$set": {"link_card": copy}}
    )


def due_link(*, post: int) -> tuple[int, str] | None:
    """Return the author, and the link whose card the post still needs. None while the post is hidden."""
    document = posts().find_one(
        {"_id": post, "hidden": "", **HAS_DUE}, {"author_id": 1, "link_card.url": 1}
    )
    if document is None:
        return None
    return document["author_id"], document["link_card"]["url"]


def due_posts(*, now: float, limit: int) -> list[int]:
    """Return the ids of visible posts that have waited for their card the longest. One command."""
    due = {"link_card.due_at": {"$gt": 0, "$lte": now}, "hidden": ""}
    documents = posts().find(due, {"_id": 1}).sort("link_card.due_at", ASCENDING).limit(limit)
    return [document["_id"] for document in documents]


def postpone(*, post: int, due_at: float, now: float | None = None) -> bool:
    """Set when the next worker tries. With ``now``, only if it is due, so that one caller gets True."""
    condition = HAS_DUE if now is None else {"link_card.due_at": {"$gt": 0, "$lte": now}}
    changed = posts().update_one({"_id": post, **condition}, {"$set": {"link_card.due_at": due_at}})
    return bool(changed.modified_count)


def cards_used_before(*, before: datetime, limit: int) -> list[LinkCard]:
    """Return the cards that nothing has used since ``before``, those used the longest ago first."""
    documents = link_cards().find({"used_at": {"$lt": before}}).sort("used_at", ASCENDING)
    return [card for document in documents.limit(limit) if (card := _card(document))]


def cards_of(*, urls: Collection[str]) -> list[LinkCard]:
    documents = link_cards().find({"_id": {"$in": list(urls)}})
    return [card for document in documents if (card := _card(document))]


def urls_in_posts(
    *, urls: Collection[str], except_author: int | None = None, only_shown: bool = False
) -> set[str]:
    """Return which of these URLs are the link of a post, except posts of this author. One command.

    ``only_shown``: True to ignore the posts that moderators have removed.
    """
    query: Document = {"link_card.url": {"$in": list(urls), "$gt": ""}}
    if only_shown:
        query |= NOT_REMOVED
    if except_author is not None:
        query["author_id"] = {"$ne": except_author}
    stages: list[Document] = [{"$match": query}, {"$group": {"_id": "$link_card.url"}}]
    documents = posts().aggregate(stages, hint=BY_URL)
    return {document["_id"] for document in documents}


def is_shown(*, url: str) -> bool:
    """Return whether the URL is the link of a post that moderators have not removed. One command."""
    return (
        posts().find_one({"link_card.url": url, **NOT_REMOVED}, {"_id": 1}, hint=BY_URL) is not None
    )


def keep_cards(*, urls: Collection[str], now: datetime) -> None:
    """Record that posts use these cards."""
    link_cards().update_many({"_id": {"$in": list(urls)}}, {"$set": {"used_at": now}})


def delete_card(*, card: LinkCard) -> bool:
    """Delete a card, unless something has used it since it was read. Part of the transaction."""
    deleted = link_cards().delete_one({"_id": card.url, "used_at": card.used_at}, session=session())
    return bool(deleted.deleted_count)


def insert_cards(*, contents: dict[str, Document], fresh_until: datetime, now: datetime) -> None:
    """Insert or replace cards that need no fetching, for the demo."""
    card = {"fresh_until": fresh_until, "claimed_until": NEVER, "attempts": 0, "used_at": now}
    for url, content in contents.items():
        document = {**card, "content": content, "old_pictures": []}
        link_cards().replace_one({"_id": url}, document, upsert=True)


def _card(document: Document | None) -> LinkCard | None:
    if document is None:
        return None
    return LinkCard(url=document["_id"], **known_fields(LinkCard, document))
