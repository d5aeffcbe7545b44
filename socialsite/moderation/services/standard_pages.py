"""Save the texts of the standard pages."""

from accounts.infra.transactions import transactional
from accounts.models import User
from socialsite.moderation.models import PageVersion, StandardPage
from socialsite.moderation.roles import require_permission

from . import audit_log

CHANGE_PAGES = "moderation.change_pageversion"
"""The permission that an administrator needs."""


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
