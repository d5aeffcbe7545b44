from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Archive(models.Model):
    """An export or import of a user's data, with its progress and its file."""

    class Kind(models.TextChoices):
        EXPORT = "export", _("export")
        IMPORT = "import", _("import")

    class State(models.TextChoices):
        WAITING = "waiting", _("queued")
        RUNNING = "running", _("in progress")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    owner = models.BigIntegerField(editable=False)
    kind = models.CharField(max_length=6, choices=Kind, editable=False)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING, editable=False)
    # The number of steps. None until the archive is checked and the steps are counted.
    total = models.IntegerField(null=True, editable=False)
    done_count = models.IntegerField(default=0, editable=False)
    # Set only for an import: the number of records by type, and of skipped records by reason.
    counts = models.JSONField(default=dict, editable=False)
    # What an import has spent on decoding pictures so far.
    decoded_pixels = models.BigIntegerField(default=0, editable=False)
    decoding_seconds = models.FloatField(default=0, editable=False)
    error = models.CharField(max_length=300, blank=True, default="", editable=False)
    file = models.CharField(max_length=32, blank=True, default="", editable=False)
    # Each worker that starts or resumes the archive sets a new token. A worker with an old token stops.
    run_token = models.CharField(max_length=32, blank=True, default="", editable=False)
    attempts = models.IntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    # In the future while an import waits, for example for the rate limit of clips.
    heartbeat_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("archive")
        verbose_name_plural = _("archives")
        indexes = [models.Index(fields=["owner", "kind", "-id"], name="archive_by_owner")]
        constraints = [
            # Each user has at most one unfinished archive of each kind. Only the unfinished states
            # "running" and "waiting" sort after "failed".
            models.UniqueConstraint(
                fields=["owner", "kind"],
                condition=models.Q(state__gt="failed"),
                name="archive_one_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
