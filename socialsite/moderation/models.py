"""Reports, cases, actions and appeals, and the rules, announcements and standard pages of the site.

The models refer to users, posts and comments by id only, so the records stay readable after the content
is deleted. ``action_kinds`` defines the effect of each action.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

MAX_TEXT_LENGTH = 2000
MAX_PAGE_LENGTH = 50_000


class SubjectKind(models.TextChoices):
    USER = "person", _("user")
    POST = "post", _("post")
    COMMENT = "comment", _("comment")


class Category(models.TextChoices):
    SPAM = "spam", _("Spam")
    HARASSMENT = "harassment", _("Harassment or hate")
    SENSITIVE = "sensitive", _("Violence or sexual content without a content warning")
    ILLEGAL = "illegal", _("Illegal content")
    RULES = "rules", _("Breaks a rule of this site")
    OTHER = "other", _("Other")


class Rule(models.Model):
    """A rule of the site, listed on the page of rules."""

    text = models.CharField(_("rule"), max_length=200)
    details = models.CharField(_("details"), max_length=MAX_TEXT_LENGTH, blank=True)
    order = models.IntegerField(_("order"), default=0)

    class Meta:
        verbose_name = _("rule")
        verbose_name_plural = _("rules")

    def __str__(self) -> str:
        return self.text


def explained(rule_text: str, explanation: str) -> str:
    """Return a rule and a text about it as two lines that read as two sentences in one line, too."""
    if not (rule_text and explanation):
        return rule_text or explanation
    last = rule_text[-1]
    stop = "\u3002" if unicodedata.east_asian_width(last) == "W" else "."
    return f"{rule_text}{'' if unicodedata.category(last) == 'Po' else stop}\n{explanation}"


class StandardPage(models.TextChoices):
    """The pages whose texts administrators write. The values are part of URLs."""

    ABOUT = "about", _("About this site")
    RULES = "rules", _("Text below the rules")
    PRIVACY = "privacy", _("Privacy policy")
    TERMS = "terms", _("Terms of service")


class PageVersion(models.Model):
    """A saved text of a standard page, in Markdown. The newest version of each page is shown.

    An empty text stands for the default text. Versions never change. The audit log knows who saved them.
    """

    page = models.CharField(_("page"), max_length=10, choices=StandardPage, editable=False)
    text = models.TextField(_("text"), blank=True, editable=False)
    saved_at = models.DateTimeField(_("saved"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("standard page")
        verbose_name_plural = _("standard pages")
        indexes = [models.Index(fields=["page", "-id"], name="page_versions")]
        default_permissions = ("change",)

    def __str__(self) -> str:
        return self.get_page_display()


class Announcement(models.Model):
    """A line at the top of every page, for a limited time."""

    text = models.CharField(_("text"), max_length=500)
    starts_at = models.DateTimeField(_("starts at"), default=timezone.now)
    ends_at = models.DateTimeField(_("until"), null=True, blank=True)

    class Meta:
        verbose_name = _("announcement")
        verbose_name_plural = _("announcements")

    def __str__(self) -> str:
        return self.text


class SubjectFields(models.Model):
    """The subject of a case or action: a user, or a post or comment by ``user_id``.

    ``post`` is the post of a comment.
    """

    subject_kind = models.CharField(_("kind"), max_length=7, choices=SubjectKind, editable=False)
    subject = models.BigIntegerField(_("subject"), editable=False)
    post = models.BigIntegerField(_("post"), default=0, editable=False)
    user_id = models.BigIntegerField(_("user"), editable=False)

    class Meta:
        abstract = True


class Case(SubjectFields):
    """All reports and signs about one subject. After a case is closed, the next report opens a new case."""

    class Source(models.TextChoices):
        REPORT = "report", _("reported")
        PENDING_REVIEW = "pending", _("pending review")
        SUSPECTED = "suspected", _("looks like spam")
        MODERATOR = "moderator", _("opened by a moderator")

    class Outcome(models.TextChoices):
        NO_ACTION = "no_action", _("no action")
        ACTED = "acted", _("action taken")

    # Only open cases have a key, so the unique index prevents a second open case about the same subject.
    open_key = models.CharField(  # noqa: DJ001 - null is not unique
        max_length=40, null=True, unique=True, editable=False
    )
    source = models.CharField(_("source"), max_length=9, choices=Source, editable=False)
    category = models.CharField(_("category"), max_length=10, choices=Category, editable=False)
    reasons = models.JSONField(_("signals"), default=list, editable=False)
    # The content when the case was opened, because the author may edit or delete the content later.
    evidence = models.JSONField(null=True, editable=False)
    reports = models.IntegerField(_("reports"), default=0, editable=False)
    assignee = models.BigIntegerField(_("assignee"), null=True, editable=False)
    opened_at = models.DateTimeField(_("opened"), default=timezone.now, editable=False)
    closed_at = models.DateTimeField(_("closed"), null=True, editable=False)
    outcome = models.CharField(_("outcome"), max_length=9, choices=Outcome, blank=True)

    class Meta:
        verbose_name = _("case")
        verbose_name_plural = _("cases")
        indexes = [
            models.Index(fields=["closed_at", "-id"], name="case_open"),
            models.Index(fields=["user_id", "-id"], name="case_user"),
            models.Index(fields=["closed_at", "-reports"], name="case_reported"),
        ]
        permissions = [
            ("moderate", "Can work on cases"),
            ("suspend", "Can suspend and rename users"),
            ("decide_appeals", "Can decide appeals"),
            ("read_direct", "Can read direct posts that were not reported"),
        ]

    def __str__(self) -> str:
        return f"{self.get_subject_kind_display()} {self.subject}"

    @property
    def is_open(self) -> bool:
        return self.closed_at is None


class Report(models.Model):
    case = models.ForeignKey(Case, models.CASCADE, verbose_name=_("case"), db_index=False)
    reporter = models.BigIntegerField(pgettext_lazy("reporter", "by"), editable=False)
    category = models.CharField(_("category"), max_length=10, choices=Category)
    rule = models.BigIntegerField(_("rule"), null=True)
    text = models.CharField(_("comment"), max_length=MAX_TEXT_LENGTH, blank=True)
    at = models.DateTimeField(_("time"), default=timezone.now)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        constraints = [models.UniqueConstraint(fields=["case", "reporter"], name="report_once")]
        indexes = [models.Index(fields=["reporter", "-id"], name="report_by")]

    def __str__(self) -> str:
        return self.text or str(self.get_category_display())


class Note(models.Model):
    """A note on a case for other moderators."""

    case = models.ForeignKey(Case, models.CASCADE, verbose_name=_("case"))
    moderator = models.BigIntegerField(pgettext_lazy("moderator", "by"), editable=False)
    text = models.CharField(_("note"), max_length=MAX_TEXT_LENGTH)
    at = models.DateTimeField(_("time"), default=timezone.now)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")

    def __str__(self) -> str:
        return self.text


class Action(SubjectFields):
    """A moderation action (``action_kinds``).

    ``state`` is saved both before and after the action is applied or undone, so that a periodic job can
    finish an interrupted action.
    """

    class State(models.TextChoices):
        APPLYING = "applying", _("in progress")
        IN_FORCE = "in_force", _("in force")
        UNDOING = "undoing", _("being undone")
        UNDONE = "undone", _("undone")
        FINAL = "final", _("permanent")

    case_id: int | None
    case = models.ForeignKey(Case, models.SET_NULL, null=True, verbose_name=_("case"))
    kind = models.CharField(_("action"), max_length=15, editable=False)
    state = models.CharField(_("status"), max_length=8, choices=State, default=State.APPLYING)
    # Only actions in force have a key, so the unique index prevents a second action of the same kind.
    active_key = models.CharField(  # noqa: DJ001 - null is not unique
        max_length=60, null=True, unique=True, editable=False
    )
    moderator = models.BigIntegerField(pgettext_lazy("moderator", "by"), editable=False)
    reason = models.CharField(_("reason"), max_length=MAX_TEXT_LENGTH, blank=True)
    at = models.DateTimeField(_("time"), default=timezone.now)
    expires_at = models.DateTimeField(_("until"), null=True, blank=True)
    # The data that ``undo`` of the kind needs, or None.
    before = models.JSONField(null=True, editable=False)
    is_strike = models.BooleanField(_("counts as a strike"), default=False)
    is_user_notified = models.BooleanField(_("user is notified"), default=True)
    undone_at = models.DateTimeField(_("undone"), null=True, editable=False)
    undone_by = models.BigIntegerField(null=True, editable=False)

    class Meta:
        verbose_name = _("action")
        verbose_name_plural = _("actions")
        indexes = [
            models.Index(fields=["user_id", "-id"], name="action_user"),
            models.Index(fields=["subject", "subject_kind"], name="action_subject"),
            models.Index(
                fields=["state"],
                condition=models.Q(state__in=["applying", "undoing"]),
                name="action_unfinished",
            ),
            models.Index(
                fields=["state", "expires_at"],
                condition=models.Q(state="in_force"),
                name="action_expiring",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject_kind} {self.subject}"


class Appeal(models.Model):
    """A user's appeal against an action. Each action has at most one."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")

    action_id: int
    action = models.OneToOneField(Action, models.CASCADE, verbose_name=_("action"))
    user_id = models.BigIntegerField(pgettext_lazy("appellant", "by"), editable=False)
    text = models.CharField(_("appeal"), max_length=MAX_TEXT_LENGTH)
    at = models.DateTimeField(_("time"), default=timezone.now)
    state = models.CharField(_("status"), max_length=8, choices=State, default=State.OPEN)
    answer = models.CharField(_("reply"), max_length=MAX_TEXT_LENGTH, blank=True)
    decided_by = models.BigIntegerField(null=True, editable=False)
    decided_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = _("appeal")
        verbose_name_plural = _("appeals")
        indexes = [models.Index(fields=["state", "-id"], name="appeal_state")]

    def __str__(self) -> str:
        return self.text


class AuditEntry(models.Model):
    """One event in the append-only audit log. ``actor`` is 0 for the site itself.

    Entries change only when a user is erased: ``services.cleanup`` then removes the uid.
    """

    at = models.DateTimeField(_("time"), default=timezone.now, editable=False)
    actor = models.BigIntegerField(
        pgettext_lazy("somebody who changed something", "by"), editable=False
    )
    verb = models.CharField(_("event"), max_length=30, editable=False)
    user_id = models.BigIntegerField(_("user"), default=0, editable=False)
    case = models.BigIntegerField(_("case"), null=True, editable=False)
    action = models.BigIntegerField(_("action"), null=True, editable=False)
    details = models.CharField(_("details"), max_length=MAX_TEXT_LENGTH, blank=True, editable=False)

    class Meta:
        verbose_name = _("audit log entry")
        verbose_name_plural = _("audit log")
        indexes = [
            models.Index(fields=["user_id", "-id"], name="audit_user"),
            models.Index(fields=["actor", "-id"], name="audit_actor"),
        ]

    def __str__(self) -> str:
        return self.verb

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The audit log is append-only.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("The audit log is append-only.")
