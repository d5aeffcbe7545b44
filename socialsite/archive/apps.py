from django.apps import AppConfig


class ArchiveConfig(AppConfig):
    name = "socialsite.archive"
    label = "archive"

    def ready(self) -> None:
        from . import receivers  # noqa: F401 - it registers itself
