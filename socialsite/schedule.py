"""Periodic jobs. A task may run late, twice or not at all: the next run catches up."""

from typing import Any

from celery.schedules import crontab

MINUTE, HOUR = 60.0, 3600.0


def beat_schedule(*, stalled_after_seconds: int) -> dict[str, dict[str, Any]]:
    """Return the value of ``CELERY_BEAT_SCHEDULE``.

    Args:
        stalled_after_seconds: how often to look for stalled deliveries.
    """
    return {
        "resume what stopped": _schedule_task("feed.tasks.sweep", float(stalled_after_seconds)),
        "drop the inboxes of who stays away": _schedule_task(
            "feed.tasks.drop_dormant", _run_at(4, 30)
        ),
        "mail to those who are away": _schedule_task("notifications.tasks.send_mails", MINUTE),
        "look after what moderators did": _schedule_task(
            "socialsite.moderation.tasks.look_after_actions", MINUTE
        ),
        "delete for good what stays removed": _schedule_task(
            "socialsite.moderation.tasks.delete_for_good", _run_at(5, 10)
        ),
        "tidy boxes of notifications": _schedule_task("notifications.tasks.tidy", _run_at("*", 40)),
        "erase who asked for it": _schedule_task("accounts.tasks.erase_due", _run_at(3, 20)),
        "delete apps that nobody uses": _schedule_task(
            "accounts.tasks.delete_unused_apps", _run_at(3, 50)
        ),
        "go on with archives that stopped": _schedule_task(
            "feed.archive.tasks.look_after_archives", MINUTE
        ),
        "remove old archives": _schedule_task(
            "feed.archive.tasks.remove_old_archives", _run_at(4, 50)
        ),
        "remove pictures that nobody published": _schedule_task(
            "feed.tasks.remove_pictures", _run_at("*", 10)
        ),
        "roll up stats": _schedule_task("feed.tasks.roll_up_stats", _run_at("*", 20)),
    }


def _run_at(hour: int | str, minute: int) -> crontab:
    return crontab(hour=hour, minute=minute)


def _schedule_task(task: str, when: float | crontab) -> dict[str, Any]:
    """Build an entry whose task expires, so that tasks do not pile up while no worker runs."""
    expires = HOUR if isinstance(when, crontab) else when
    return {"task": task, "schedule": when, "options": {"expires": expires}}
