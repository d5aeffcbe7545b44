"""Count views of posts. ``feed.stats`` decides which of them count when it writes them."""

from collections.abc import Iterable

from django.conf import settings

from feed import stats
from feed.stats import Metric, UniqueEvent


def count_views(*, post_ids: Iterable[int], viewer_key: str) -> None:
    """Count a view of each of these posts, which the viewer may see, once an hour. No database command.

    ``visitor``: the viewer's key from ``accounts.infra.viewer_keys``; "" for one who is not counted.
    """
    if settings.COUNT_VIEWS and viewer_key:
        for post_id in post_ids:
            stats.count_unique(event=UniqueEvent(viewer_key, post_id, Metric.VIEWS))
