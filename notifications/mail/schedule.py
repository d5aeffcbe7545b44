"""Send times of mails: in the recipient's time zone, outside their quiet hours.

All times are aware. Times of day are wall-clock times. When clocks change, a day has 23 or 25 hours, but
digests still go out at the same time of day.
"""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings

from accounts.infra.time_zones import clean_time_zone
from notifications.store.mail_queue import AWAY_DELAY
from notifications.store.preferences import DAILY, MailPreferences

DIGEST_TIME = time(8)
"""The time of day for digests. Weekly digests go out on Monday."""

MIN_INTERVAL = timedelta(hours=1)
"""Minimum time between two mails to a user who stays away."""


def preferred_zone(*, choice: MailPreferences) -> ZoneInfo:
    # An update of the time zone database may remove a name that a user saved.
    return ZoneInfo(clean_time_zone(choice.time_zone) or settings.TIME_ZONE)


def next_digest(*, choice: MailPreferences, after: datetime) -> datetime | None:
    """Return the time of the next digest, or None if the user gets no digests."""
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
    """Return the time to send a mail. The time is never before ``now``.

    Args:
        first_at: when the oldest row of the mail arrived.
        mailed_at: when the previous mail was sent, or None if there was none.
    """
    moment = next_digest(choice=choice, after=first_at)
    if moment is None:
        moment = first_at + AWAY_DELAY
        if mailed_at is not None:
            moment = max(moment, mailed_at + MIN_INTERVAL)
    return after_quiet_hours(choice=choice, moment=max(moment, now))


def after_quiet_hours(*, choice: MailPreferences, moment: datetime) -> datetime:
    """Return ``moment``, or the end of the quiet hours if ``moment`` is within quiet hours."""
    start, end = choice.quiet_from, choice.quiet_until
    if start is None or end is None:
        return moment
    local = moment.astimezone(preferred_zone(choice=choice))
    minute = local.hour * 60 + local.minute
    is_over_midnight = start > end
    is_quiet = minute >= start or minute < end if is_over_midnight else start <= minute < end
    if not is_quiet:
        return moment
    # ``replace`` keeps ``fold``, which tells the two occurrences of a repeated hour apart. Otherwise the
    # end could be before ``moment``.
    quiet_end = local.replace(hour=end // 60, minute=end % 60, second=0, microsecond=0)
    if is_over_midnight and minute >= start:
        quiet_end += timedelta(days=1)
    return quiet_end.astimezone(UTC)
