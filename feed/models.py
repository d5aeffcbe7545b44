"""What people publish. Lists read posts through ``store.posts``; this model serves forms and the admin."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

MAX_TEXT = 500


class Post(models.Model):
    """A text by a person. Where its delivery stands is kept in the post itself, from the same insert:

    ``delivery_next`` is the first audience bucket not yet delivered of the ``delivery_buckets`` there
    were at publishing; ``delivery_at`` is when it last moved.
    """

    class Delivery(models.TextChoices):
        PENDING = "pending", _("under way")
        DONE = "done", _("done")

    author_id: int
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        verbose_name=_("author"),
        related_name="posts",
        db_index=False,
    )
    text = models.CharField(_("text"), max_length=MAX_TEXT)
    created_at = models.DateTimeField(_("published"), default=timezone.now)
    delivery_state = models.CharField(
        _("delivery"),
        max_length=7,
        choices=Delivery,
        default=Delivery.PENDING,
        editable=False,
    )
    delivery_next = models.IntegerField(default=0, editable=False)
    delivery_buckets = models.IntegerField(default=0, editable=False)
    delivery_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("post")
        verbose_name_plural = _("posts")
        indexes = [
            models.Index(fields=["author", "-id"], name="post_by_author"),
            # Only the few that are under way, for the sweeper.
            models.Index(
                fields=["delivery_at"],
                condition=models.Q(delivery_state="pending"),
                name="post_delivery_pending",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:50]

    def get_absolute_url(self) -> str:
        return reverse("post", args=[self.author.username, self.pk])
