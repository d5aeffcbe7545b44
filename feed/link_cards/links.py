"""Which link of a post gets a card, and when the picture of a card is served.

``Post.link_card`` is one of:

* ``None``: the post gets no card.
* ``{url, due_at}``: the card is not fetched yet. The time, in seconds, is when a worker should try again.
* ``{url}``: the page has no data to show, or could not be fetched.
* ``{url, title, ...}``: a copy of the card, as in ``page_data.card_content``.
"""

import time
from urllib.parse import urlsplit

from django.conf import settings

from feed import picture_files
from feed.activities import Details
from feed.models import Post
from feed.store import link_cards
from feed.text.urls import urls_in, web_urls

RETRY_SECONDS = 120
"""When the next worker fetches a card whose task was lost."""


def new_link_card(*, post: Post, has_pictures: bool) -> Details | None:
    """Return the ``link_card`` of a new or edited post. A post that keeps its link keeps its card.

    Posts with pictures and polls show no card. For direct posts nothing is fetched: the request would tell
    the other site that somebody has sent this link in a message.
    """
    url = None
    if not (has_pictures or post.kind == "poll" or post.visibility == Post.Visibility.DIRECT):
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
