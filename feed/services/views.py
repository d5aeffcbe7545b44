"""Count views of posts. ``feed.stats`` decides which of them count when it writes them."""

from collections.abc import Iterable

from django.conf import settings

from feed import stats
from feed.stats import Metric, Once


def count_views(*, post_ids: Iterable[int], visitor: str) -> None:
    """Count a view of each of these posts, which the viewer may see, once an hour. No database command.

    ``visitor``: the viewer's key from ``accounts.visitors``; "" for one who is not counted.
    """
    if settings.COUNT_VIEWS and visitor:
        for post_id in post_ids:
            stats.count_once(once=Once(visitor, post_id, Metric.VIEWS))
