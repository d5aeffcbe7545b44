"""Periodic jobs. A run may be late, repeated or lost, because the next run does the remaining work."""

from typing import Any

from celery.schedules import crontab

MINUTE, HOUR = 60.0, 3600.0


def beat_schedule(*, stalled_after_seconds: int) -> dict[str, dict[str, Any]]:
    """Return the value of ``CELERY_BEAT_SCHEDULE``.

    Args:
        stalled_after_seconds: seconds between two searches for stalled deliveries.
    """
    return {
        "record heartbeats": _schedule_task(
            "socialsite.monitoring.heartbeats.beat_heartbeat", 10.0
        ),
        "record heartbeats of slow jobs": _schedule_task(
            "socialsite.monitoring.heartbeats.beat_heartbeat", 10.0, queue="slow"
        ),
        "resume deliveries": _schedule_task("feed.tasks.sweep", float(stalled_after_seconds)),
        "drop dormant inboxes": _schedule_task("feed.tasks.drop_dormant", _run_at(4, 30)),
        "send notification emails": _schedule_task("notifications.tasks.send_mails", MINUTE),
        "resume notifications of subscribers": _schedule_task(
            "notifications.tasks.resume_subscriber_deliveries", MINUTE
        ),
        "resume and expire moderation actions": _schedule_task(
            "socialsite.moderation.tasks.resume_and_expire_actions", MINUTE
        ),
        "delete removed content": _schedule_task(
            "socialsite.moderation.tasks.purge_removed_content", _run_at(5, 10)
        ),
        "clean up notification boxes": _schedule_task(
            "notifications.tasks.clean_up", _run_at("*", 40)
        ),
        "erase due users": _schedule_task("accounts.tasks.erase_due_users", _run_at(3, 20)),
        "delete apps that nobody uses": _schedule_task(
            "accounts.tasks.delete_unused_apps", _run_at(3, 50)
        ),
        "resume archive jobs": _schedule_task("socialsite.archive.tasks.resume_archives", MINUTE),
        "delete expired archives": _schedule_task(
            "socialsite.archive.tasks.delete_expired_archives", _run_at(4, 50)
        ),
        "delete unpublished pictures": _schedule_task(
            "feed.tasks.clean_up_pictures", _run_at("*", 10)
        ),
        "end polls": _schedule_task("feed.tasks.end_polls", MINUTE),
        # At the start of each minute, so that posts are published in the minute in which they are due.
        "publish scheduled posts": _schedule_task(
            "feed.scheduled_posts.publish_due_posts", crontab(), expires=MINUTE
        ),
        "fetch missing link cards": _schedule_task("feed.tasks.fetch_missing_link_cards", MINUTE),
        "delete unused link cards": _schedule_task(
            "feed.tasks.delete_unused_link_cards", _run_at(4, 10)
        ),
        "verify profile links": _schedule_task("accounts.tasks.verify_due_links", MINUTE),
        "roll up stats": _schedule_task("feed.tasks.roll_up_stats", _run_at("*", 20)),
    }


def _run_at(hour: int | str, minute: int) -> crontab:
    return crontab(hour=hour, minute=minute)


def _schedule_task(
    task: str, when: float | crontab, *, expires: float | None = None, queue: str = ""
) -> dict[str, Any]:
    """Return an entry whose task expires, so that tasks do not accumulate while no worker runs."""
    options: dict[str, Any] = {"expires": expires or (HOUR if isinstance(when, crontab) else when)}
    if queue:
        options["queue"] = queue
    return {"task": task, "schedule": when, "options": options}
