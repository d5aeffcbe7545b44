"""Open cases and erase data when signals of other apps arrive."""

from typing import Any

from django.dispatch import receiver

from accounts.signals import user_erasure_started
from feed import signals as feed
from socialsite.moderation.services.cleanup import erase_user
from socialsite.moderation.services.reports import open_case, open_pending_review

from .models import Case, Category
from .subjects import comment_subject, post_subject, user_subject


@receiver(feed.post_pending_review)
def open_case_for_pending_post(post: int, **_: Any) -> None:
    open_pending_review(post_id=post)


@receiver(feed.post_suspected)
def open_case_for_suspected_post(post: int, reasons: list[str], **_: Any) -> None:
    open_case(
        subject=post_subject(post_id=post),
        source=Case.Source.SUSPECTED,
        category=Category.SPAM,
        reasons=reasons,
    )


@receiver(feed.comment_suspected)
def open_case_for_suspected_comment(comment: int, post: int, reasons: list[str], **_: Any) -> None:
    open_case(
        subject=comment_subject(post_id=post, comment_id=comment),
        source=Case.Source.SUSPECTED,
        category=Category.SPAM,
        reasons=reasons,
    )


@receiver(feed.import_suspected)
def open_case_for_suspected_import(author: int, reasons: list[str], **_: Any) -> None:
    open_case(
        subject=user_subject(uid=author),
        source=Case.Source.SUSPECTED,
        category=Category.SPAM,
        reasons=reasons,
    )


@receiver(user_erasure_started)
def erase_moderation_data(uid: int, **_: Any) -> None:
    erase_user(uid=uid)
