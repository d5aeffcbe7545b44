from django.apps import AppConfig


class SocialsiteConfig(AppConfig):
    name = "socialsite"

    def ready(self) -> None:
        from .monitoring import error_reports
        from .monitoring import failures as failures  # its receivers register themselves

        error_reports.start()
