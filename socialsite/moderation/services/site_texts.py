"""Save and delete the rules, and save the standard pages.

The audit log keeps the old texts of rules, because users may have been moderated for breaking them.
"""

from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation.models import PageVersion, Rule, StandardPage, explained
from socialsite.moderation.roles import require_permission

from . import audit_log

CHANGE_PAGES = "moderation.change_pageversion"
"""The permission that an administrator needs."""

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


@transactional()
def save_page(*, editor: User, page: StandardPage, text: str) -> bool:
    """Save a text as the newest version of a page. Return False if the page has this text already.

    An empty text restores the default text. Raises PermissionDenied.
    """
    require_permission(moderator=editor, permission=CHANGE_PAGES)
    newest = PageVersion.objects.filter(page=page).order_by("-pk").first()
    if text == (newest.text if newest else ""):
        return False
    PageVersion.objects.create(page=page, text=text)
    details = page.value if text else f"{page.value}: default text"
    audit_log.record_event(actor=editor, event="change_page", details=details)
    return True
