"""What moderators tell people: of an action, of an answer to an appeal, of what became of a report."""

from django.utils.translation import gettext_lazy as _

from notifications.kinds import DURABLE, Kind, Notice, register
from notifications.services.delivery import notify

from .models import Action, Case


class _Notice(Kind):
    lifetime, by_mail, can_be_off, icon = DURABLE, True, False, "alert"
    chosen_with = Notice.name


@register
class ActionTaken(_Notice):
    name, label, address = "moderated", _("Decisions of the moderators about you"), "decision"
    app_type = "moderation_warning"


@register
class ActionUndone(_Notice):
    name, label, address = "unmoderated", _("Decisions that were taken back"), "decision"


@register
class AppealRejected(_Notice):
    name, label, address = "appeal_refused", _("Answers to your appeals"), "decision"


@register
class ReportClosed(_Notice):
    name, label, address = "report_answered", _("What became of your reports"), "my_report"


def notify_user(*, action: Action, kind: type[Kind], text: str) -> None:
    if action.is_told:
        notify(kind=kind.name, actor=0, recipients=[action.person], target_id=action.pk, text=text)


def notify_reporters(*, case: Case, reporters: list[int]) -> None:
    notify(kind=ReportClosed.name, actor=0, recipients=reporters, target_id=case.pk)
