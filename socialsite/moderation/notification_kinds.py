"""Notifications from moderators: about actions, appeals and reports."""

from django.utils.translation import gettext_lazy as _

from notifications.kinds import DURABLE, Kind, Notice, register
from notifications.services.delivery import notify

from .models import Action, Case


class _ModerationNotice(Kind):
    lifetime, alerts_by_default, can_be_disabled, icon = DURABLE, True, False, "alert"
    preference_of = Notice.name


@register
class ActionTaken(_ModerationNotice):
    name, label, url_name = "decision", _("Moderation decisions about you"), "moderation_action"


@register
class ActionUndone(_ModerationNotice):
    name, label, url_name = (
        "decision_undone",
        _("Moderation decisions that were reversed"),
        "moderation_action",
    )


@register
class AppealRejected(_ModerationNotice):
    name, label, url_name = "appeal_rejected", _("Replies to your appeals"), "moderation_action"


@register
class ReportClosed(_ModerationNotice):
    name, label, url_name = "report_closed", _("Results of your reports"), "report_status"


def notify_user(*, action: Action, kind: type[Kind], text: str) -> None:
    """Notify the affected user, unless the moderator turned the notification off."""
    if action.is_user_notified:
        notify(kind=kind.name, actor=0, recipients=[action.user_id], target_id=action.pk, text=text)


def notify_reporters(*, case: Case, reporters: list[int]) -> None:
    notify(kind=ReportClosed.name, actor=0, recipients=reporters, target_id=case.pk)
