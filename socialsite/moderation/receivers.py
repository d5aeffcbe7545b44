"""What calls for moderators, by what happens elsewhere."""

from typing import Any

from django.dispatch import receiver

from accounts.signals import person_erased
from feed import signals as feed

from . import services
from .models import Case, Category
from .subjects import comment_subject, post_subject


@receiver(feed.post_held)
def open_case_of_held_post(post: int, **_: Any) -> None:
    subject = post_subject(post_id=post)
    case = services.open_case(subject=subject, source=Case.Source.HELD)
    services.hold_as_site(subject=subject, case=case)


@receiver(feed.post_suspected)
def open_case_of_suspected_post(post: int, reasons: list[str], **_: Any) -> None:
    services.open_case(
        subject=post_subject(post_id=post),
        source=Case.Source.SUSPECTED,
        category=Category.SPAM,
        reasons=reasons,
    )


@receiver(feed.comment_suspected)
def open_case_of_suspected_comment(comment: int, post: int, reasons: list[str], **_: Any) -> None:
    services.open_case(
        subject=comment_subject(post_id=post, comment_id=comment),
        source=Case.Source.SUSPECTED,
        category=Category.SPAM,
        reasons=reasons,
    )


@receiver(person_erased)
def forget_erased_person(uid: int, **_: Any) -> None:
    services.forget_person(uid=uid)
