"""What the worker does by the clock. Each task may run late, twice or not at all: the next one goes on."""

from typing import Any

from celery.schedules import crontab


def of_tasks(*, stalled_after: int) -> dict[str, dict[str, Any]]:
    """As Celery wants it. ``stalled_after``: seconds after which a delivery is taken up by another; those
    that expire do not pile up while no worker runs."""
    return {
        "resume what stopped": {
            "task": "feed.tasks.sweep",
            "schedule": float(stalled_after),
            "options": {"expires": stalled_after},
        },
        "drop the inboxes of who stays away": {
            "task": "feed.tasks.drop_dormant",
            "schedule": crontab(hour=4, minute=30),
            "options": {"expires": 3600},
        },
        "mail to those who are away": {
            "task": "notifications.tasks.send_mails",
            "schedule": 60.0,
            "options": {"expires": 60},
        },
        "look after what moderators did": {
            "task": "socialsite.moderation.tasks.look_after_actions",
            "schedule": 60.0,
            "options": {"expires": 60},
        },
        "delete for good what stays removed": {
            "task": "socialsite.moderation.tasks.delete_for_good",
            "schedule": crontab(hour=5, minute=10),
            "options": {"expires": 3600},
        },
        "tidy boxes of notifications": {
            "task": "notifications.tasks.tidy",
            "schedule": crontab(minute=40),
            "options": {"expires": 3600},
        },
        "erase who asked for it": {
            "task": "accounts.tasks.erase_due",
            "schedule": crontab(hour=3, minute=20),
            "options": {"expires": 3600},
        },
        "delete apps that nobody uses": {
            "task": "accounts.tasks.delete_unused_apps",
            "schedule": crontab(hour=3, minute=50),
            "options": {"expires": 3600},
        },
        "go on with archives that stopped": {
            "task": "feed.archive.tasks.look_after_archives",
            "schedule": 60.0,
            "options": {"expires": 60},
        },
        "remove old archives": {
            "task": "feed.archive.tasks.remove_old_archives",
            "schedule": crontab(hour=4, minute=50),
            "options": {"expires": 3600},
        },
        "remove pictures that nobody published": {
            "task": "feed.tasks.remove_pictures",
            "schedule": crontab(hour="*", minute=10),
            "options": {"expires": 3600},
        },
    }
