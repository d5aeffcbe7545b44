"""What people publish. Lists read posts through ``store.posts``; this model serves forms and the admin."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_mongodb_backend.fields import ArrayField

MAX_TEXT_LENGTH = 500
MAX_CONTENT_WARNING = 100
MAX_PICTURES = 4
MAX_ALT_TEXT = 1500


class Post(models.Model):
    """A text by a person, or, with ``share_of``, the sharing of somebody's text.

    Where its delivery stands is kept in the post itself, from the same insert (``store.deliveries``):
    ``delivery_parts`` are ranges of the author's audience buckets, each with how far it is done.
    With ``is_pushed`` False nothing is delivered: readers' timelines merge the post when they are read.
    """

    class DeliveryState(models.TextChoices):
        PENDING = "pending", _("under way")
        DONE = "done", _("done")
        FAILED = "failed", _("given up")

    class Visibility(models.TextChoices):
        PUBLIC = "public", _("Everybody")
        UNLISTED = "unlisted", _("Everybody, but not listed")
        FOLLOWERS = "followers", _("My followers")
        DIRECT = "direct", _("Only those I mention")

    class Hidden(models.TextChoices):
        REMOVED = "removed", _("removed by moderators")
        HELD = "held", _("waits for moderators")

    class ReplyPolicy(models.TextChoices):
        EVERYONE = "everyone", _("Comments: everybody")
        FOLLOWERS = "followers", _("Comments: my followers")
        MENTIONED = "mentioned", _("Comments: those I mention")
        NOBODY = "nobody", _("Comments: nobody")

    author_id: int
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        verbose_name=_("author"),
        related_name="posts",
        db_index=False,
    )
    # What it is, and what it has besides its text: ``activities``.
    kind = models.CharField(_("kind"), max_length=20, default="note", editable=False)
    details = models.JSONField(default=dict, null=True, editable=False)
    text = models.CharField(_("text"), max_length=MAX_TEXT_LENGTH, blank=True)
    # Shown instead of text and pictures, until the reader wants to see them.
    warning = models.CharField(_("warning"), max_length=MAX_CONTENT_WARNING, blank=True)
    # Its pictures as lists show them: {id, name, alt, width, height} and, if it has one, its focus, as in
    # ``Picture``.
    media = models.JSONField(default=list, editable=False)
    share_of = models.BigIntegerField(_("shared post"), null=True, editable=False)
    visibility = models.CharField(
        _("who may read it"), max_length=9, choices=Visibility, default=Visibility.PUBLIC
    )
    # Who may read it besides: everybody whom a direct post mentions.
    recipients = ArrayField(models.BigIntegerField(), default=list, editable=False)
    created_at = models.DateTimeField(_("published"), default=timezone.now)
    edited_at = models.DateTimeField(_("edited"), null=True, editable=False)
    replies = models.CharField(
        _("who may comment"), max_length=9, choices=ReplyPolicy, default=ReplyPolicy.EVERYONE
    )
    # By moderators: from everybody, or while it is held from all but its author (``visible``). Everything
    # else about it stays as it is, so that it can be shown again.
    hidden = models.CharField(
        _("hidden"), max_length=7, choices=Hidden, blank=True, default="", editable=False
    )
    is_sensitive = models.BooleanField(_("marked as sensitive"), default=False, editable=False)
    # Of one that came from an archive: by which import, and as what (``archive.placing``).
    origin = models.CharField(max_length=60, blank=True, default="", editable=False)
    # What it is about, to be found by: ``attributes.entities_of``, ``store.entities``.
    entities = models.JSONField(default=list, editable=False)
    # What it tells of itself, so that lists need not ask for it: ``store.tallies``.
    likes = models.IntegerField(_("likes"), default=0, editable=False)
    shares = models.IntegerField(_("shares"), default=0, editable=False)
    comments = models.IntegerField(_("comments"), default=0, editable=False)
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
    delivery_people = models.IntegerField(default=0, editable=False)
    delivery_parts = models.JSONField(default=list, editable=False)
    delivery_attempts = models.IntegerField(default=0, editable=False)
    delivery_error = models.CharField(max_length=200, blank=True, editable=False)
    delivery_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("post")
        verbose_name_plural = _("posts")
        indexes = [
            models.Index(fields=["author", "-id"], name="post_by_author"),
            models.Index(fields=["author", "visibility", "-id"], name="post_count"),
            # The public timeline.
            models.Index(fields=["visibility", "share_of", "-id"], name="post_by_visibility"),
            # Only the few that are.
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
            # Only the few that are under way, for the sweeper.
            models.Index(
                fields=["delivery_at"],
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
        return self.text[:50]

    def get_absolute_url(self) -> str:
        return reverse("post", args=[self.author.username, self.pk])


class Picture(models.Model):
    """An upload, from the moment it is there: ``post`` is None until it is published with one.

    What is to be removed belongs to the post ``GONE``: the truth about what is unfinished, so that files
    go before their record, and a task may stop anywhere (``pictures``).
    """

    DELETED_POST = 0

    owner = models.BigIntegerField(editable=False)
    post = models.BigIntegerField(null=True, editable=False)
    name = models.CharField(max_length=32, editable=False)
    # Of the large file.
    width = models.IntegerField(editable=False)
    height = models.IntegerField(editable=False)
    alt = models.CharField(_("description"), max_length=MAX_ALT_TEXT, blank=True)
    # What of it is to be seen wherever it is cut: (x, y), each from -1 to 1; empty: its middle.
    focus = models.JSONField(default=list, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("picture")
        verbose_name_plural = _("pictures")
        indexes = [
            models.Index(fields=["post", "created_at"], name="picture_by_post"),
            models.Index(fields=["name"], name="picture_by_name"),
        ]

    def __str__(self) -> str:
        return self.alt[:50] or self.name


class Delivery(Post):
    """The same post, as those see it who look after deliveries."""

    class Meta:
        proxy = True
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")


class Archive(models.Model):
    """An export of everything somebody has, or an import of that: how far it is, and its file
    (``archive.records``)."""

    class Kind(models.TextChoices):
        EXPORT = "export", _("export")
        IMPORT = "import", _("import")

    class State(models.TextChoices):
        WAITING = "waiting", _("waits for a worker")
        RUNNING = "running", _("under way")
        DONE = "done", _("done")
        FAILED = "failed", _("given up")

    owner = models.BigIntegerField(editable=False)
    kind = models.CharField(max_length=6, choices=Kind, editable=False)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING, editable=False)
    # None until it is known: nothing has been written before.
    total = models.IntegerField(null=True, editable=False)
    done_count = models.IntegerField(default=0, editable=False)
    # Of an import: how many of what was brought in, and how many were left out why.
    counts = models.JSONField(default=dict, editable=False)
    error = models.CharField(max_length=300, blank=True, default="", editable=False)
    file = models.CharField(max_length=32, blank=True, default="", editable=False)
    # Whose turn it is: each time a worker takes it up, another word.
    run_token = models.CharField(max_length=32, blank=True, default="", editable=False)
    attempts = models.IntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    heartbeat_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("archive")
        verbose_name_plural = _("archives")
        indexes = [models.Index(fields=["owner", "kind", "-id"], name="archive_by_owner")]
        constraints = [
            # One at a time. Of the states, those that come behind "failed" are not at their end.
            models.UniqueConstraint(
                fields=["owner", "kind"],
                condition=models.Q(state__gt="failed"),
                name="archive_one_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
