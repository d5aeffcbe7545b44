"""What the worker does by the clock. Each task may run late, twice or not at all: the next one goes on."""

from typing import Any

from celery.schedules import crontab

MINUTE, HOUR = 60.0, 3600.0


def beat_schedule(*, stalled_after_seconds: int) -> dict[str, dict[str, Any]]:
    """As Celery wants it. ``stalled_after``: seconds after which a delivery is taken up by another."""
    return {
        "resume what stopped": _row("feed.tasks.sweep", float(stalled_after_seconds)),
        "drop the inboxes of who stays away": _row("feed.tasks.drop_dormant", _at(4, 30)),
        "mail to those who are away": _row("notifications.tasks.send_mails", MINUTE),
        "look after what moderators did": _row(
            "socialsite.moderation.tasks.look_after_actions", MINUTE
        ),
        "delete for good what stays removed": _row(
            "socialsite.moderation.tasks.delete_for_good", _at(5, 10)
        ),
        "tidy boxes of notifications": _row("notifications.tasks.tidy", _at("*", 40)),
        "erase who asked for it": _row("accounts.tasks.erase_due", _at(3, 20)),
        "delete apps that nobody uses": _row("accounts.tasks.delete_unused_apps", _at(3, 50)),
        "go on with archives that stopped": _row("feed.archive.tasks.look_after_archives", MINUTE),
        "remove old archives": _row("feed.archive.tasks.remove_old_archives", _at(4, 50)),
        "remove pictures that nobody published": _row("feed.tasks.remove_pictures", _at("*", 10)),
        "roll up stats": _row("feed.tasks.roll_up_stats", _at("*", 20)),
    }


def _at(hour: int | str, minute: int) -> crontab:
    return crontab(hour=hour, minute=minute)


def _row(task: str, when: float | crontab) -> dict[str, Any]:
    """It expires, so that tasks do not pile up while no worker runs."""
    expires = HOUR if isinstance(when, crontab) else when
    return {"task": task, "schedule": when, "options": {"expires": expires}}
