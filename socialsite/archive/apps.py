from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ArchiveConfig(AppConfig):
    name = "socialsite.archive"
    label = "archive"
    verbose_name = _("Archives")

    def ready(self) -> None:
        from . import receivers  # noqa: F401 - it registers itself
