from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("Accounts")

    def ready(self) -> None:
        from . import checks, receivers  # noqa: F401 - they register themselves

        post_migrate.connect(receivers.create_indexes, sender=self)
