"""What calls for moderators, by what happens elsewhere."""

from typing import Any

from django.dispatch import receiver

from feed import signals as feed

from . import services
from .models import Case
from .subjects import post_subject


@receiver(feed.post_held)
def open_case_of_held_post(post: int, **_: Any) -> None:
    subject = post_subject(post_id=post)
    case = services.open_case(subject=subject, source=Case.Source.HELD)
    services.hold_as_site(subject=subject, case=case)
