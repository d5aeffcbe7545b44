"""Who may do what: two roles, which are groups with permissions, and one rule about whom they may act on.

docs/moderation.md shows the matrix; a test compares it with what people can do.
"""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied

from accounts.models import User

MODERATORS, ADMINISTRATORS = "Moderators", "Administrators"

BLOCKLIST_MODELS = ("blockedmail", "blockedname", "blockednetwork")
SIGN_UP_MODELS = (*BLOCKLIST_MODELS, "invitation", "invitedperson")

MODERATOR_PERMISSIONS = (
    "moderation.moderate",
    "moderation.view_case",
    "moderation.view_action",
    "moderation.view_appeal",
    "moderation.view_rule",
    "moderation.view_announcement",
    "feed.view_post",
    "accounts.view_user",
    *(f"accounts.view_{what}" for what in SIGN_UP_MODELS),
)
ADMINISTRATOR_PERMISSIONS = (
    *MODERATOR_PERMISSIONS,
    "moderation.suspend",
    "moderation.decide_appeals",
    "moderation.view_auditentry",
    *(f"moderation.{deed}_rule" for deed in ("add", "change", "delete")),
    *(f"moderation.{deed}_announcement" for deed in ("add", "change", "delete")),
    *(
        f"accounts.{deed}_{what}"
        for what in BLOCKLIST_MODELS
        for deed in ("add", "change", "delete")
    ),
    "accounts.change_invitation",
    "accounts.view_application",
    "accounts.delete_application",
    "feed.change_post",
    "accounts.change_user",
)
ROLES = {MODERATORS: MODERATOR_PERMISSIONS, ADMINISTRATORS: ADMINISTRATOR_PERMISSIONS}


def create_roles(**_: Any) -> None:
    """After every migrate: the roles are there, with at least these permissions."""
    known = {
        f"{app}.{codename}": pk
        for pk, app, codename in Permission.objects.values_list(
            "pk", "content_type__app_label", "codename"
        )
    }
    for name, permissions in ROLES.items():
        role, _is_new = Group.objects.get_or_create(name=name)
        role.permissions.add(*(known[one] for one in permissions if one in known))


def can_act_on(*, moderator: User, user_id: int) -> bool:
    """Nobody acts on themselves; on staff only who may do everything, and on those nobody."""
    if user_id == moderator.pk:
        return False
    other = User.objects.filter(pk=user_id).only("is_staff", "is_superuser").first()
    if other is None or not (other.is_staff or other.is_superuser):
        return True
    return moderator.is_superuser and not other.is_superuser


def require_permission(*, moderator: User, permission: str, user_id: int | None = None) -> None:
    """Raises PermissionDenied unless they may, here and about this person."""
    is_staff = moderator.is_active and moderator.is_staff
    may = is_staff and moderator.has_perm("moderation.moderate") and moderator.has_perm(permission)
    if not may or (user_id is not None and not can_act_on(moderator=moderator, user_id=user_id)):
        raise PermissionDenied
