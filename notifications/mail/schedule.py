"""When a mail may go out: in the reader's own time, and never in their quiet hours.

All moments are aware. Times of the day are those of the clock on the wall: where it is put forward or back,
a day has 23 or 25 hours, and digests still come at the same time.
"""

from datetime import UTC, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings

from notifications.store.mail_queue import AWAY_DELAY
from notifications.store.preferences import DAILY, MailPreferences

DIGEST_TIME = time(8)
"""Weekly ones on Monday."""

MIN_INTERVAL = timedelta(hours=1)
"""Between two mails to somebody who stays away."""


@cache
def time_zone_names() -> tuple[str, ...]:
    """Those of places, and UTC."""
    names = available_timezones()
    return (*sorted(name for name in names if "/" in name and not name.startswith("Etc/")), "UTC")


def preferred_zone(*, choice: MailPreferences) -> ZoneInfo:
    # A name may be gone from a newer list of zones.
    name = choice.time_zone if choice.time_zone in time_zone_names() else settings.TIME_ZONE
    return ZoneInfo(name)


def next_digest(*, choice: MailPreferences, after: datetime) -> datetime | None:
    """None for who has no digests."""
    if not choice.is_digest:
        return None
    local = after.astimezone(preferred_zone(choice=choice))
    digest = local.replace(hour=DIGEST_TIME.hour, minute=0, second=0, microsecond=0, fold=0)
    step = 1
    if choice.mode != DAILY:
        digest -= timedelta(days=local.weekday())
        step = 7
    while digest.astimezone(UTC) <= after:
        digest += timedelta(days=step)
    return digest.astimezone(UTC)


def mail_time(
    *, choice: MailPreferences, first_at: datetime, mailed_at: datetime | None, now: datetime
) -> datetime:
    """The moment, now or later, for a mail of which the ``first`` item came then."""
    moment = next_digest(choice=choice, after=first_at)
    if moment is None:
        moment = first_at + AWAY_DELAY
        if mailed_at is not None:
            moment = max(moment, mailed_at + MIN_INTERVAL)
    return after_quiet_hours(choice=choice, moment=max(moment, now))


def after_quiet_hours(*, choice: MailPreferences, moment: datetime) -> datetime:
    """The moment itself, or the end of the quiet hours that it is in."""
    start, end = choice.quiet_from, choice.quiet_until
    if start is None or end is None:
        return moment
    local = moment.astimezone(preferred_zone(choice=choice))
    minute = local.hour * 60 + local.minute
    is_over_midnight = start > end
    is_quiet = minute >= start or minute < end if is_over_midnight else start <= minute < end
    if not is_quiet:
        return moment
    # With the fold of the moment: where an hour comes twice, the end is not before it.
    over = local.replace(hour=end // 60, minute=end % 60, second=0, microsecond=0)
    if is_over_midnight and minute >= start:
        over += timedelta(days=1)
    return over.astimezone(UTC)
