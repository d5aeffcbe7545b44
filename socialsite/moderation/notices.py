"""What moderators tell people: of an action, of an answer to an appeal, of what became of a report."""

from django.utils.translation import gettext_lazy as _

from notifications.kinds import DURABLE, Kind, Notice, register
from notifications.services import tell

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
class AppealRefused(_Notice):
    name, label, address = "appeal_refused", _("Answers to your appeals"), "decision"


@register
class ReportAnswered(_Notice):
    name, label, address = "report_answered", _("What became of your reports"), "my_report"


def tell_of_action(*, action: Action, kind: type[Kind], words: str) -> None:
    if action.is_told:
        tell(kind=kind.name, actor=0, recipients=[action.person], about=action.pk, words=words)


def tell_reporters(*, case: Case, reporters: list[int]) -> None:
    tell(kind=ReportAnswered.name, actor=0, recipients=reporters, about=case.pk)
