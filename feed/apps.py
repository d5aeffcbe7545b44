from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class FeedConfig(AppConfig):
    name = "feed"
    verbose_name = _("Feed")

    def ready(self) -> None:
        from . import checks, kinds, receivers  # noqa: F401 - they register themselves

        post_migrate.connect(receivers.prepare_collections, sender=self)
