"""Choose the links that get a card, fetch the cards that posts wait for, and delete unused cards.

``Post.link_card`` is one of:

* ``None``: the post gets no card.
* ``{url, due_at}``: the card is not fetched yet. The time, in seconds, is when a worker should try again.
* ``{url}``: the page has no data to show, or could not be fetched.
* ``{url, title, ...}``: a copy of the card, as in ``page_data.card_content``.

A worker may die anywhere. While a post waits, it has ``link_card.due_at``, so the next worker tries again.
A page is fetched once, however many posts link to it: the worker that has the claim updates all of them.
"""

import io
import time
from collections.abc import Collection
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone
from PIL import Image

from accounts.infra import pictures, rate_limits
from accounts.infra.transactions import transactional
from accounts.infra.web_pages.fetcher import FetchFailed, fetch
from accounts.infra.web_pages.html_tags import decode_html, tags_in
from feed import picture_files
from feed.activities import Details, activity_kind
from feed.models import Picture, Post
from feed.store import link_cards
from feed.store.link_cards import LinkCard
from feed.text.urls import urls_in, web_urls

from .page_data import PageData, read_page_data

RETRY_SECONDS = 120
"""When the next worker fetches a card whose task was lost."""

HTML_TYPES = ("text/html", "application/xhtml+xml")
PICTURE_TYPES = ("image/jpeg", "image/png", "image/webp", "image/gif")
MAX_PAGE_BYTES = 1_000_000
MAX_PICTURE_BYTES = 5_000_000
PICTURE_SIDE = 1024
MIN_PICTURE_SIDE = 48
"""Smaller pictures are logos or count readers."""

CLAIM_DURATION = timedelta(seconds=90)
"""Longer than two downloads and a decoder that is busy."""

MAX_ATTEMPTS = 3
FRESH_DURATION = timedelta(days=7)
FAILURE_DURATION = timedelta(hours=6)
"""How long a page is not fetched again after a success and after a failure."""

UNUSED_DURATION = timedelta(days=1)
CLEANUP_BATCH_SIZE = 500


def new_link_card(*, post: Post, has_pictures: bool) -> Details | None:
    """Return the ``link_card`` of a new or edited post. A post that keeps its link keeps its card.

    Posts with pictures and polls show no card. For direct posts nothing is fetched: the request would tell
    the other site that somebody has sent this link in a message.
    """
    url = None
    if not (
        has_pictures
        or activity_kind(post.kind).takes_answers
        or post.visibility == Post.Visibility.DIRECT
    ):
        url = first_link(kind=post.kind, details=post.details or {}, text=post.text)
    before = post.link_card or {}
    if url is None:
        return None
    if url == before.get("url"):
        return post.link_card
    return {"url": url, "due_at": time.time() + RETRY_SECONDS} if settings.FETCH_LINKS else None


def first_link(*, kind: str, details: Details, text: str) -> str | None:
    """Return the first link of a post to another site, as the key of its card, or None."""
    own_host = urlsplit(settings.SITE_URL).hostname
    addresses = [details["url"]] if kind == "link" else []
    addresses += (span.value for span in urls_in(text))
    return next((str(url) for url in web_urls(addresses) if url.host != own_host), None)


def sync_picture(*, card: Details) -> None:
    """Hide or restore the files of a card's picture. Safe to repeat. One command, two if it is hidden.

    ``card``: the card as in ``Post.link_card``.
    """
    if "picture" not in card:
        return
    media = [card["picture"]]
    if not link_cards.is_shown(url=card["url"]):
        picture_files.hide_pictures(media=media)
        if not link_cards.is_shown(url=card["url"]):
            return
        # Meanwhile, another process restored or published a post with this card.
    picture_files.restore_pictures(media=media)


def fetch_for_post(*, post_id: int) -> None:
    """Fetch the card that a post waits for, unless a fresh card is stored. Safe to repeat."""
    due = link_cards.due_link(post=post_id)
    if due is None or not settings.FETCH_LINKS:
        return
    author, url = due
    now = timezone.now()
    card = link_cards.use_card(url=url, now=now)
    if card is None:
        card = link_cards.claim_card(url=url, now=now, until=now + CLAIM_DURATION)
        if card is None:
            # Another worker fetches the page, and then updates this post, too.
            link_cards.postpone(post=post_id, due_at=time.time() + RETRY_SECONDS)
            return
        try:
            with rate_limits.limited_fetch(uid=author, url=url):
                content = _fetch_content(card) if card.attempts <= MAX_ATTEMPTS else None
                duration = FRESH_DURATION if content else FAILURE_DURATION
                # After a failure, an older card stays.
                _save_card(card, content or card.content, now + duration)
        except rate_limits.RateLimited as error:
            link_cards.release_claim(card=card)
            link_cards.postpone(post=post_id, due_at=time.time() + error.retry_after)
            return
    _finish(url)


def _fetch_content(card: LinkCard) -> Details | None:
    try:
        page = fetch(url=card.url, content_types=HTML_TYPES, max_bytes=MAX_PAGE_BYTES)
    except FetchFailed:
        return None
    data = read_page_data(tags=tags_in(decode_html(page=page)), url=page.url)
    if not data.title:
        return None
    content = data.card_content()
    if data.picture_url and (picture := _fetch_picture(data)):
        content["picture"] = picture
    return content


def _fetch_picture(data: PageData) -> Details | None:
    """Download and store the picture of a page. It belongs to no card yet, so it may expire."""
    try:
        download = fetch(
            url=data.picture_url, content_types=PICTURE_TYPES, max_bytes=MAX_PICTURE_BYTES
        )
        if not download.is_complete:
            return None
        with pictures.exclusive_decoder(should_wait=True):
            decoded = pictures.decode_picture(
                upload=io.BytesIO(download.content), min_side=PICTURE_SIDE
            )
            if min(decoded.size) < MIN_PICTURE_SIDE:
                return None
            decoded.thumbnail((PICTURE_SIDE, PICTURE_SIDE), Image.Resampling.LANCZOS)
            upload = picture_files.encode_sizes(picture=decoded)
    except (FetchFailed, pictures.BadPicture):
        return None
    stored = picture_files.store_upload(owner=Picture.SITE, upload=upload)
    return picture_entry(picture=stored, alt=data.picture_text)


def picture_entry(*, picture: Picture, alt: str) -> Details:
    """Return a stored picture as ``picture`` of the content of a card."""
    size = {"width": picture.width, "height": picture.height}
    return {"name": picture.name, **size, **({"alt": alt} if alt else {})}


@transactional()
def _save_card(card: LinkCard, content: Details, fresh_until: datetime) -> None:
    """Save a card together with the mark that keeps its picture. Without the claim, nothing is saved."""
    if link_cards.save_card(card=card, content=content, fresh_until=fresh_until):
        name = link_cards.name_of_picture(content=content)
        if name and name != link_cards.name_of_picture(content=card.content):
            Picture.objects.filter(name=name).update(post=Picture.LINK_CARD)


def _finish(url: str) -> None:
    """Copy a card to its posts, then delete the pictures that it no longer has."""
    card = link_cards.get_card(url=url)
    if card is None:
        return
    # A post that has its card is not handled again, so copy the card last.
    sync_picture(card={"url": url, **card.content})
    link_cards.copy_to_posts(card=card)
    if card.old_pictures:
        _discard_pictures(card.old_pictures)
        link_cards.forget_old_pictures(url=url, names=card.old_pictures)


def _discard_pictures(names: Collection[str]) -> None:
    """Mark pictures whose files ``tasks.clean_up_pictures`` then deletes."""
    Picture.objects.filter(name__in=list(names)).update(post=Picture.DELETED_POST)


def delete_unused(*, now: datetime) -> bool:
    """Delete cards without posts, of a batch of cards. Return False if no card is left to examine."""
    cards = link_cards.cards_used_before(before=now - UNUSED_DURATION, limit=CLEANUP_BATCH_SIZE)
    used = _delete_unused_among(cards)
    link_cards.keep_cards(urls=used, now=now)
    # The process that deleted or edited the last visible post may have died before it hid the picture.
    shown = link_cards.urls_in_posts(urls=used, only_shown=True)
    for card in cards:
        if card.url in used - shown:
            sync_picture(card={"url": card.url, **card.content})
    return bool(cards)


def delete_cards_only_of(*, author: int, urls: Collection[str]) -> None:
    """Delete the cards of those URLs that no other author has posted, because the author is erased."""
    _delete_unused_among(link_cards.cards_of(urls=urls), except_author=author)


def _delete_unused_among(
    cards: Collection[LinkCard], *, except_author: int | None = None
) -> set[str]:
    """Delete the cards that no post uses, except posts of this author. Return the URLs of the others."""
    if not cards:
        return set()
    urls = [card.url for card in cards]
    used = link_cards.urls_in_posts(urls=urls, except_author=except_author)
    for card in cards:
        if card.url not in used:
            _delete_card(card)
    return used


@transactional()
def _delete_card(card: LinkCard) -> None:
    if link_cards.delete_card(card=card):
        name = link_cards.name_of_picture(content=card.content)
        _discard_pictures([*card.old_pictures, *filter(None, [name])])
