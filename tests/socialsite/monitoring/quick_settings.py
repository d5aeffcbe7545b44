"""Settings with heartbeats every second, so that tests notice stopped processes within seconds."""

from django.apps import AppConfig

from socialsite.schedule import HEARTBEAT
from socialsite.settings import *  # noqa: F403
from socialsite.settings import CELERY_BEAT_SCHEDULE, INSTALLED_APPS

INTERVAL_SECONDS = 1.0
"""A tenth of the interval on real sites. The maximum age of a heartbeat is a tenth, too."""

for name in (HEARTBEAT, "heartbeat of slow jobs"):
    CELERY_BEAT_SCHEDULE[name]["schedule"] = INTERVAL_SECONDS
INSTALLED_APPS = [*INSTALLED_APPS, f"{__name__}.QuickHeartbeats"]


class QuickHeartbeats(AppConfig):
    name = __package__
    label = "quick_heartbeats"

    def ready(self) -> None:
        from socialsite.monitoring import heartbeats, readiness

        heartbeats.MIN_INTERVAL_SECONDS /= 10
        readiness.MAX_HEARTBEAT_AGE /= 10
