"""The events of the audit log in words."""

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from socialsite.moderation.action_kinds import action_kind
from socialsite.moderation.models import Case

LABELS: dict[str, str | Promise] = {
    "appealed": _("Appeal sent"),
    "appeal:approved": _("Appeal approved"),
    "appeal:rejected": _("Appeal rejected"),
    "assigned": _("Case assigned"),
    "sorted": _("Category of a case changed"),
    "reopened": _("Case reopened"),
    "recommend": _("User recommended"),
    "stop_recommending": _("Recommendation ended"),
    "add_rule": _("Rule added"),
    "change_rule": _("Rule changed"),
    "delete_rule": _("Rule deleted"),
    "change_page": _("Standard page changed"),
    "change_brand": _("Branding changed"),
}


def event_label(*, verb: str) -> str:
    """Return a label for the stored name of an event, or the name itself if it is unknown."""
    if label := LABELS.get(verb):
        return str(label)
    prefix, _separator, name = verb.rpartition(":")
    try:
        if prefix == "opened":
            return gettext("Case opened: %(source)s") % {"source": Case.Source(name).label}
        if prefix == "closed":
            return gettext("Case closed: %(outcome)s") % {"outcome": Case.Outcome(name).label}
        if prefix == "undo":
            return gettext("Undone: %(action)s") % {"action": action_kind(name).label}
        return str(action_kind(verb).label)
    except (KeyError, ValueError):
        return verb
