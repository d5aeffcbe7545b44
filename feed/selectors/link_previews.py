"""Link previews, structured data and oEmbed: descriptions of pages for other sites and search engines.

Only public posts of public accounts and public profiles have a preview. It never contains text or pictures
behind a content warning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from accounts.infra.cursors import parse_id
from accounts.selectors.profiles import Profile
from accounts.user_cards import UserCard
from feed.text import renderer

from .pictures import MediaView
from .post_view import PostView
from .visible_posts import visible_post

MAX_DESCRIPTION_LENGTH = 300
OEMBED_PATH = "/api/oembed"

INTERACTIONS = (("LikeAction", "likes"), ("CommentAction", "comments"), ("ShareAction", "shares"))


@dataclass(frozen=True, slots=True)
class LinkPreview:
    """The content of Open Graph tags, Twitter cards and structured data.

    Attributes:
        image: the absolute URL of a picture, "" if there is none.
        is_large: whether the picture belongs to the post. Otherwise it is the author's avatar.
        structured_data: JSON-LD (https://schema.org), None for posts behind a content warning.
        oembed_url: the URL of the oEmbed response, "" for profiles.
    """

    kind: str
    url: str
    title: str
    description: str
    image: str
    image_alt: str
    is_large: bool
    structured_data: dict[str, Any] | None
    oembed_url: str = ""


def post_preview(*, post: PostView) -> LinkPreview | None:
    """Return the preview of a post, or None unless everybody may read the post."""
    if not is_public(post=post):
        return None
    url = settings.SITE_URL + post.url
    shown = () if post.content_warning else post.media
    pictures = [picture for picture in shown if picture.has_picture]
    choices = post.activity.version_lines(post.row.details)
    text = "\n".join(filter(None, (post.details_text, post.text, *choices)))
    return LinkPreview(
        kind="article",
        url=url,
        title=f"{post.author.display_name} (@{post.author.username})",
        description=_shortened(post.content_warning or text or post.excerpt),
        image=settings.SITE_URL
        + (pictures[0].large_url if pictures else post.author.bitmap_avatar_url),
        image_alt=pictures[0].alt if pictures else "",
        is_large=bool(pictures),
        structured_data=None if post.content_warning else _post_data(post, pictures, text),
        oembed_url=f"{settings.SITE_URL}{OEMBED_PATH}?{urlencode({'url': url})}",
    )


def profile_preview(*, profile: Profile) -> LinkPreview | None:
    """Return the preview of a profile, or None unless everybody may read its posts."""
    card = profile.user_card
    if card.is_private or card.is_limited:
        return None
    return LinkPreview(
        kind="profile",
        url=settings.SITE_URL + card.url,
        title=f"{card.display_name} (@{card.username})",
        description=_shortened(profile.bio),
        image=settings.SITE_URL + card.bitmap_avatar_url,
        image_alt="",
        is_large=False,
        structured_data={
            "@context": "https://schema.org",
            "@type": "ProfilePage",
            "dateCreated": profile.joined_at.isoformat(),
            "mainEntity": _person(card)
            | {
                "description": profile.bio,
                "interactionStatistic": [_count("FollowAction", profile.follower_count)],
            },
        },
    )


def is_public(*, post: PostView) -> bool:
    """Return whether everybody may read the post and find it."""
    is_open = not (post.author.is_private or post.author.is_limited or post.is_pending_review)
    return is_open and post.visibility == "public"


def is_indexable(*, post: PostView) -> bool:
    """Return whether search engines may list the page of the post."""
    return is_public(post=post) and post.author.is_indexable


def public_post_at(*, path: str) -> PostView | None:
    """Return the public post at a path of this site, or None if there is none."""
    parts = path.strip("/").split("/")
    post_id = parse_id(parts[1]) if len(parts) == 2 and parts[0].startswith("@") else None
    if post_id is None:
        return None
    post = visible_post(post_id=post_id, viewer=None)
    return post if is_public(post=post) else None


def details_html(*, post: PostView) -> SafeString:
    """Return the choices of a poll and the like as a list for other sites, which show no answers."""
    lines = post.activity.version_lines(post.row.details)
    items = format_html_join("", "<li>{}</li>", ((line,) for line in lines))
    return format_html("<ul>{}</ul>", items) if items else items


def embed_html(*, post: PostView) -> SafeString:
    """Return the post as a quote for other sites, without scripts. Content warnings hide text."""
    text = SafeString()
    if post.content_warning:
        text = format_html("{}", post.content_warning)
    elif post.text or post.details_text:
        words = "\n".join(filter(None, (post.details_text, post.text)))
        html = renderer.to_html(text=words, dotted_usernames=post.mentioned_usernames)
        html = html.replace('href="/', f'href="{settings.SITE_URL}/')
        text = mark_safe(html) + details_html(post=post)  # noqa: S308 - to_html escapes the text
    if post.quote and post.quote.post and not post.content_warning:
        quoted_url = settings.SITE_URL + post.quote.post.url
        link = format_html('<p><a href="{}">{}</a></p>', quoted_url, _("Quoted post"))
        text = text + link
    return format_html(
        '<blockquote cite="{url}"><div>{text}</div><footer>'
        '<a href="{author_url}">{name} (@{username})</a> · '
        '<a href="{url}"><time datetime="{iso}">{date}</time></a></footer></blockquote>',
        url=settings.SITE_URL + post.url,
        text=text,
        author_url=settings.SITE_URL + post.author.url,
        name=post.author.display_name,
        username=post.author.username,
        iso=post.created_at.isoformat(),
        date=f"{post.created_at:%Y-%m-%d}",
    )


def _post_data(post: PostView, pictures: Sequence[MediaView], text: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "url": settings.SITE_URL + post.url,
        "headline": _shortened(post.excerpt, length=110),
        "text": text,
        "datePublished": post.created_at.isoformat(),
        "author": _person(post.author),
        "interactionStatistic": [
            _count(action, getattr(post.row, field)) for action, field in INTERACTIONS
        ],
    }
    if post.edited_at:
        data["dateModified"] = post.edited_at.isoformat()
    if pictures:
        data["image"] = [settings.SITE_URL + picture.large_url for picture in pictures]
    return data


def _person(card: UserCard) -> dict[str, Any]:
    return {
        "@type": "Person",
        "name": card.display_name,
        "alternateName": f"@{card.username}",
        "url": settings.SITE_URL + card.url,
        "image": settings.SITE_URL + card.bitmap_avatar_url,
    }


def _count(action: str, number: int) -> dict[str, Any]:
    return {
        "@type": "InteractionCounter",
        "interactionType": f"https://schema.org/{action}",
        "userInteractionCount": number,
    }


def _shortened(text: str, *, length: int = MAX_DESCRIPTION_LENGTH) -> str:
    return str(Truncator(" ".join(text.split())).chars(length))
