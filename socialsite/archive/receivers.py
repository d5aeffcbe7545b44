"""Delete the archives of users whose data is erased."""

from typing import Any

from django.dispatch import receiver

from accounts.signals import user_erasure_started

from . import jobs


@receiver(user_erasure_started)
def delete_archives(uid: int, **_: Any) -> None:
    jobs.delete_archives(owner=uid)
