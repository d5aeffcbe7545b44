"""Save and delete the rules of the site. The audit log keeps their old texts, because users may have been
moderated for breaking them.
"""

from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation.models import Rule, explained
from socialsite.moderation.roles import require_permission

from . import audit_log

MAX_LOGGED = 900
"""Maximum length of a rule in the audit log, so that an entry has space for two."""


@transactional()
def save_rule(*, editor: User, rule: Rule) -> None:
    """Save a new or changed rule. Raises PermissionDenied."""
    old = Rule.objects.filter(pk=rule.pk).first()
    operation = "add" if old is None else "change"
    require_permission(moderator=editor, permission=f"moderation.{operation}_rule")
    rule.save()
    new_text = _full_text(rule)
    details = new_text if old is None else f"{_full_text(old)} → {new_text}"
    audit_log.record_event(actor=editor, event=f"{operation}_rule", details=details)


@transactional()
def delete_rule(*, editor: User, rule: Rule) -> None:
    """Raises PermissionDenied."""
    require_permission(moderator=editor, permission="moderation.delete_rule")
    details = _full_text(rule)
    rule.delete()
    audit_log.record_event(actor=editor, event="delete_rule", details=details)


def _full_text(rule: Rule) -> str:
    return f"{rule.order}. {explained(rule.text, rule.details)}"[:MAX_LOGGED]
