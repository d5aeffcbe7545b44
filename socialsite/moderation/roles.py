"""The two roles of staff, which are groups with permissions, and permission checks.

``docs/moderation.md`` shows the table of permissions. ``test_roles`` tries every task of this table with
every role.
"""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied

from accounts.models import User

MODERATORS, ADMINISTRATORS = "Moderators", "Administrators"

BLOCKLIST_MODELS = ("blockedemail", "blockedname", "blockednetwork")
SIGN_UP_MODELS = (*BLOCKLIST_MODELS, "invitation", "inviteduser")

MODERATOR_PERMISSIONS = (
    "moderation.moderate",
    "moderation.view_case",
    "moderation.view_action",
    "moderation.view_appeal",
    "moderation.view_rule",
    "moderation.view_announcement",
    "feed.view_post",
    "accounts.view_user",
    *(f"accounts.view_{model}" for model in SIGN_UP_MODELS),
)
ADMINISTRATOR_PERMISSIONS = (
    *MODERATOR_PERMISSIONS,
    "moderation.suspend",
    "moderation.decide_appeals",
    "moderation.view_auditentry",
    *(f"moderation.{operation}_rule" for operation in ("add", "change", "delete")),
    *(f"moderation.{operation}_announcement" for operation in ("add", "change", "delete")),
    "moderation.change_pageversion",
    "moderation.change_brand",
    *(
        f"accounts.{operation}_{model}"
        for model in BLOCKLIST_MODELS
        for operation in ("add", "change", "delete")
    ),
    "accounts.change_invitation",
    "accounts.view_application",
    "accounts.delete_application",
    "feed.change_post",
    "accounts.change_user",
)
ROLES = {MODERATORS: MODERATOR_PERMISSIONS, ADMINISTRATORS: ADMINISTRATOR_PERMISSIONS}


def create_roles(**_: Any) -> None:
    """Create the roles and add missing permissions after every migrate. Never remove permissions."""
    permission_ids = {
        f"{app}.{codename}": pk
        for pk, app, codename in Permission.objects.values_list(
            "pk", "content_type__app_label", "codename"
        )
    }
    for role_name, permissions in ROLES.items():
        role, _is_new = Group.objects.get_or_create(name=role_name)
        role.permissions.add(
            *(permission_ids[name] for name in permissions if name in permission_ids)
        )


def can_act_on(*, moderator: User, user_id: int) -> bool:
    """Check whether the moderator may act on the user.

    Moderators may not act on themselves. Only superusers may act on staff, and never on superusers.
    """
    if user_id == moderator.pk:
        return False
    target = User.objects.filter(pk=user_id).only("is_staff", "is_superuser").first()
    if target is None or not (target.is_staff or target.is_superuser):
        return True
    return moderator.is_superuser and not target.is_superuser


def is_allowed(*, moderator: User, permission: str, user_id: int | None = None) -> bool:
    """Check whether the moderator has ``permission`` and may act on the user."""
    is_staff = moderator.is_active and moderator.is_staff
    has_permission = (
        is_staff and moderator.has_perm("moderation.moderate") and moderator.has_perm(permission)
    )
    return has_permission and (user_id is None or can_act_on(moderator=moderator, user_id=user_id))


def require_permission(*, moderator: User, permission: str, user_id: int | None = None) -> None:
    """Raise PermissionDenied unless the moderator has ``permission`` and may act on the user."""
    if not is_allowed(moderator=moderator, permission=permission, user_id=user_id):
        raise PermissionDenied
