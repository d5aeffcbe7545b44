"""When a mail may go out: in the reader's own time, and never in their quiet hours.

All moments are aware. Times of the day are those of the clock on the wall: where it is put forward or back,
a day has 23 or 25 hours, and digests still come at the same time.
"""

from datetime import UTC, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings

from notifications.store.choices import DAILY, MailChoice
from notifications.store.mails import AWAY_FOR

DIGEST_AT = time(8)
"""Weekly ones on Monday."""

PAUSE = timedelta(hours=1)
"""Between two mails to somebody who stays away."""


@cache
def zones() -> tuple[str, ...]:
    """Those of places, and UTC."""
    names = available_timezones()
    return (*sorted(name for name in names if "/" in name and not name.startswith("Etc/")), "UTC")


def zone_of(*, choice: MailChoice) -> ZoneInfo:
    # A name may be gone from a newer list of zones.
    name = choice.zone if choice.zone in zones() else settings.TIME_ZONE
    return ZoneInfo(name)


def next_digest(*, choice: MailChoice, after: datetime) -> datetime | None:
    """None for who has no digests."""
    if not choice.is_digest:
        return None
    local = after.astimezone(zone_of(choice=choice))
    digest = local.replace(hour=DIGEST_AT.hour, minute=0, second=0, microsecond=0, fold=0)
    step = 1
    if choice.mode != DAILY:
        digest -= timedelta(days=local.weekday())
        step = 7
    while digest.astimezone(UTC) <= after:
        digest += timedelta(days=step)
    return digest.astimezone(UTC)


def mail_moment(
    *, choice: MailChoice, first: datetime, mailed_at: datetime | None, now: datetime
) -> datetime:
    """The moment, now or later, for a mail of which the ``first`` item came then."""
    moment = next_digest(choice=choice, after=first)
    if moment is None:
        moment = first + AWAY_FOR
        if mailed_at is not None:
            moment = max(moment, mailed_at + PAUSE)
    return after_quiet_hours(choice=choice, moment=max(moment, now))


def after_quiet_hours(*, choice: MailChoice, moment: datetime) -> datetime:
    """The moment itself, or the end of the quiet hours that it is in."""
    start, end = choice.quiet_from, choice.quiet_until
    if start is None or end is None:
        return moment
    local = moment.astimezone(zone_of(choice=choice))
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
