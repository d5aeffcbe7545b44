"""Periodic jobs. A run may be late, repeated or lost, because the next run does the remaining work."""

from typing import Any

from celery.schedules import crontab

MINUTE, HOUR = 60.0, 3600.0
HEARTBEAT = "socialsite.monitoring.heartbeats.beat_heartbeat"


def beat_schedule(*, stalled_after_seconds: int) -> dict[str, dict[str, Any]]:
    """Return the value of ``CELERY_BEAT_SCHEDULE``: an entry for each task, by its name.

    A task that waits too long expires, so that tasks do not accumulate while no worker runs.

    Args:
        stalled_after_seconds: seconds between two searches for stalled deliveries.
    """
    times: dict[str, float | crontab] = {
        HEARTBEAT: 10.0,
        "feed.tasks.sweep": float(stalled_after_seconds),
        "feed.tasks.drop_dormant": crontab(hour=4, minute=30),
        "notifications.tasks.send_mails": MINUTE,
        "notifications.tasks.resume_subscriber_deliveries": MINUTE,
        "socialsite.moderation.tasks.resume_and_expire_actions": MINUTE,
        "socialsite.moderation.tasks.purge_removed_content": crontab(hour=5, minute=10),
        "notifications.tasks.clean_up": crontab(minute=40),
        "accounts.tasks.erase_due_users": crontab(hour=3, minute=20),
        "accounts.tasks.delete_unused_apps": crontab(hour=3, minute=50),
        "socialsite.archive.tasks.resume_archives": MINUTE,
        "socialsite.archive.tasks.delete_expired_archives": crontab(hour=4, minute=50),
        "feed.tasks.clean_up_pictures": crontab(minute=10),
        "feed.tasks.end_polls": MINUTE,
        # At the start of each minute, so that posts are published in the minute in which they are due.
        "feed.tasks.publish_due_posts": crontab(),
        "feed.tasks.fetch_missing_link_cards": MINUTE,
        "feed.tasks.delete_unused_link_cards": crontab(hour=4, minute=10),
        "accounts.tasks.verify_due_links": MINUTE,
        "accounts.tasks.resume_unlocked_users": crontab(minute=50),
        "feed.tasks.roll_up_stats": crontab(minute=20),
    }
    schedule: dict[str, dict[str, Any]] = {
        task: {
            "task": task,
            "schedule": when,
            "options": {"expires": HOUR if isinstance(when, crontab) else when},
        }
        for task, when in times.items()
    }
    schedule["feed.tasks.publish_due_posts"]["options"]["expires"] = MINUTE
    schedule["heartbeat of slow jobs"] = {
        **schedule[HEARTBEAT],
        "options": {"expires": 10.0, "queue": "slow"},
    }
    return schedule
