"""Makes the key by which push services know this site (docs/notifications.md)."""

from typing import Any

from django.core.management.base import BaseCommand

from notifications.push import keys


class Command(BaseCommand):
    help = "Makes a pair of keys for web push and prints them. Writes nothing."
    # It is asked for where the one in the settings cannot be read.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        private = keys.new_private_key()
        self.stdout.write(f"WEB_PUSH_PRIVATE_KEY={private}")
        self.stdout.write(f"# Public, and told to browsers: {keys.public_key(private=private)}")
