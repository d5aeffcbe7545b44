"""Atom feeds (RFC 4287) of the public posts of profiles and hashtags.

A feed is the same for all visitors and changes only if its entries change. If a client sends the ETag of
the unchanged feed, the response is 304 (Not Modified) and has no content.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page, require_safe

from accounts.brand.current import current_brand
from accounts.infra.cursors import PageBounds
from accounts.infra.ids.layout import EPOCH
from accounts.selectors.profiles import get_profile_or_404
from feed.selectors.link_previews import details_html
from feed.selectors.pictures import MediaView
from feed.selectors.post_pages import attribute_page, profile_page
from feed.selectors.post_view import PostView
from feed.text import renderer

from .tags import tag_key_or_404

MAX_TITLE_LENGTH = 80
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class AtomFeed(Atom1Feed):
    """An Atom feed whose entries contain the whole post in ``content``."""

    def add_item_elements(self, handler: Any, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("content", item["content"], {"type": "html"})

    def latest_post_date(self) -> datetime:
        """Return the newest date, or a fixed date if there are no entries.

        Django would use the current time for an empty feed, and the ETag would change on each request.
        """
        return super().latest_post_date() if self.items else EPOCH


@require_safe
@conditional_page
def profile_feed(request: HttpRequest, username: str) -> HttpResponse:
    profile = get_profile_or_404(username=username, viewer=None)
    if profile.user_card.username != username:
        return redirect("profile_feed", profile.user_card.username)
    if not profile.can_view_posts:
        raise Http404("This profile is not public.")
    page = profile_page(
        author=profile.user_card.uid, viewer=None, bounds=PageBounds(limit=settings.FEED_PAGE_SIZE)
    )
    return _feed(
        title=f"{profile.user_card.display_name} (@{profile.user_card.username})",
        page_path=profile.user_card.url,
        path=reverse("profile_feed", args=[profile.user_card.username]),
        name=f"person/{profile.user_card.uid}",
        posts=page.posts,
    )


@require_safe
@conditional_page
def tag_feed(request: HttpRequest, tag: str) -> HttpResponse:
    key = tag_key_or_404(tag)
    if key != tag:
        return redirect("tag_feed", key)
    page = attribute_page(
        kind="hashtag", value=key, viewer=None, bounds=PageBounds(limit=settings.FEED_PAGE_SIZE)
    )
    path = renderer.tag_path(key)
    return _feed(
        title=f"#{key}",
        page_path=path,
        path=reverse("tag_feed", args=[key]),
        name=path.strip("/"),
        posts=page.posts,
    )


def _feed(
    *, title: str, page_path: str, path: str, name: str, posts: Iterable[PostView]
) -> HttpResponse:
    feed = AtomFeed(
        title=_xml(title),
        subtitle=_("Posts on %(site)s") % {"site": current_brand().name},
        description="",
        link=settings.SITE_URL + page_path,
        feed_url=settings.SITE_URL + path,
        feed_guid=_uri(name),
        language=settings.LANGUAGE_CODE,
    )
    for post in posts:
        feed.add_item(
            title=_title(post),
            link=settings.SITE_URL + post.url,
            description=cast(
                "str", None
            ),  # the entry needs no summary, because its content is complete
            content=_content(post),
            author_name=_xml(post.author.display_name),
            author_link=settings.SITE_URL + post.author.url,
            pubdate=post.created_at,
            updateddate=post.edited_at or post.created_at,
            unique_id=_uri(f"post/{post.entry_id}"),
        )
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)


def _uri(name: str) -> str:
    """Return a tag URI (RFC 4151) as a permanent id. Unlike a URL, it survives a rename of the user."""
    return f"tag:{urlsplit(settings.SITE_URL).hostname},{EPOCH.astimezone(UTC).year}:{name}"


def _title(post: PostView) -> str:
    excerpt = Truncator(" ".join(_xml(post.excerpt).split())).chars(MAX_TITLE_LENGTH)
    if post.shared_by is None:
        return excerpt
    title = _("%(name)s shared: %(text)s")
    if post.source_kind == "comment":
        title = _("%(name)s commented: %(text)s")
    return title % {"name": _xml(post.shared_by.display_name), "text": excerpt}


def _content(post: PostView) -> str:
    text = "\n".join(filter(None, (post.details_text, post.text)))
    html = renderer.to_html(text=_xml(text), dotted_usernames=post.mentioned_usernames)
    html += _xml(details_html(post=post)) + "".join(map(_picture, post.media))
    if post.quote and post.quote.post:
        quoted_url = escape(post.quote.post.url)
        html += f'<p><a href="{quoted_url}">{escape(_("Quoted post"))}</a></p>'
    if post.content_warning:
        html = f"<details><summary>{escape(_xml(post.content_warning))}</summary>{html}</details>"
    # Links in a feed must be absolute. The replacement cannot change the author's text, because quotes in
    # the text are escaped.
    return html.replace('href="/', f'href="{escape(settings.SITE_URL)}/')


def _picture(picture: MediaView) -> str:
    alt, html = escape(_xml(picture.alt)), ""
    if picture.has_picture:
        html = f'<p><img src="{escape(settings.SITE_URL + picture.small_url)}" alt="{alt}"></p>'
    if picture.is_clip:
        label = _("Play the video") if picture.kind == "video" else _("Play the audio")
        html += f'<p><a href="{escape(picture.clip_url)}">{label}</a></p>'
        html += f"<p>{alt}</p>" if alt and picture.kind == "audio" else ""
    return html


def _xml(text: str) -> str:
    """Return the text without characters that XML forbids."""
    return _NOT_XML.sub("", text)
