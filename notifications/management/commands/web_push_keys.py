"""Create the key that identifies this site to push services (docs/notifications.md)."""

from typing import Any

from django.core.management.base import BaseCommand

from notifications.push import keys


class Command(BaseCommand):
    help = "Create a key pair for web push and print it. Nothing is saved."
    # Skip system checks, because this command must run even if the key in the settings is invalid.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        private_key = keys.new_private_key()
        self.stdout.write(f"WEB_PUSH_PRIVATE_KEY={private_key}")
        self.stdout.write(
            f"# Public key, which browsers receive: {keys.public_key(private=private_key)}"
        )
