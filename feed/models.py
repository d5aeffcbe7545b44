"""Models of posts, pictures and archives for forms, writes and the admin.

Lists of posts use the faster queries in ``store.posts`` instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django_mongodb_backend.fields import ArrayField

from . import post_words
from .post_words import PostWordsField

MAX_TEXT_LENGTH = 500
MAX_CONTENT_WARNING = 100
MAX_PICTURES = 4
MAX_ALT_TEXT = 1500


class Post(models.Model):
    """A post of a user or, with ``share_of``, a share of another post.

    The document of a post contains its delivery state, so one insert stores both
    (``timeline.store.deliveries``). ``delivery_parts`` lists ranges of the author's audience buckets and
    the progress in each range. If ``is_pushed`` is False, the post is not delivered to followers. Home
    timelines then merge the post when a viewer reads the page.
    """

    class DeliveryState(models.TextChoices):
        PENDING = "pending", _("in progress")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    class Visibility(models.TextChoices):
        PUBLIC = "public", _("Public")
        UNLISTED = "unlisted", _("Unlisted")
        FOLLOWERS = "followers", _("Followers only")
        DIRECT = "direct", _("People I mention")

    class Hidden(models.TextChoices):
        REMOVED = "removed", _("removed by moderators")
        PENDING = "pending", _("pending review")

    class ReplyPolicy(models.TextChoices):
        EVERYONE = "everyone", _("Comments: everyone")
        FOLLOWERS = "followers", _("Comments: followers")
        MENTIONED = "mentioned", _("Comments: people I mention")
        NOBODY = "nobody", _("Comments: nobody")

    class QuotePolicy(models.TextChoices):
        EVERYONE = "everyone", _("Quotes: everyone")
        FOLLOWERS = "followers", _("Quotes: followers")
        NOBODY = "nobody", _("Quotes: nobody")

    author_id: int
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        verbose_name=_("author"),
        related_name="posts",
        db_index=False,
    )
    # The name of an activity kind, and the data of that kind except the text (see ``activities``).
    kind = models.CharField(_("kind"), max_length=20, default="note", editable=False)
    details = models.JSONField(default=dict, null=True, editable=False)
    text = models.CharField(_("text"), max_length=MAX_TEXT_LENGTH, blank=True)
    # Pages show only this warning until the viewer opens the post.
    content_warning = models.CharField(
        _("content warning"), max_length=MAX_CONTENT_WARNING, blank=True
    )
    # A copy of the pictures, so that lists need no query of ``Picture``. Each picture is
    # {id, name, alt, width, height}, with {focus} if set and {is_animated} if true. A clip also has
    # {kind, duration, frame_rate, bitrate}.
    media = models.JSONField(default=list, editable=False)
    # A copy of the card of the first link, or what is missing of it: ``link_cards.cards``.
    link_card = models.JSONField(default=None, null=True, editable=False)
    share_of = models.BigIntegerField(_("shared post"), null=True, editable=False)
    visibility = models.CharField(
        _("visibility"), max_length=9, choices=Visibility, default=Visibility.PUBLIC
    )
    # The uids of users mentioned in a direct post. Only the author and these users may read the post.
    recipients = ArrayField(models.BigIntegerField(), default=list, editable=False)
    created_at = models.DateTimeField(_("published"), default=timezone.now)
    edited_at = models.DateTimeField(pgettext_lazy("time", "edited"), null=True, editable=False)
    reply_policy = models.CharField(
        _("who can comment"), max_length=9, choices=ReplyPolicy, default=ReplyPolicy.EVERYONE
    )
    # Authors may always quote their own posts (``selectors.visibility.can_quote``).
    quote_policy = models.CharField(
        _("who can quote"), max_length=9, choices=QuotePolicy, default=QuotePolicy.EVERYONE
    )
    # "removed" hides the post from everybody. "pending" hides the post from everybody but
    # its author. All other fields stay, so that moderators can restore the post.
    hidden = models.CharField(
        _("hidden"), max_length=7, choices=Hidden, blank=True, default="", editable=False
    )
    is_sensitive = models.BooleanField(_("marked as sensitive"), default=False, editable=False)
    # Set only for an imported post: the id of the import and a digest of the post's address in the archive,
    # after ``post_rows.LATE_IMPORT`` if timelines leave the post out.
    origin = models.CharField(max_length=60, blank=True, default="", editable=False)
    # Written by ``attributes.attributes_of``, indexed and queried by ``store.attributes``.
    attributes = models.JSONField(default=list, editable=False)
    # The numbers of likes, shares, comments and quotes, and the newest likers and comments. They are stored
    # here, so that lists need no further query (``store.post_counters``).
    likes = models.IntegerField(_("likes"), default=0, editable=False)
    shares = models.IntegerField(_("shares"), default=0, editable=False)
    comments = models.IntegerField(_("comments"), default=0, editable=False)
    quotes = models.IntegerField(_("quotes"), default=0, editable=False)
    newest_likers = models.JSONField(default=list, editable=False)
    newest_comments = models.JSONField(default=list, editable=False)
    is_pushed = models.BooleanField(default=True, editable=False)
    delivery_state = models.CharField(
        _("delivery"),
        max_length=7,
        choices=DeliveryState,
        default=DeliveryState.PENDING,
        editable=False,
    )
    delivery_audience_size = models.IntegerField(default=0, editable=False)
    delivery_parts = models.JSONField(default=list, editable=False)
    delivery_attempts = models.IntegerField(default=0, editable=False)
    delivery_error = models.CharField(max_length=200, blank=True, editable=False)
    delivery_due_at = models.DateTimeField(default=timezone.now, editable=False)
    words = PostWordsField(
        models.CharField(max_length=post_words.MAX_LENGTH), default=list, editable=False
    )

    class Meta:
        verbose_name = _("post")
        verbose_name_plural = _("posts")
        indexes = [
            models.Index(fields=["author", "-id"], name="post_by_author"),
            # For the numbers of posts, which leave hidden posts out.
            models.Index(
                fields=["author", "visibility", "hidden", "-id"], name="post_visible_count"
            ),
            # During an upgrade, processes of the version before count with this index.
            models.Index(fields=["author", "visibility", "-id"], name="post_count"),
            # For the public timeline.
            models.Index(fields=["visibility", "share_of", "-id"], name="post_by_visibility"),
            # This partial index contains only hidden posts.
            models.Index(
                fields=["hidden", "-id"],
                condition=models.Q(hidden__gt=""),
                name="post_hidden",
            ),
            models.Index(
                fields=["share_of"],
                condition=models.Q(share_of__gt=0),
                name="post_share",
            ),
            # This partial index contains only posts with a pending delivery, which the sweeper reads.
            models.Index(
                fields=["delivery_due_at"],
                condition=models.Q(delivery_state="pending"),
                name="post_delivery_pending",
            ),
            models.Index(
                fields=["delivery_state", "-id"],
                condition=models.Q(delivery_state="failed"),
                name="post_delivery_failed",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:50] or f"{self.kind} {self.pk}"

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        if update_fields is not None and post_words.are_outdated_by(update_fields):
            update_fields = {*update_fields, "words"}
        super().save(*args, update_fields=update_fields, **kwargs)

    def get_absolute_url(self) -> str:
        return reverse("post", args=[self.author.username, self.pk])


class Picture(models.Model):
    """An uploaded picture, or a clip: a video or audio file. ``post`` is None until a post publishes it.

    Workers convert clips (``clip_files``). Only a ready one can be published.

    If ``post`` is ``DELETED_POST``, ``picture_files.delete_discarded`` deletes the files of the picture and
    then the record. If that task stops early, the record remains and a later run finishes the deletion.
    """

    DELETED_POST = 0
    LINK_CARD = -1
    """``post`` of a picture that belongs to a link card."""

    SITE = 0
    """``owner`` of a picture that comes from another site."""

    class Kind(models.TextChoices):
        IMAGE = "image", _("picture")
        VIDEO = "video", _("video")
        AUDIO = "audio", _("audio")

    class State(models.TextChoices):
        READY = "ready", _("ready")
        PROCESSING = "processing", _("in progress")
        FAILED = "failed", _("failed")

    owner = models.BigIntegerField(editable=False)
    post = models.BigIntegerField(null=True, editable=False)
    # The draft or scheduled post that uses the unpublished picture (``store.drafts``).
    draft = models.BigIntegerField(null=True, editable=False)
    name = models.CharField(max_length=32, editable=False)
    # A guess until a clip is ready.
    kind = models.CharField(max_length=5, choices=Kind, default=Kind.IMAGE, editable=False)
    # Size of the large file or the video in pixels, 0 for audio.
    width = models.IntegerField(editable=False)
    height = models.IntegerField(editable=False)
    # The large file plays, and the small file is the first frame.
    is_animated = models.BooleanField(default=False, editable=False)
    alt = models.CharField(_("description"), max_length=MAX_ALT_TEXT, blank=True)
    # The point (x, y) that stays visible when the picture is cropped. Both coordinates are from -1 to 1. An
    # empty list means the center.
    focus = models.JSONField(default=list, editable=False)
    # Size of all files, which counts against the owner's storage. 0 for pictures from before this field.
    stored_bytes = models.BigIntegerField(default=0, editable=False)
    # The other fields are for clips. {duration, frame_rate, bitrate} of a ready one, in seconds, frames and
    # bits per second.
    playback = models.JSONField(null=True, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.READY, editable=False)
    # Why the clip failed: a key of ``ffmpeg.ERRORS``.
    error = models.CharField(max_length=20, blank=True, default="", editable=False)
    source_format = models.CharField(max_length=10, blank=True, default="", editable=False)
    attempts = models.IntegerField(default=0, editable=False)
    # When a worker may start: in the future while another one converts the clip.
    due_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("picture")
        verbose_name_plural = _("pictures")
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(state="processing"),
                name="picture_processing",
            ),
            models.Index(fields=["post", "created_at"], name="picture_by_post"),
            models.Index(fields=["name"], name="picture_by_name"),
            models.Index(fields=["owner", "post", "stored_bytes"], name="picture_by_owner"),
        ]

    def __str__(self) -> str:
        return self.alt[:50] or self.name

    @property
    def is_clip(self) -> bool:
        return self.kind in (self.Kind.VIDEO, self.Kind.AUDIO)


class Delivery(Post):
    """A post in the admin list of deliveries."""

    class Meta:
        proxy = True
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
