from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class ModerationConfig(AppConfig):
    name = "socialsite.moderation"
    label = "moderation"
    verbose_name = _("Moderation")

    def ready(self) -> None:
        from . import notification_kinds, receivers, roles  # noqa: F401 - registers kinds and receivers

        post_migrate.connect(roles.create_roles, sender=self)
