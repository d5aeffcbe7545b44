"""Pictures, clips and link cards as pages and apps show them, which of their URLs need a signature, and how
much of the storage for pictures and clips a user has left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Sum
from django.http import Http404
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from accounts.user_cards import find_card
from feed import picture_files
from feed.activities import activity_kind
from feed.ffmpeg import ERRORS
from feed.models import Picture, Post
from feed.store.post_rows import PostRow

from .visibility import has_public_pictures

LOW_SHARE = 0.1
"""Storage is low if less than this share of it is left."""


@dataclass(frozen=True, slots=True)
class MediaView:
    """A picture or clip of a post.

    Attributes:
        width, height: of the large file, in pixels.
        name: name of the files, "" in the history of a post if the files are deleted.
        is_animated: True if the large file plays. The small file is then its first frame.
        focus: the point that stays visible when the picture is cropped, as in ``Picture.focus``.
        signature_scope: as in ``picture_files.picture_url``.
        kind: "image", "video" or "audio". The pictures of a video are its poster, audio has none.
        duration: in seconds, like ``frame_rate`` (frames per second) and ``bitrate`` (bits per second) only
            for clips.
        state: as in ``Picture.state``. Clips of posts are ready.
        error: why a failed clip was refused.
    """

    id: int
    name: str
    alt: str
    width: int
    height: int
    focus: Sequence[float] = ()
    is_animated: bool = False
    signature_scope: int | None = None
    kind: str = "image"
    duration: float = 0.0
    frame_rate: float = 0.0
    bitrate: int = 0
    state: str = "ready"
    error: str = ""

    @property
    def is_clip(self) -> bool:
        return self.kind != "image"

    @property
    def has_picture(self) -> bool:
        """True if there are a small and a large file."""
        return self.state == "ready" and self.kind != "audio" and not self.is_deleted

    @property
    def clip_url(self) -> str:
        return picture_files.clip_url(
            name=self.name, kind=self.kind, signature_scope=self.signature_scope
        )

    @property
    def is_deleted(self) -> bool:
        """True if the picture was removed from its post. It has no URLs then."""
        return not self.name

    @property
    def crop_class(self) -> str:
        """Return the classes that keep the focus visible when a list crops the picture."""
        if not self.focus:
            return ""
        x, y = self.focus
        return f"x{round(2 + 2 * x)} y{round(2 - 2 * y)}"

    @property
    def small_url(self) -> str:
        return picture_files.picture_url(
            name=self.name, size="small", signature_scope=self.signature_scope
        )

    @property
    def large_url(self) -> str:
        return picture_files.picture_url(
            name=self.name, size="large", signature_scope=self.signature_scope
        )

    @property
    def small_width(self) -> int:
        """Return the width of the small file in pixels."""
        return picture_files.fitted_size(
            width=self.width, height=self.height, side=picture_files.SMALL_SIDE
        )[0]


def file_access(*, name: str) -> tuple[str, int | None]:
    """Return the kind of a picture or clip, and the scope of the signature that its URLs need, if any.

    Costs two database commands, one for the picture of a link card. Raises Http404 if the picture is
    deleted, or if its owner is suspended or deleted.
    """
    picture = Picture.objects.filter(name=name).exclude(post=Picture.DELETED_POST).first()
    if picture is not None and picture.post == Picture.LINK_CARD:
        return picture.kind, None
    author = find_card(uid=picture.owner) if picture else None
    if picture is None or author is None:
        raise Http404("No such picture.")
    if picture.post is None:
        return picture.kind, picture_files.UNPUBLISHED
    post = Post.objects.filter(pk=picture.post).values("visibility", "hidden").first()
    if post is None:
        raise Http404("No such post.")
    is_open = has_public_pictures(post["visibility"], post["hidden"], author)
    return picture.kind, None if is_open else picture.post


def own_picture(*, owner: int, picture_id: int) -> Picture:
    """Return a picture of ``owner``. Raises Http404 if it is missing or belongs to another user."""
    picture = Picture.objects.filter(pk=picture_id, owner=owner).first()
    if picture is None or picture.post == Picture.DELETED_POST:
        raise Http404("No such picture.")
    return picture


def picture_view(*, picture: Picture) -> MediaView:
    return MediaView(
        id=picture.pk,
        name=picture.name,
        alt=picture.alt,
        width=picture.width,
        height=picture.height,
        focus=picture.focus or (),
        is_animated=picture.is_animated,
        signature_scope=picture.post or picture_files.UNPUBLISHED,
        kind=picture.kind,
        **(picture.playback or {}),
        state=picture.state,
        error=str(ERRORS.get(picture.error, "")),
    )


@dataclass(frozen=True, slots=True)
class LinkCardView:
    """What a linked page says about itself. A missing value is "".

    ``published_at`` is an ISO date.
    """

    url: str
    title: str
    description: str = ""
    author: str = ""
    author_url: str = ""
    site: str = ""
    language: str = ""
    published_at: str = ""
    picture: MediaView | None = None

    @property
    def host(self) -> str:
        return (urlsplit(self.url).hostname or "").removeprefix("www.")


def link_card_view(*, post: PostRow) -> LinkCardView | None:
    """Return the card of a post, None if it has none, is not fetched yet or would stand below pictures."""
    stored = post.link_card
    has_own_card = activity_kind(post.kind).takes_answers
    if stored is None or not stored.get("title") or post.media or has_own_card:
        return None
    picture = MediaView(id=0, **{"alt": ""} | stored["picture"]) if "picture" in stored else None
    return LinkCardView(**{**stored, "picture": picture})


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage of a user, in bytes."""

    limit: int
    used: int

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)

    @property
    def is_low(self) -> bool:
        return self.left < LOW_SHARE * self.limit

    def __str__(self) -> str:
        return _("Storage: %(left)s of %(limit)s left.") % {
            "left": filesizeformat(self.left),
            "limit": filesizeformat(self.limit),
        }


def storage_of(*, owner: int) -> Storage | None:
    """Return the storage of a user, None if the site has no limit. One command.

    The files of deleted posts do not count, even before cleanup has deleted them.
    """
    if not settings.STORAGE_QUOTA_MB:
        return None
    pictures = Picture.objects.filter(owner=owner).exclude(post=Picture.DELETED_POST)
    used = pictures.aggregate(used=Sum("stored_bytes"))["used"]
    return Storage(limit=settings.STORAGE_QUOTA_MB * 2**20, used=used or 0)
