"""Notifications from moderators: about actions, appeals and reports."""

from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from notifications.kinds import NOTICE, Kind, register
from notifications.services.delivery import notify

from .models import Action, Case


def _moderation_notice(name: str, label: str | Promise, url_name: str) -> Kind:
    return replace(NOTICE, name=name, label=label, url_name=url_name, preference_of=NOTICE.name)


ACTION_TAKEN = _moderation_notice(
    "decision", _("Moderation decisions about you"), "moderation_action"
)
ACTION_UNDONE = _moderation_notice(
    "decision_undone", _("Moderation decisions that were reversed"), "moderation_action"
)
APPEAL_REJECTED = _moderation_notice(
    "appeal_rejected", _("Replies to your appeals"), "moderation_action"
)
REPORT_CLOSED = _moderation_notice("report_closed", _("Results of your reports"), "report_status")
register(ACTION_TAKEN, ACTION_UNDONE, APPEAL_REJECTED, REPORT_CLOSED)


def notify_user(*, action: Action, kind: Kind, text: str) -> None:
    """Notify the affected user, unless the moderator turned the notification off."""
    if action.is_user_notified:
        notify(kind=kind.name, actor=0, recipients=[action.user_id], target_id=action.pk, text=text)


def notify_reporters(*, case: Case, reporters: list[int]) -> None:
    notify(kind=REPORT_CLOSED.name, actor=0, recipients=reporters, target_id=case.pk)
