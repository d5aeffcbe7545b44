from django.apps import AppConfig


class SocialsiteConfig(AppConfig):
    name = "socialsite"

    def ready(self) -> None:
        from notifications.kinds import set_api_types

        from .api.notification_types import API_TYPES
        from .monitoring import failures  # its receivers register themselves

        set_api_types(API_TYPES)
        failures.start_reports()
