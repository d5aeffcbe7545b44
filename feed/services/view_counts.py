"""Count views of posts. ``feed.stats`` drops repeated views by the same viewer."""

from collections.abc import Iterable

from django.conf import settings

from feed import stats
from feed.stats import Metric, UniqueEvent


def count_views(*, post_ids: Iterable[int], viewer_key: str) -> None:
    """Count a view of each post, at most once an hour per viewer. Costs no database command.

    Args:
        post_ids: posts that are visible to the viewer. Callers check the visibility.
        viewer_key: a key from ``accounts.infra.viewer_keys``. With "", nothing is counted.
    """
    if settings.COUNT_VIEWS and viewer_key:
        for post_id in post_ids:
            stats.count_unique(event=UniqueEvent(viewer_key, post_id, Metric.VIEWS))
